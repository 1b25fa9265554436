import {
  ApiError,
  deleteSession,
  fetchSessions,
  isGone,
  isMissing,
  patchTitle,
  postClear,
} from "./api.js";
import { confirm } from "./ask.js";

/** How often the list is read anew while somebody looks, and how long news take to be in it; in milliseconds. */
const [PERIOD, DELAY] = [60_000, 1_500];

/** Keeps the list of conversations as the server has it, and changes it there. */
export class SessionList {
  /** Whether the server has no such agent. */
  isAgentMissing = false;
  #sessions;
  #change;
  #fail;
  #refuse;
  #isReading = false;
  #isOld = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {import('./sessions.js').Sessions} sessions
   * @param {{ change: () => void, fail: (error: Error) => void, refuse: (error: Error) => void }} on
   *   `refuse`: the server wants an API key.
   */
  constructor(sessions, { change, fail, refuse }) {
    this.#sessions = sessions;
    this.#change = change;
    this.#fail = fail;
    this.#refuse = refuse;
    setInterval(() => {
      if (!document.hidden) void this.refresh();
    }, PERIOD);
  }

  /** Something happened of which the list will tell soon. */
  expectNews() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), DELAY);
  }

  /** Reads the newest page. What cannot be read stays as it was: the conversations work without it. */
  async refresh() {
    this.#isOld = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isOld) {
        this.#isOld = false;
        this.#sessions.take(await fetchSessions(null), true);
        this.isAgentMissing = false;
      }
    } catch (error) {
      this.isAgentMissing = isMissing(error);
      if (error instanceof ApiError && error.status === 401) this.#refuse(error);
    }
    this.#isReading = false;
    this.#change();
  }

  /** Reads the next page. */
  async more() {
    const { cursor } = this.#sessions;
    if (cursor === null) return;
    await this.#attempt("", async () => this.#sessions.take(await fetchSessions(cursor), false));
  }

  /** @param {string} id @param {string} title @returns {Promise<boolean>} Whether it is called so now. */
  rename(id, title) {
    return this.#attempt(id, async () => {
      await patchTitle(id, title);
      this.#sessions.put(id, { title });
    });
  }

  /** Begins a conversation anew, if the person means it. @param {string} id */
  async clear(id) {
    const text =
      "Everything that was said in it goes, for you and for your agent. Files and rules stay.";
    if (!(await confirm(`Clear “${this.#titleOf(id)}”?`, text, "Clear"))) return false;
    return this.#attempt(id, () => postClear(id));
  }

  /** Deletes a conversation for good, if the person means it. @param {string} id */
  async remove(id) {
    const text = "The conversation and what belongs to it alone are deleted on all devices.";
    if (!(await confirm(`Delete “${this.#titleOf(id)}”?`, text, "Delete"))) return false;
    return this.#attempt(id, async () => {
      await deleteSession(id);
      this.#sessions.remove(id);
    });
  }

  /** @param {string} id */
  #titleOf(id) {
    return this.#sessions.find(id)?.title || "Untitled";
  }

  /** @param {string} id Of the conversation it is about. @param {() => Promise<void>} action */
  async #attempt(id, action) {
    try {
      await action();
      return true;
    } catch (error) {
      if (isGone(error)) this.#sessions.remove(id);
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      return false;
    } finally {
      this.#change();
    }
  }
}
