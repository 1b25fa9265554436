import {
  fetchHistory,
  fetchPlan,
  isConflict,
  isGone,
  postCancel,
  postDecision,
  postStop,
  putPlan,
} from "./api.js";
import { Tail } from "./events.js";
import { tailFrom, withCalls, withHistory } from "./history.js";
import { titleOf } from "./sessions.js";
import {
  EMPTY,
  hasMessage,
  isBusy,
  questionsOf,
  reduce,
  START,
  waitingTurn,
  withAccepted,
} from "./transcript.js";
import { settled } from "./task-change.js";
import { answerCall } from "./turn-change.js";

/** One open session: its history, then its events as they come. Close it before opening another. */
export class Chat {
  transcript = EMPTY;
  isLoading = false;
  /** Whether the server knows no conversation of this name, or none of this person's. */
  isMissing = false;
  /** Why the session could not be read. @type {Error | null} */
  problem = null;
  /** @type {'idle' | 'open' | 'lost' | 'refused'} */
  connection = "idle";
  /** How many turns ended while it was open: one may begin and end between two looks at `isBusy`. */
  endings = 0;
  /** @type {Tail | null} */
  #tail = null;
  #abort = new AbortController();
  /** Turns that had not ended when the history was read; queued ones are not in it. @type {Set<string>} */
  #unfinished = new Set();
  #sessions;
  #onChange;
  #onNews;

  /**
   * @param {string} id
   * @param {import('./sessions.js').Sessions} sessions
   * @param {{ change: () => void, news: () => void }} on `news`: what the list of conversations says of it may be old.
   */
  constructor(id, sessions, { change, news }) {
    this.id = id;
    this.#sessions = sessions;
    this.#onChange = change;
    this.#onNews = news;
  }

  /** Whether this turn was accepted, as far as is known here. @param {string} id */
  hasTurn(id) {
    return this.#unfinished.has(id) || hasMessage(this.transcript, id);
  }

  get isBusy() {
    return isBusy(this.transcript);
  }

  /** Whether the conversation was deleted. */
  get isGone() {
    return isGone(this.problem);
  }

  /** What waits for the person to decide. */
  get approvals() {
    const questions = [...questionsOf(this.transcript), ...this.transcript.asked];
    return questions.filter(({ what }) => what === "approval");
  }

  /** Reads the newest page of the history and goes on from there. */
  async load() {
    const page = await this.#read(undefined);
    if (!page) return;
    this.isMissing = false;
    this.#unfinished = new Set(page.status.turns.map(({ turn }) => turn));
    const after = tailFrom(page);
    const shown = withHistory(this.transcript, page);
    this.transcript = { ...reduce(shown, { id: "", event: page.status }), last: after };
    const known = this.#sessions.find(this.id);
    if (page.title !== "" || (!known && this.transcript.turns.length > 0))
      this.#sessions.put(this.id, { title: page.title || this.#title() });
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
   * @param {import('./transcript.js').WhenBusy} whenBusy
   */
  accept(turn, content, whenBusy) {
    this.isMissing = false;
    this.transcript = withAccepted(this.transcript, turn, content, whenBusy);
    this.listen();
    this.#onChange();
  }

  /** Makes sure that events come. */
  listen() {
    if (this.#abort.signal.aborted || this.#tail?.isConnected) return;
    if (this.#tail) this.#tail.connect();
    else this.#listen(this.transcript.last);
  }

  /** The mode was chosen here. @param {import('./transcript.js').PermissionMode} mode */
  setMode(mode) {
    this.transcript = { ...this.transcript, mode };
    this.#onChange();
  }

  /** Begins or ends plan mode. @param {boolean} active */
  async setPlan(active) {
    const plan = await putPlan(this.id, active);
    this.transcript = { ...this.transcript, work: { ...this.transcript.work, plan } };
    this.#onChange();
  }

  /** The text of its plan; `null` where there is none. */
  async readPlan() {
    return (await fetchPlan(this.id)).text;
  }

  /** Ends the running turn. */
  async stop() {
    await postStop(this.id);
  }

  /** Ends what goes on in the background. @param {string} task */
  async stopTask(task) {
    await postCancel(this.id, task);
    this.listen();
  }

  /**
   * Decides on a call. Rejects when that did not happen: with a conflict when somebody else was faster, of which the
   * transcript then tells.
   * @param {import('./transcript.js').Question} question
   * @param {import('./api.js').Decision} decision
   */
  async decide({ turn, call, source }, decision) {
    try {
      if (source) return await this.#decideFor(call, decision);
      const { answer } = (await postDecision(this.id, call, decision)).call;
      const input = "input" in decision ? { input: JSON.stringify(decision.input) } : {};
      const reason = "reason" in decision ? { reason: decision.reason } : {};
      if (answer !== null && !this.#isAnswered(call)) {
        const answered = { turn, call, answer, by: "user:", ...input, ...reason };
        this.transcript = answerCall(this.transcript, answered);
      }
      this.listen();
    } catch (error) {
      if (isConflict(error)) await this.#readCalls();
      else if (isGone(error)) this.lose(error);
      throw error;
    } finally {
      this.#onChange();
    }
  }

  /** The same for a call of a subagent. @param {string} call @param {import('./api.js').Decision} decision */
  async #decideFor(call, decision) {
    await postDecision(this.id, call, decision);
    this.transcript = settled(this.transcript, call);
    this.listen();
  }

  /** Whether its answer was heard of already. @param {string} call */
  #isAnswered(call) {
    return !questionsOf(this.transcript).some((question) => question.call === call);
  }

  async #readCalls() {
    const page = await this.#read(undefined);
    if (page) this.transcript = withCalls(this.transcript, page);
    this.listen();
  }

  /** The page went out of sight: events that nobody waits for, or that only come with an answer, need no connection. */
  rest() {
    if (!this.isBusy || waitingTurn(this.transcript)) this.#tail?.close();
  }

  /** The page came back; a connection that slept may be dead without knowing. */
  wake() {
    this.#tail?.connect();
  }

  /** The conversation was deleted, as a refusal says. @param {Error} refusal */
  lose(refusal) {
    this.problem = refusal;
    this.#tail?.close();
    this.#sessions.remove(this.id);
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
      const page = await fetchHistory(
        this.id,
        before === undefined ? { signal } : { before, signal },
      );
      this.isMissing = page === null;
      return page;
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
      return null;
    } finally {
      this.isLoading = false;
      if (!signal.aborted) this.#onChange();
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    if (isGone(error)) this.lose(error);
    else this.problem = error instanceof Error ? error : new Error(String(error));
  }

  /** @param {string} after */
  #listen(after) {
    if (this.#abort.signal.aborted) return;
    this.#tail = new Tail(this.id, after || START, {
      onEvent: (event) => this.#take(event),
      onState: (state, error) => {
        if (error) this.#fail(error);
        this.connection = state;
        if (state === "lost" && document.hidden) this.rest();
        this.#onChange();
      },
    });
  }

  /** @param {import('../src/shared/events.ts').IdentifiedEvent} identified */
  #take(identified) {
    this.transcript = reduce(this.transcript, identified);
    const { type } = identified.event;
    if (type === "turn-end") this.endings++;
    if (type === "turn-end" || type === "turn-waiting" || type === "cleared") this.#onNews();
    this.#onChange();
  }

  #title() {
    const content = this.transcript.turns[0]?.content ?? [];
    return titleOf(content.map((part) => (part.type === "text" ? part.text : "")).join(" "));
  }
}
