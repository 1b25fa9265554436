import { byId, icon } from "./dom.js";
import { RailRow } from "./rail-row.js";

/**
 * What the rail shows besides the list: the open conversation, how many decisions that waits for, and whether a turn
 * of it goes on.
 * @typedef {{ current: string | null, approvals: number, isBusy: boolean }} Now
 */

/** The list of conversations. On a narrow screen it is a drawer. */
export class Rail {
  #rail = byId("rail");
  #list = byId("sessions");
  #menu = byId("menu");
  #veil = byId("veil");
  #more = byId("more-sessions");
  #sessions;
  #actions;
  /** @type {Map<string, RailRow>} */
  #rows = new Map();

  /**
   * @param {import('./sessions.js').Sessions} sessions
   * @param {Omit<import('./rail-row.js').RowActions, 'open'> & { more: () => void, look: () => void }} actions
   *   `look`: the person looks at the list.
   */
  constructor(sessions, { more, look, ...actions }) {
    this.#sessions = sessions;
    this.#actions = { ...actions, open: () => this.close() };
    this.#menu.append(icon("menu"));
    byId("new").prepend(icon("plus"));
    byId("open-files").prepend(icon("folder"));
    byId("open-memory").prepend(icon("bookmark"));
    byId("open-skills").prepend(icon("skill"));
    this.#more.addEventListener("click", more);
    this.#menu.addEventListener("click", () => {
      this.#open(true);
      look();
    });
    this.#veil.addEventListener("click", () => this.close());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#rail.classList.contains("open")) this.close();
    });
  }

  close() {
    if (!this.#rail.classList.contains("open")) return;
    this.#open(false);
    this.#menu.focus();
  }

  /** @param {Now} now */
  render({ current, approvals, isBusy }) {
    const sessions = this.#sessions.list();
    const ids = new Set(sessions.map(({ id }) => id));
    const focused = document.activeElement;
    for (const [id, row] of this.#rows) {
      if (ids.has(id)) continue;
      row.node.remove();
      this.#rows.delete(id);
    }
    for (const session of sessions) {
      const { id, isWaiting = false } = session;
      const row = this.#rows.get(id) ?? new RailRow(this.#actions);
      this.#rows.set(id, row);
      const isCurrent = id === current;
      row.update(session, {
        isCurrent,
        isWaiting: isCurrent ? approvals > 0 : isWaiting,
        isBusy: isCurrent && isBusy,
      });
    }
    this.#order(sessions.map(({ id }) => id));
    // To move a row takes the focus from it.
    if (focused !== document.activeElement && focused instanceof HTMLElement && focused.isConnected)
      focused.focus();
    this.#more.hidden = this.#sessions.cursor === null;
  }

  /** A row that is being renamed stays where it is, and so do the others meanwhile. @param {string[]} ids */
  #order(ids) {
    const rows = ids.flatMap((id) => this.#rows.get(id) ?? []);
    if (rows.some(({ isRenaming, node }) => isRenaming && node.isConnected)) return;
    for (const [index, { node }] of rows.entries()) {
      const place = this.#list.children[index] ?? null;
      if (place !== node) this.#list.insertBefore(node, place);
    }
  }

  /** @param {boolean} isOpen */
  #open(isOpen) {
    this.#rail.classList.toggle("open", isOpen);
    this.#veil.hidden = !isOpen;
    this.#menu.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) byId("new").focus();
  }
}
