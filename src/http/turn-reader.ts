import {
  compareCursors,
  parseCursor,
  START,
  type Cursor,
  type IdentifiedEvent,
  type SessionStatus,
} from "../shared/events.ts";
import { FrameReader, type Frames } from "./event-frames.ts";

/** How often in a row a stream that broke off is taken up again without a new event. */
const MAX_REOPENINGS = 3;

export type TurnEvents = {
  readonly turn: string;
  /** The session's event stream from the turn's start, or from just after `after`. */
  readonly events: ReadableStream<Uint8Array>;
  /** An event id; absent: the turn's start. */
  readonly after?: string;
  /** The events of a turn from just after an event on; from the turn's start when `after` is `null`. */
  readonly reopen: (turn: string, after: string | null) => Promise<ReadableStream<Uint8Array>>;
};

/**
 * Reads a turn's events to its end, or to where it waits for someone outside, whatever happens to the session's object:
 * a stream that breaks off (the object was moved, or crashed) is taken up again after the last event. Cancel it when
 * the end was read.
 */
export class TurnReader {
  readonly #source: TurnEvents;
  #turn: string;
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  #frames = new FrameReader();
  #after: string | null;
  /** Of this stream: what its head said, and the newest event. */
  #status: SessionStatus | null = null;
  #newest: IdentifiedEvent | null = null;
  #reopenings = 0;
  #isCancelled = false;

  constructor(source: TurnEvents) {
    this.#source = source;
    this.#turn = source.turn;
    this.#after = source.after ?? null;
    this.#reader = source.events.getReader();
  }

  /**
   * What came next, which may be nothing; `rest` when there is nothing more to read because the turn waits for someone;
   * `null` after `cancel`. Throws when the stream cannot be had again.
   */
  async read(): Promise<Frames | "rest" | null> {
    let failure: unknown = new Error("the session's stream ended before its turn");
    while (!this.#isCancelled) {
      try {
        const { value, done } = await this.#reader.read();
        if (value) return this.#take(this.#frames.read(value));
        if (done && this.#isAtRest()) return "rest";
      } catch (error) {
        failure = error;
      }
      if (this.#isCancelled) break;
      if (++this.#reopenings > MAX_REOPENINGS) throw failure;
      await this.#reopen().catch((error: unknown) => (failure = error));
    }
    return null;
  }

  /** Reads another turn from its start: the one that this turn's message was taken into. */
  async follow(turn: string): Promise<void> {
    await this.#reader.cancel().catch(() => {});
    this.#turn = turn;
    this.#after = null;
    this.#status = null;
    this.#newest = null;
  }

  /** The reader leaves: ends the session's stream and nothing else. Never rejects. */
  async cancel(): Promise<void> {
    this.#isCancelled = true;
    await this.#reader.cancel().catch(() => {});
  }

  #take(frames: Frames): Frames {
    this.#status = frames.status ?? this.#status;
    const newest = frames.events.at(-1);
    if (newest) {
      this.#newest = newest;
      this.#after = newest.id;
      this.#reopenings = 0;
    }
    return frames;
  }

  /** Whether a stream that ended did so because its turn waits and all was read, and not because it broke off. */
  #isAtRest(): boolean {
    const status = this.#status;
    if (!status || this.#after === null) return false;
    if (compareCursors(cursorOf(this.#after), cursorOf(status.last)) < 0) return false;
    const waits = ({ turn, state }: SessionStatus["turns"][number]) =>
      turn === this.#turn && state === "waiting";
    return this.#newest?.event.type === "turn-waiting" || status.turns.some(waits);
  }

  async #reopen(): Promise<void> {
    const events = await this.#source.reopen(this.#turn, this.#after);
    this.#reader = events.getReader();
    this.#frames = new FrameReader();
    this.#status = null;
    this.#newest = null;
    if (this.#isCancelled) await this.cancel();
  }
}

const cursorOf = (id: string): Cursor => parseCursor(id) ?? START;
