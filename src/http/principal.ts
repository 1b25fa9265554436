import type { ApiKey } from "../env.ts";
import { CarrelError } from "../shared/errors.ts";
import { parseId } from "../shared/ids.ts";
import { sha256Hex } from "../shared/sha256.ts";

/** Who calls, from a verified credential: the only source of a user's identity. */
export type Principal = { readonly user: string; readonly role: "user" | "admin" };

/**
 * The caller of a request. With API keys configured, only `Authorization: Bearer <key>` counts. Without any, only
 * requests from this machine are served (development): as the user named by `x-carrel-user`, default `local`.
 */
export async function authenticate(request: Request, keys: readonly ApiKey[]): Promise<Principal> {
  if (keys.length > 0) return withKey(request, keys);
  if (!isLoopback(request)) {
    throw new CarrelError(
      "forbidden",
      "This deployment has no API keys yet, so it only serves this machine. Make one with `npm run key -- NAME` and set CARREL_API_KEYS.",
    );
  }
  return {
    user: parseId("The user id", request.headers.get("x-carrel-user") ?? "local"),
    role: "admin",
  };
}

async function withKey(request: Request, keys: readonly ApiKey[]): Promise<Principal> {
  const secret = /^Bearer +(\S{1,512})$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (secret === undefined) {
    throw new CarrelError("unauthorized", 'Send an API key: "Authorization: Bearer <key>".');
  }
  const hash = await sha256Hex(new TextEncoder().encode(secret));
  let found: ApiKey | null = null;
  for (const key of keys) if (isEqual(key.hash, hash)) found = key;
  if (!found) throw new CarrelError("unauthorized", "This API key is not known.");
  return { user: parseId("The user id", found.user), role: found.role };
}

/** Takes the same time wherever two digests differ. */
function isEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index++)
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}

const LOOPBACK = /^(localhost|[a-z0-9-]+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

/** The host of an address, asked of every request, so without a parser; none where a user name could hide another host. */
const HOST = /^https?:\/\/(\[[^\]@]*\]|[^:/?#@\\]*)(:\d*)?([/?#]|$)/i;

/**
 * Whether a request comes from this machine and from no foreign page: host name, page origin and, where the
 * runtime tells it, the client's address must all be loopback. A page that rebinds its name to 127.0.0.1 still
 * sends its own name.
 */
export function isLoopback(request: Request): boolean {
  if (!LOOPBACK.test(HOST.exec(request.url)?.[1] ?? "")) return false;
  const origin = request.headers.get("origin");
  if (origin !== null && !(URL.canParse(origin) && LOOPBACK.test(new URL(origin).hostname)))
    return false;
  const client = request.headers.get("cf-connecting-ip");
  return client === null || LOOPBACK.test(client);
}
