import * as z from "zod";
import type { WorkersAiBinding } from "./model/workers-ai.ts";
import { ID } from "./shared/ids.ts";

/** The slice of a session object's stub that everybody has; its methods are `SessionApi`, called over RPC. */
export type SessionStub = {
  readonly fetch: (url: string, init: { method: string; body: string }) => Promise<Response>;
};

/** The bindings and variables of a deployment, as `wrangler.toml`, `.dev.vars` and secrets give them. */
export interface Env {
  readonly SESSIONS: { readonly getByName: (name: string) => SessionStub };
  /** Their methods are `WorkspaceApi`. */
  readonly WORKSPACES: { readonly getByName: (name: string) => object };
  /** Their methods are `RegistryApi`. */
  readonly REGISTRY: { readonly getByName: (name: string) => object };
  readonly AI?: WorkersAiBinding;
  readonly [variable: string]: unknown;
}

const optionalText = z.string().trim().optional();

const ApiKey = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex"),
  user: z.string().regex(ID, 'must be a letter or digit, then letters, digits, ".", "_" or "-"'),
  role: z.enum(["user", "admin"]).default("user"),
});

/** A key that may call: the SHA-256 of the secret, never the secret. */
export type ApiKey = z.infer<typeof ApiKey>;

/** `CARREL_API_KEYS` parsed: empty when unset. Throws a plain `Error` that names what is wrong, which operators see. */
export function parseApiKeys(env: Env): readonly ApiKey[] {
  if (env.CARREL_API_KEYS === undefined) return [];
  const text = optionalText.parse(env.CARREL_API_KEYS);
  if (text === undefined || text === "") return [];
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error("CARREL_API_KEYS is not JSON; `npm run key -- NAME` prints an entry");
  }
  const parsed = z.array(ApiKey).safeParse(json);
  if (!parsed.success) throw new Error(`CARREL_API_KEYS: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** The string variables that choose and configure a model; anything that is not a string is left out. */
export function textVariables(env: Env): Readonly<Record<string, string>> {
  const pairs = Object.entries(env).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value.trim()]] : [],
  );
  return Object.fromEntries(pairs) as Record<string, string>;
}
