import { systemClock, type Clock } from "./clock.ts";
import { CarrelError } from "./errors.ts";
import { createGuardedFetch, type Fetch } from "./guarded-fetch.ts";
import { sha256Hex } from "./sha256.ts";

const TIMEOUT_MS = 10_000;
const MIN_SECRET = 16;
/** The receiver wants to hear no more of this. */
const GONE = 410;

const encoder = new TextEncoder();

export type WebhookMessage = {
  /** The same each time that it is sent. It is not shown: a hash of it is. */
  readonly id: string;
  readonly type: string;
  /** When it happened, in milliseconds. */
  readonly at: number;
  readonly data: Readonly<Record<string, unknown>>;
};

export type SignedWebhook = {
  /** A page of this deployment; `null` where nobody knows its address. */
  readonly link: (query: Readonly<Record<string, string>>) => string | null;
  /** Rejects when it was not accepted within 10 s; 410 is taken for good. May be repeated. */
  readonly send: (message: WebhookMessage) => Promise<void>;
};

export type WebhookOptions = { readonly clock?: Clock; readonly fetch?: Fetch };

type Settings = {
  readonly url: URL;
  readonly key: Uint8Array;
  /** Without a slash at its end; `null` where nobody knows it. */
  readonly publicUrl: string | null;
};

/**
 * Tells the address in the variable APPROVAL_WEBHOOK_URL of what waits for a person, signed as Standard Webhooks asks
 * (https://www.standardwebhooks.com) with APPROVAL_WEBHOOK_SECRET; links begin with PUBLIC_URL. `null` when there is no
 * address. Redirects are not followed. Throws a plain `Error` that names a variable that is not right, which operators see.
 */
export function createSignedWebhook(
  variable: (name: string) => unknown,
  options: WebhookOptions = {},
): SignedWebhook | null {
  const settings = settingsOf(variable);
  if (!settings) return null;
  const { url, key, publicUrl } = settings;
  const { clock = systemClock, ...given } = options;
  const fetch = createGuardedFetch({ trustedOrigins: [url.origin], maxRedirects: 0, ...given });
  return {
    link: (query) =>
      publicUrl === null ? null : `${publicUrl}/?${new URLSearchParams(query).toString()}`,
    async send({ id: of, type, at, data }) {
      const id = await idOf(of);
      const timestamp = String(Math.floor(clock.now() / 1_000));
      const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
      const headers = {
        "content-type": "application/json",
        "user-agent": "carrel",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,${await sign(key, `${id}.${timestamp}.${body}`)}`,
      };
      const status = await post(fetch, clock, url, { method: "POST", headers, body });
      if (status !== GONE && (status < 200 || status > 299))
        throw new Error(`the webhook answered ${status}`);
    },
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

/** Without what the id itself would say. */
const idOf = async (id: string): Promise<string> =>
  `msg_${(await sha256Hex(encoder.encode(id))).slice(0, 32)}`;

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

function settingsOf(variable: (name: string) => unknown): Settings | null {
  const textOf = (name: string): string => {
    const value = variable(name);
    return typeof value === "string" ? value.trim() : "";
  };
  const address = textOf("APPROVAL_WEBHOOK_URL");
  if (address === "") return null;
  const url = urlOf(address);
  if (!url || (url.protocol === "http:" && !isLoopback(url)))
    throw new Error(
      "APPROVAL_WEBHOOK_URL must be an https address without a user name, or http on this machine (http://127.0.0.1:…)",
    );
  const opened = textOf("PUBLIC_URL");
  const publicUrl = opened === "" ? null : urlOf(opened);
  if (opened !== "" && (!publicUrl || publicUrl.search !== ""))
    throw new Error(
      "PUBLIC_URL must be the http or https address at which people open this deployment, without a query",
    );
  const key = keyOf(textOf("APPROVAL_WEBHOOK_SECRET"));
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
