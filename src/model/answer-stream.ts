import { createParser } from "eventsource-parser";
import { ModelError } from "../shared/errors.ts";
import type { ModelEvent } from "./model.ts";
import { type Provider, connectionError, malformed } from "./provider-error.ts";

/** Makes model events of one dialect's server-sent events. One decoder reads one answer. */
export interface AnswerDecoder {
  /** The answer is whole: `finish` has been pushed. What still comes is ignored. */
  readonly isFinished: boolean;
  /** Pushes what one event's data says. Throws `ModelError` for an error or for what is not this dialect. */
  decode(data: string, batch: ModelEvent[]): void;
  /** The wire ended: pushes `finish` if the answer was whole all the same, else throws `ModelError('unavailable')`. */
  end(batch: ModelEvent[]): void;
}

/** Longest event and longest line, in UTF-16 units: a whole answer in one event fits, an endless line does not. */
const maxEventSize = 8 * 1024 * 1024;

/** How long a finished answer's connection may take to end by itself, so that it can be used again. */
const lingerMs = 1_000;

/**
 * The batches of an answer, one for each read of `body`. What came before an error is given before the error
 * is thrown. Aborting `signal`, or leaving the iteration, closes `body`.
 */
export async function* readAnswer(
  body: ReadableStream<Uint8Array>,
  decoder: AnswerDecoder,
  provider: Provider,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent[], void> {
  const frames = new Frames(decoder, provider);
  const reader = body.getReader();
  const close = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", close);
  let hasEnded = false;
  try {
    while (!decoder.isFinished) {
      signal.throwIfAborted();
      const read = await reader.read().catch((error: unknown) => {
        signal.throwIfAborted();
        throw connectionError(provider, error);
      });
      signal.throwIfAborted();
      hasEnded = read.done;
      const batch = frames.batchOf(read.value);
      yield batch;
      if (frames.failure !== undefined) throw frames.failure;
    }
  } finally {
    signal.removeEventListener("abort", close);
    if (decoder.isFinished && !hasEnded && !signal.aborted) linger(reader, close);
    else close();
  }
}

/** Cuts bytes into events and has them decoded. */
class Frames {
  failure: unknown;
  readonly #decoder: AnswerDecoder;
  readonly #provider: Provider;
  readonly #text = new TextDecoder();
  readonly #parser;
  #batch: ModelEvent[] = [];

  constructor(decoder: AnswerDecoder, provider: Provider) {
    this.#decoder = decoder;
    this.#provider = provider;
    this.#parser = createParser({
      maxBufferSize: maxEventSize,
      onEvent: ({ data }) => {
        if (data !== "") this.#try(() => decoder.decode(data, this.#batch));
      },
      onError: (error) => {
        if (error.type === "max-buffer-size-exceeded") this.failure = malformed(this.#provider);
      },
    });
  }

  /** What one read says; `undefined` is the end of the wire. */
  batchOf(bytes: Uint8Array | undefined): ModelEvent[] {
    this.#batch = [];
    if (bytes) {
      this.#parser.feed(this.#text.decode(bytes, { stream: true }));
    } else {
      this.#flush();
      this.#try(() => this.#decoder.end(this.#batch));
    }
    return this.#batch;
  }

  /** The last event of some servers lacks the blank line after it. Half an event is no event. */
  #flush(): void {
    this.#parser.feed(`${this.#text.decode()}\n\n`);
    if (this.failure instanceof ModelError && this.failure.code === "malformed")
      this.failure = undefined;
  }

  #try(action: () => void): void {
    if (this.failure !== undefined || this.#decoder.isFinished) return;
    try {
      action();
    } catch (error) {
      this.failure = error instanceof ModelError ? error : malformed(this.#provider);
    }
  }
}

/**
 * Reads on to the end in the background: a connection whose answer was read to its end serves the next call,
 * one that is cancelled does not. Servers end it right after the last event; closes it when one does not.
 */
function linger(reader: ReadableStreamDefaultReader<Uint8Array>, close: () => void): void {
  const timer = setTimeout(close, lingerMs);
  const readOn = (): Promise<void> =>
    reader.read().then((read) => (read.done ? undefined : readOn()));
  void readOn()
    .catch(() => {})
    .finally(() => clearTimeout(timer));
}
