import { FrameReader, type Frames } from "./event-frames.ts";

/** How often in a row a stream that broke off is taken up again without a new event. */
const MAX_REOPENINGS = 3;

export type TurnEvents = {
  /** The session's event stream from the turn's start. */
  readonly events: ReadableStream<Uint8Array>;
  /** The same from just after an event on; from the turn's start when `after` is `null`. */
  readonly reopen: (after: string | null) => Promise<ReadableStream<Uint8Array>>;
};

/**
 * Reads a turn's events to their end whatever happens to the session's object: a stream that breaks off (the
 * object was moved, or crashed) is taken up again after the last event. Cancel it when the turn's end was read.
 */
export class TurnReader {
  readonly #turn: TurnEvents;
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  #frames = new FrameReader();
  #last: string | null = null;
  #reopenings = 0;
  #isCancelled = false;

  constructor(turn: TurnEvents) {
    this.#turn = turn;
    this.#reader = turn.events.getReader();
  }

  /** What came next, which may be nothing; `null` after `cancel`. Throws when the stream cannot be had again. */
  async read(): Promise<Frames | null> {
    let failure: unknown = new Error("the session's stream ended before its turn");
    while (!this.#isCancelled) {
      try {
        const { value } = await this.#reader.read();
        if (value) return this.#take(this.#frames.read(value));
      } catch (error) {
        failure = error;
      }
      if (this.#isCancelled) break;
      if (++this.#reopenings > MAX_REOPENINGS) throw failure;
      await this.#reopen().catch((error: unknown) => (failure = error));
    }
    return null;
  }

  /** The reader leaves: ends the session's stream and nothing else. Never rejects. */
  async cancel(): Promise<void> {
    this.#isCancelled = true;
    await this.#reader.cancel().catch(() => {});
  }

  #take(frames: Frames): Frames {
    const newest = frames.events.at(-1);
    if (newest) {
      this.#last = newest.id;
      this.#reopenings = 0;
    }
    return frames;
  }

  async #reopen(): Promise<void> {
    const events = await this.#turn.reopen(this.#last);
    this.#reader = events.getReader();
    this.#frames = new FrameReader();
    if (this.#isCancelled) await this.cancel();
  }
}
