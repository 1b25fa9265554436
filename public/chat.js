import { fetchHistory, postStop } from "./api.js";
import { Tail } from "./events.js";
import { tailFrom, withHistory } from "./history.js";
import { titleOf } from "./sessions.js";
import { EMPTY, isBusy, reduce, START, withAccepted } from "./transcript.js";

/** One open session: its history, then its events as they come. Close it before opening another. */
export class Chat {
  transcript = EMPTY;
  isLoading = false;
  /** Why the session could not be read. @type {Error | null} */
  problem = null;
  /** @type {'idle' | 'open' | 'lost' | 'refused'} */
  connection = "idle";
  /** @type {Tail | null} */
  #tail = null;
  #abort = new AbortController();
  /** Turns that had not ended when the history was read; queued ones are not in it. @type {Set<string>} */
  #unfinished = new Set();
  #sessions;
  #onChange;

  /**
   * @param {string} id
   * @param {import('./sessions.js').Sessions} sessions
   * @param {() => void} onChange
   */
  constructor(id, sessions, onChange) {
    this.id = id;
    this.#sessions = sessions;
    this.#onChange = onChange;
  }

  /** Whether this turn was accepted, as far as is known here. @param {string} id */
  hasTurn(id) {
    return this.#unfinished.has(id) || this.transcript.turns.some((turn) => turn.id === id);
  }

  get isBusy() {
    return isBusy(this.transcript);
  }

  /** Reads the newest page of the history and goes on from there. */
  async load() {
    const page = await this.#read(undefined);
    if (!page) return;
    this.#unfinished = new Set(page.status.turns.map(({ turn }) => turn));
    const after = tailFrom(page);
    this.transcript = { ...withHistory(this.transcript, page), last: after };
    const isNew = this.#sessions.find(this.id) === null;
    if (isNew && this.transcript.turns.length > 0)
      this.#sessions.put(this.id, { title: this.#title() });
    this.#listen(after);
    this.#onChange();
  }

  /** Asks again for what could not be read. */
  async retry() {
    this.problem = null;
    if (!this.#tail) return this.load();
    this.listen();
    this.#onChange();
  }

  /** Reads the page before the oldest turn that is shown. */
  async loadOlder() {
    if (this.transcript.before === null || this.isLoading) return;
    const page = await this.#read(this.transcript.before);
    if (page) this.transcript = withHistory(this.transcript, page);
    this.#onChange();
  }

  /**
   * A message was accepted.
   * @param {string} turn
   * @param {readonly import('../src/shared/messages.ts').ContentPart[]} content
   */
  accept(turn, content) {
    this.transcript = withAccepted(this.transcript, turn, content);
    this.listen();
    this.#onChange();
  }

  /** Makes sure that events come. */
  listen() {
    if (this.#abort.signal.aborted || this.#tail?.isConnected) return;
    if (this.#tail) this.#tail.connect();
    else this.#listen(this.transcript.last);
  }

  /** Ends the running turn. */
  async stop() {
    await postStop(this.id);
  }

  /** The page went out of sight: events that nobody waits for need no connection. */
  rest() {
    if (!this.isBusy) this.#tail?.close();
  }

  /** The page came back; a connection that slept may be dead without knowing. */
  wake() {
    this.#tail?.connect();
  }

  close() {
    this.#abort.abort();
    this.#tail?.close();
  }

  /** @param {number | undefined} before */
  async #read(before) {
    const { signal } = this.#abort;
    this.isLoading = true;
    this.problem = null;
    this.#onChange();
    try {
      return await fetchHistory(this.id, before === undefined ? { signal } : { before, signal });
    } catch (error) {
      if (!signal.aborted) this.problem = error instanceof Error ? error : new Error(String(error));
      return null;
    } finally {
      this.isLoading = false;
      if (!signal.aborted) this.#onChange();
    }
  }

  /** @param {string} after */
  #listen(after) {
    if (this.#abort.signal.aborted) return;
    this.#tail = new Tail(this.id, after || START, {
      onEvent: (event) => this.#take(event),
      onState: (state, error) => {
        if (error) this.problem = error;
        this.connection = state;
        if (state === "lost" && document.hidden) this.rest();
        this.#onChange();
      },
    });
  }

  /** @param {import('../src/shared/events.ts').IdentifiedEvent} identified */
  #take(identified) {
    this.transcript = reduce(this.transcript, identified);
    this.#onChange();
  }

  #title() {
    const content = this.transcript.turns[0]?.content ?? [];
    return titleOf(content.map((part) => (part.type === "text" ? part.text : "")).join(" "));
  }
}
