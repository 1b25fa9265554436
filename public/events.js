import { ApiError, openEvents } from "./api.js";
import { readFrames } from "./sse.js";

/** Waits before the next connection, in milliseconds: after a failure doubled each time, up to the second number. */
const [FIRST_WAIT, LONGEST_WAIT] = [500, 15_000];
const WAIT_AFTER_END = 1_000;

/** The server says something at least every 15 seconds; after this long a silent line counts as dead. */
const MAX_SILENCE = 45_000;

/**
 * @typedef {import('../src/shared/events.ts').IdentifiedEvent} IdentifiedEvent
 *
 * `onState` says that events come, that the line broke and is tried again, or that the server refuses.
 * @typedef {{
 *   onEvent: (event: IdentifiedEvent) => void,
 *   onState: (state: 'open' | 'lost' | 'refused', error?: Error) => void,
 * }} Listener
 */

/**
 * The events of one session as they come, from a cursor on, over any number of connections, each once.
 * `EventSource` would do, but it cannot send a key, nor tell a refusal from a broken line.
 */
export class Tail {
  #session;
  #listener;
  #last;
  #failures = 0;
  /** The connection that is open or being opened. @type {AbortController | null} */
  #connection = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {string} session
   * @param {string} after
   * @param {Listener} listener
   */
  constructor(session, after, listener) {
    this.#session = session;
    this.#last = after;
    this.#listener = listener;
    this.connect();
  }

  get isConnected() {
    return this.#connection !== null;
  }

  /** Reads on from the newest event over a new connection. */
  connect() {
    this.close();
    this.#connection = new AbortController();
    void this.#read(this.#connection);
  }

  /** No more events until `connect`. */
  close() {
    clearTimeout(this.#timer);
    this.#connection?.abort();
    this.#connection = null;
  }

  /** @param {AbortController} connection */
  async #read(connection) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let silence;
    const onSign = () => {
      clearTimeout(silence);
      silence = setTimeout(() => connection.abort(new Error("The line is silent.")), MAX_SILENCE);
    };
    try {
      onSign();
      const stream = await openEvents(this.#session, this.#last, connection.signal);
      this.#failures = 0;
      this.#listener.onState("open");
      for await (const { id, data } of readFrames(stream, onSign)) {
        if (connection !== this.#connection) return;
        if (id !== null) this.#last = id;
        this.#listener.onEvent({ id: this.#last, event: JSON.parse(data) });
      }
      if (connection === this.#connection) this.#again(WAIT_AFTER_END);
    } catch (error) {
      if (connection === this.#connection) this.#fail(error);
    } finally {
      clearTimeout(silence);
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    if (error instanceof ApiError && !error.isTransient) {
      this.#connection = null;
      this.#listener.onState("refused", error);
      return;
    }
    this.#again(
      Math.min(FIRST_WAIT * 2 ** this.#failures++, LONGEST_WAIT) * (0.75 + Math.random() / 2),
    );
    this.#listener.onState("lost");
  }

  /** @param {number} wait */
  #again(wait) {
    this.#connection = null;
    this.#timer = setTimeout(() => this.connect(), wait);
  }
}
