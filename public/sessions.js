import { kept } from "./address.js";

const KEY = kept("carrel.sessions");
const LIMIT = 200;
const TITLE_LENGTH = 60;

/**
 * A conversation that can be opened. `isWaiting`: it waits for a person; `isNew`: begun here, and the server has not
 * listed it yet.
 * @typedef {{ id: string, title: string, at: number, isWaiting?: boolean, isNew?: boolean }} Session
 * @typedef {import('../src/shared/registry-api.ts').SessionSummary} Summary
 */

/**
 * The person's conversations with the agent, newest first. The server has the list; this browser keeps what it saw of
 * it, for the time until the server answers and for conversations that it does not list yet. Other tabs share that.
 */
export class Sessions {
  /** Where the next page begins; `null` when all were read. @type {string | null} */
  cursor = null;
  #isRead = false;
  /** What there is when the browser keeps nothing. @type {Session[]} */
  #fallback = [];
  /** Deleted by this page. @type {Set<string>} */
  #removed = new Set();

  /** @returns {Session[]} */
  list() {
    try {
      const stored = JSON.parse(localStorage.getItem(KEY) ?? "[]");
      return Array.isArray(stored) ? stored.filter(isSession) : [];
    } catch {
      return this.#fallback;
    }
  }

  /** Whether the list has every conversation there is. */
  get isWhole() {
    return this.#isRead && this.cursor === null && this.list().length < LIMIT;
  }

  /** Those that wait for the person, without the one that is open. @param {string | null} open */
  waitingBeside(open) {
    return this.list().filter(({ id, isWaiting }) => isWaiting && id !== open);
  }

  /** @param {string} id */
  find(id) {
    return this.list().find((session) => session.id === id) ?? null;
  }

  /**
   * Adds or changes one.
   * @param {string} id
   * @param {Partial<Omit<Session, 'id'>>} change
   */
  put(id, change) {
    const before = this.find(id) ?? { id, title: "", at: Date.now() };
    this.#save([{ ...before, ...change }, ...this.list().filter((session) => session.id !== id)]);
  }

  /** Forgets one that is no more; a list that was asked for before brings it not back. @param {string} id */
  remove(id) {
    this.#removed.add(id);
    this.#save(this.list().filter((session) => session.id !== id));
  }

  /**
   * Takes in a page of the server's list. What is known here and has its place on the page, but is not there, was
   * deleted.
   * @param {{ sessions: readonly Summary[], cursor: string | null }} page
   * @param {boolean} isFirst
   */
  take({ sessions, cursor }, isFirst) {
    const listed = new Set(sessions.map(({ session }) => session));
    const to = isFirst ? Infinity : (sessions[0]?.updatedAt ?? -Infinity);
    const from = cursor === null ? -Infinity : (sessions.at(-1)?.updatedAt ?? to);
    const known = this.list();
    const others = known.filter(
      ({ id, at, isNew }) => !listed.has(id) && (isNew || at < from || at > to),
    );
    const before = new Map(known.map((session) => [session.id, session]));
    const here = sessions.flatMap((summary) =>
      this.#removed.has(summary.session) ? [] : [joined(summary, before.get(summary.session))],
    );
    this.#save([...here, ...others]);
    this.cursor = cursor;
    this.#isRead = true;
  }

  /** @param {Session[]} sessions */
  #save(sessions) {
    const sorted = sessions.toSorted((a, b) => b.at - a.at).slice(0, LIMIT);
    this.#fallback = sorted;
    try {
      localStorage.setItem(KEY, JSON.stringify(sorted));
    } catch {
      // Full or forbidden: the list lasts as long as the page.
    }
  }
}

/**
 * @param {Summary} summary
 * @param {Session | undefined} before
 * @returns {Session}
 */
const joined = ({ session, title, updatedAt, isWaiting }, before) => ({
  id: session,
  title: title || (before?.title ?? ""),
  at: Math.max(updatedAt, before?.at ?? 0),
  isWaiting,
});

/** @param {unknown} value @returns {value is Session} */
function isSession(value) {
  return (
    typeof value === "object" &&
    value !== null &&
    "id" in value &&
    typeof value.id === "string" &&
    "title" in value &&
    typeof value.title === "string"
  );
}

/** A title from the first message: its first line, cut between words. @param {string} message */
export function titleOf(message) {
  const line = message.trim().split("\n", 1)[0]?.trim() ?? "";
  if (line.length <= TITLE_LENGTH) return line || "Picture";
  const cut = line.slice(0, TITLE_LENGTH);
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space > TITLE_LENGTH / 2 ? space : TITLE_LENGTH)}…`;
}
