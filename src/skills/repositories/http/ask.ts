import { CarrelError, notFound } from "../../../shared/errors.ts";
import { readBody } from "../../../shared/read-body.ts";
import type { FetchParts } from "../repository.ts";

/** What a server has answered. `url`: where it was in the end, after redirects. */
export type Asked = { readonly url: URL; readonly bytes: Uint8Array; readonly etag: string | null };

type Wanted = { readonly maxBytes: number };

export type Ask = {
  (url: URL, wanted: Wanted & { readonly etag: string | null }): Promise<Asked | "unchanged">;
  (url: URL, wanted: Wanted): Promise<Asked>;
};

/**
 * Asks with `headers` at `origin`, without them anywhere else. Throws `CarrelError`: `not_found`, `too_large`, `forbidden`
 * for an address that is refused, `unavailable` for anything that may be over the next time; and what the signal says.
 */
export function createAsk(
  { fetch, signal }: Pick<FetchParts, "fetch" | "signal">,
  origin: string,
  headers: Headers,
): Ask {
  async function ask(url: URL, wanted: Wanted): Promise<Asked>;
  async function ask(
    url: URL,
    wanted: Wanted & { readonly etag?: string | null },
  ): Promise<Asked | "unchanged"> {
    const sent = new Headers(url.origin === origin ? headers : undefined);
    sent.set("accept", "*/*");
    if (typeof wanted.etag === "string") sent.set("if-none-match", wanted.etag);
    const response = await answered(url, () =>
      untilAborted(signal, fetch(url.href, { headers: sent, signal })),
    );
    if (response.status === 304 && typeof wanted.etag === "string") return "unchanged";
    if (!response.ok) {
      await response.body?.cancel();
      throw refusalOf(url, response.status);
    }
    const { maxBytes } = wanted;
    const bytes = await answered(url, () => untilAborted(signal, readBody(response, { maxBytes })));
    const end = response.url === "" ? url : new URL(response.url);
    return { url: end, bytes, etag: response.headers.get("etag") };
  }
  return ask;

  /** Whatever the network throws, in words. */
  async function answered<Result>(url: URL, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CarrelError) throw error;
      const cannot = `The server at ${url.host} could not be reached. Try again later.`;
      throw new CarrelError("unavailable", cannot, { cause: error });
    }
  }
}

function refusalOf({ host, pathname }: URL, status: number): CarrelError {
  if (status === 404 || status === 410) return notFound(`${pathname} at ${host}`);
  const why =
    status === 401 || status === 403
      ? "It does not let us in: look at the headers of the repository."
      : "Try again later.";
  return new CarrelError("unavailable", `The server at ${host} answered ${status}. ${why}`);
}

/** Rejects as soon as nobody waits any more, whatever the work does. */
async function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
    work.catch(() => {});
  }
}
