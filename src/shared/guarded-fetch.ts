import { CarrelError } from "./errors.ts";
import { refusal } from "./outbound-address.ts";

/** The part of the platform's `fetch` that everything outbound uses, so that a guarded one fits in its place. */
export type Fetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

export type GuardedFetchOptions = {
  /**
   * Origins (`http://127.0.0.1:11434`) that the operator's own configuration names; they may be private, http
   * and on any port. Make one guarded fetch per purpose: an address from a user's file must not meet the
   * origins of the model server. What is not a URL is ignored.
   */
  readonly trustedOrigins: readonly string[];
  /** Redirects followed before giving up; default 5, 0 follows none. */
  readonly maxRedirects?: number;
  /** What really sends; default the platform's. */
  readonly fetch?: Fetch;
};

/** All that may follow a redirect to another origin: a header of any other name may carry a credential. */
const harmlessHeaders: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-type",
  "user-agent",
]);

type Hop = { readonly url: URL; readonly isTrusted: boolean; readonly init: RequestInit };

/**
 * A `fetch` that cannot be talked into reaching the operator's network (promise X4). The address is judged by
 * `refusal` before each hop, and a redirect is followed here rather than by the platform: to another origin it
 * keeps neither credentials nor trust, and is never trusted again. Throws `CarrelError('forbidden')` when an
 * address is refused or there are too many redirects; failures of the network pass through. Bodies are not
 * bounded here: read them with `readBody`.
 */
export function createGuardedFetch(options: GuardedFetchOptions): Fetch {
  const { maxRedirects = 5, fetch = (input, init) => globalThis.fetch(input, init) } = options;
  const trusted = new Set(
    options.trustedOrigins.filter((text) => URL.canParse(text)).map((text) => new URL(text).origin),
  );

  return async (input, init) => {
    const start = await startOf(input, init);
    let hop: Hop = { ...start, isTrusted: trusted.has(start.url.origin) };
    for (let redirects = 0; ; redirects++) {
      const refused = refusal(hop.url, hop.isTrusted);
      if (refused) throw refused;
      const response = await fetch(hop.url.href, { ...hop.init, redirect: "manual" });
      const target = start.init.redirect === "manual" ? null : redirectTarget(response, hop.url);
      if (target === null) return response;
      await response.body?.cancel();
      if (start.init.redirect === "error" || redirects >= maxRedirects) {
        throw new CarrelError(
          "forbidden",
          `The server at ${hostOf(start.url)} redirects more often than allowed (${maxRedirects}).`,
        );
      }
      hop = nextHop(hop, target, response.status);
    }
  };
}

/** The first hop. A `Request` is taken apart, its body read, so that a redirect can send it again. */
async function startOf(
  input: RequestInfo | URL,
  init: RequestInit = {},
): Promise<Omit<Hop, "isTrusted">> {
  if (typeof input === "string" || input instanceof URL)
    return { url: parseUrl(String(input)), init };
  const { method, headers, signal, redirect } = input;
  const own: RequestInit = { method, headers, signal, redirect };
  if (input.body !== null) own.body = await input.arrayBuffer();
  return { url: parseUrl(input.url), init: { ...own, ...init } };
}

const hostOf = (url: URL): string => url.host.slice(0, 100);

function parseUrl(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new CarrelError("forbidden", "The request was refused: its address is not a complete URL.");
}

/** Where a response redirects to; `null` when it is no redirect. */
function redirectTarget(response: Response, from: URL): URL | null {
  const location = response.headers.get("location");
  if (location === null || ![301, 302, 303, 307, 308].includes(response.status)) return null;
  if (URL.canParse(location, from.href)) return new URL(location, from.href);
  throw new CarrelError(
    "forbidden",
    `The server at ${hostOf(from)} redirects to what is not an address.`,
  );
}

/** The request after a redirect, by the rules of the fetch standard ("HTTP-redirect fetch"), credentials apart. */
function nextHop(hop: Hop, url: URL, status: number): Hop {
  const init: RequestInit = { ...hop.init };
  const headers = new Headers(init.headers);
  const method = (init.method ?? "GET").toUpperCase();
  const becomesGet =
    (status === 303 && method !== "GET" && method !== "HEAD") ||
    (status < 303 && method === "POST");
  if (becomesGet) {
    init.method = "GET";
    delete init.body;
    headers.delete("content-type");
    headers.delete("content-length");
  } else if (init.body instanceof ReadableStream) {
    throw new CarrelError(
      "forbidden",
      `The server redirects a streamed request to ${hostOf(url)}; it cannot be sent twice.`,
    );
  }
  const staysAtOrigin = url.origin === hop.url.origin;
  init.headers = staysAtOrigin
    ? headers
    : [...headers].filter(([name]) => harmlessHeaders.has(name));
  return { url, isTrusted: hop.isTrusted && staysAtOrigin, init };
}
