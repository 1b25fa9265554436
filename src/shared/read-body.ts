import { type Clock, systemClock } from "./clock.ts";
import { CarrelError } from "./errors.ts";

export type BodyLimits = {
  readonly maxBytes: number;
  /** From this call to the last byte; default 30 s. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
};

/**
 * The whole body of a response, empty when there is none. Throws `CarrelError('too_large')` as soon as more
 * than `maxBytes` are announced or have come, and `CarrelError('unavailable')` when the time is over; either
 * way the connection is closed. Reads the body, so it works once.
 */
export async function readBody(response: Response, limits: BodyLimits): Promise<Uint8Array> {
  const { maxBytes, timeoutMs = 30_000, clock = systemClock } = limits;
  const reader = response.body?.getReader();
  if (!reader) return new Uint8Array();
  const stop = new AbortController();
  const close = () => void reader.cancel().catch(() => {});
  let isLate = false;
  void clock.sleep(timeoutMs, stop.signal).then(() => {
    isLate = !stop.signal.aborted;
    if (isLate) close();
  });
  try {
    const chunks: Uint8Array[] = [];
    let size = Number(response.headers.get("content-length")) > maxBytes ? Infinity : 0;
    for (let done = false; !done && size <= maxBytes;) {
      const read = await reader.read();
      done = read.done;
      if (read.value) chunks.push(read.value);
      size += read.value?.byteLength ?? 0;
    }
    if (isLate)
      throw new CarrelError(
        "unavailable",
        `The server did not finish its answer in ${timeoutMs / 1000} s.`,
      );
    if (size > maxBytes)
      throw new CarrelError("too_large", `The answer is larger than ${maxBytes} bytes.`);
    return join(chunks, size);
  } finally {
    stop.abort();
    close();
  }
}

/** `readBody` as text; what is not UTF-8 becomes U+FFFD. */
export async function readText(response: Response, limits: BodyLimits): Promise<string> {
  return new TextDecoder().decode(await readBody(response, limits));
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first) return first;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
