import { textVariables, type Env } from "./env.ts";
import { systemClock, type Clock } from "./shared/clock.ts";
import { CarrelError } from "./shared/errors.ts";
import { createGuardedFetch, type Fetch } from "./shared/guarded-fetch.ts";
import { sha256Hex } from "./shared/sha256.ts";
import type { Harness, Notice } from "./turn/harness.ts";

const TIMEOUT_MS = 10_000;
const MIN_SECRET = 16;
/** The receiver wants to hear no more of this. */
const GONE = 410;

const encoder = new TextEncoder();

type Settings = {
  readonly url: URL;
  readonly key: Uint8Array;
  /** Without a slash at its end; `null` where nobody knows it. */
  readonly publicUrl: string | null;
};

/**
 * Tells the address in the variable APPROVAL_WEBHOOK_URL of calls that wait for a person: `calls.waiting`, signed as
 * Standard Webhooks asks (https://www.standardwebhooks.com) with APPROVAL_WEBHOOK_SECRET, with a link where PUBLIC_URL is
 * set. It never says what the calls would do. `null` when there is no address. What you get rejects when it was not
 * accepted within 10 s; 410 is taken for good, and redirects are not followed. Throws a plain `Error` that names a
 * variable that is not right, which operators see.
 */
export function createWebhook(
  env: Env,
  options: { readonly clock?: Clock; readonly fetch?: Fetch } = {},
): Harness["notify"] {
  const settings = settingsOf(env);
  if (!settings) return null;
  const { clock = systemClock, ...given } = options;
  const trustedOrigins = [settings.url.origin];
  const fetch = createGuardedFetch({ trustedOrigins, maxRedirects: 0, ...given });
  return async (notice) => {
    const id = await idOf(notice);
    const timestamp = String(Math.floor(clock.now() / 1_000));
    const body = JSON.stringify(bodyOf(notice, settings.publicUrl));
    const headers = {
      "content-type": "application/json",
      "user-agent": "carrel",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${await sign(settings.key, `${id}.${timestamp}.${body}`)}`,
    };
    const status = await post(fetch, clock, settings.url, { method: "POST", headers, body });
    if (status !== GONE && (status < 200 || status > 299))
      throw new Error(`the webhook answered ${status}`);
  };
}

/** The status of the answer, whose body is not read. */
async function post(fetch: Fetch, clock: Clock, url: URL, init: RequestInit): Promise<number> {
  const late = new AbortController();
  const answered = new AbortController();
  void clock.sleep(TIMEOUT_MS, answered.signal).then(() => late.abort());
  try {
    const response = await fetch(url.href, { ...init, signal: late.signal });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    if (error instanceof CarrelError) throw error;
    const why = late.signal.aborted
      ? `did not answer in ${TIMEOUT_MS / 1_000} s`
      : "did not answer";
    throw new Error(`the webhook ${why}`, { cause: error });
  } finally {
    answered.abort();
  }
}

/** The same for the same notice, and without what a key of a session would say. */
const idOf = async ({ id }: Notice): Promise<string> =>
  `msg_${(await sha256Hex(encoder.encode(id))).slice(0, 32)}`;

function bodyOf({ address, turn, at, calls }: Notice, publicUrl: string | null) {
  const { agent, session, user } = address;
  const query = new URLSearchParams({ agent, session });
  return {
    type: "calls.waiting",
    timestamp: new Date(at).toISOString(),
    data: {
      agent,
      session,
      user,
      turn,
      calls: calls.map(({ call, name, what, expiresAt }) => ({ id: call, name, what, expiresAt })),
      link: publicUrl === null ? null : `${publicUrl}/?${query.toString()}`,
    },
  };
}

async function sign(key: Uint8Array, text: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey(
    "raw",
    key as Uint8Array<ArrayBuffer>,
    algorithm,
    false,
    ["sign"],
  );
  const signature = await crypto.subtle.sign("HMAC", imported, encoder.encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(signature)));
}

function settingsOf(env: Env): Settings | null {
  const {
    APPROVAL_WEBHOOK_URL = "",
    APPROVAL_WEBHOOK_SECRET = "",
    PUBLIC_URL = "",
  } = textVariables(env);
  if (APPROVAL_WEBHOOK_URL === "") return null;
  const url = urlOf(APPROVAL_WEBHOOK_URL);
  if (!url || (url.protocol === "http:" && !isLoopback(url)))
    throw new Error(
      "APPROVAL_WEBHOOK_URL must be an https address without a user name, or http on this machine (http://127.0.0.1:…)",
    );
  const publicUrl = PUBLIC_URL === "" ? null : urlOf(PUBLIC_URL);
  if (PUBLIC_URL !== "" && (!publicUrl || publicUrl.search !== ""))
    throw new Error(
      "PUBLIC_URL must be the http or https address at which people open this deployment, without a query",
    );
  const key = keyOf(APPROVAL_WEBHOOK_SECRET);
  return { url, key, publicUrl: publicUrl && publicUrl.href.replace(/\/+$/, "") };
}

/** `null` for what is no plain address of http or https. */
function urlOf(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlain = url.username === "" && url.password === "" && url.hash === "";
  return isPlain && ["https:", "http:"].includes(url.protocol) ? url : null;
}

const isLoopback = ({ hostname }: URL): boolean =>
  ["localhost", "[::1]"].includes(hostname) || /^127(\.\d+){3}$/.test(hostname);

/** A secret as text, or as `whsec_` with base64, which stands for the bytes. */
function keyOf(secret: string): Uint8Array {
  const base64 = /^whsec_(.*)$/s.exec(secret)?.[1];
  const key = base64 === undefined ? encoder.encode(secret) : bytesOf(base64);
  if (!key || key.length < MIN_SECRET)
    throw new Error(
      `APPROVAL_WEBHOOK_SECRET must have at least ${MIN_SECRET} characters, or be whsec_ and at least ${MIN_SECRET} bytes in base64`,
    );
  return key;
}

function bytesOf(base64: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}
