const KEY = "carrel.sessions";
const LIMIT = 200;
const TITLE_LENGTH = 60;

/**
 * A conversation this browser knows.
 * @typedef {{ id: string, title: string, at: number }} Session
 */

/** The conversations that this browser began or opened, newest first. Other tabs share it. */
export class Sessions {
  /** What there is when the browser keeps nothing. @type {Session[]} */
  #fallback = [];

  /** @returns {Session[]} */
  list() {
    try {
      const stored = JSON.parse(localStorage.getItem(KEY) ?? "[]");
      return Array.isArray(stored) ? stored.filter(isSession) : [];
    } catch {
      return this.#fallback;
    }
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

  /** Takes it off the list; the conversation itself is kept by the server. @param {string} id */
  remove(id) {
    this.#save(this.list().filter((session) => session.id !== id));
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
