import { hrefOf } from "./address.js";
import { element, icon, setText } from "./dom.js";
import { openMenu } from "./menu.js";

/**
 * @typedef {import('./sessions.js').Session} Session
 *
 * What a person does with a conversation of the list. `rename` gives whether the new title holds.
 * @typedef {{
 *   open: () => void, rename: (id: string, title: string) => Promise<boolean>, clear: (id: string) => void,
 *   remove: (id: string) => void,
 * }} RowActions
 */

const MAX_TITLE = 200;

/** One conversation of the list. */
export class RailRow {
  #link = element("a", { draggable: "false" });
  #title = element("span", { class: "session-title" });
  #waits = element("span", { class: "waits", hidden: true });
  #more = element(
    "button",
    { type: "button", class: "bare", "aria-haspopup": "menu", "aria-expanded": "false" },
    icon("more"),
  );
  node = element("li", {}, this.#link, this.#more);
  #actions;
  /** @type {Session} */
  #session = { id: "", title: "", at: 0 };
  #isBusy = false;
  /** @type {HTMLInputElement | null} */
  #input = null;

  /** @param {RowActions} actions */
  constructor(actions) {
    this.#actions = actions;
    this.#link.append(this.#title, this.#waits);
    this.#link.addEventListener("click", () => actions.open());
    this.#more.addEventListener("click", () => this.#openMenu());
  }

  get isRenaming() {
    return this.#input !== null;
  }

  get #name() {
    return this.#session.title || "Untitled";
  }

  /**
   * @param {Session} session
   * @param {{ isCurrent: boolean, isWaiting: boolean, isBusy: boolean }} now `isBusy`: a turn is known to go on.
   */
  update(session, { isCurrent, isWaiting, isBusy }) {
    this.#session = session;
    this.#isBusy = isBusy;
    setText(this.#title, this.#name);
    this.#link.title = this.#name;
    this.#link.setAttribute("href", hrefOf(session.id));
    if (isCurrent) this.#link.setAttribute("aria-current", "page");
    else this.#link.removeAttribute("aria-current");
    this.#waits.hidden = !isWaiting;
    setText(this.#waits, isWaiting ? "Waits for you" : "");
    this.#more.setAttribute("aria-label", `More for “${this.#name}”`);
  }

  #openMenu() {
    const { id } = this.#session;
    const busy = this.#isBusy ? { why: "A turn goes on" } : {};
    openMenu(this.#more, `“${this.#name}”`, [
      { label: "Rename", run: () => this.#rename() },
      { label: "Clear the conversation", run: () => this.#actions.clear(id), ...busy },
      { label: "Delete", run: () => this.#actions.remove(id), isRisky: true },
    ]);
  }

  /** The title becomes a text field: Enter and leaving it keep what was typed, Escape does not. */
  #rename() {
    const input = /** @type {HTMLInputElement} */ (
      element("input", { "aria-label": "Title", maxlength: MAX_TITLE, autocomplete: "off" })
    );
    const before = this.#name;
    input.value = before;
    this.#input = input;
    this.#link.hidden = true;
    this.node.prepend(input);
    input.focus();
    input.select();
    /** @param {boolean} isKept @param {boolean} isDone Whether the focus goes back to the row. */
    const end = (isKept, isDone) => {
      if (this.#input !== input) return;
      this.#input = null;
      const title = input.value.trim();
      this.#link.hidden = false;
      input.remove();
      if (isDone) this.#more.focus();
      if (isKept && title !== "" && title !== before) void this.#keep(title, before);
    };
    input.addEventListener("keydown", (event) => {
      if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
      event.preventDefault();
      event.stopPropagation();
      end(event.key === "Enter", true);
    });
    input.addEventListener("blur", () => end(true, false));
  }

  /** @param {string} title @param {string} before */
  async #keep(title, before) {
    setText(this.#title, title);
    if (!(await this.#actions.rename(this.#session.id, title))) setText(this.#title, before);
  }
}
