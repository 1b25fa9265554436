import { ApiError } from "./api.js";
import { element } from "./dom.js";

/** One line of a panel for what went wrong or was done, with what can be done about it. */
export class PanelNotice {
  #node;

  /** @param {HTMLElement} node Empty; shown while there is something to say. */
  constructor(node) {
    this.#node = node;
  }

  /**
   * @param {string} text
   * @param {{ label: string, run: () => void }[]} [actions] The notice goes when one is taken.
   */
  say(text, actions = []) {
    this.#show(text, actions, false);
  }

  /** Of what was refused. @param {string} text @param {{ label: string, run: () => void }[]} [actions] */
  warn(text, actions = []) {
    this.#show(text, actions, true);
  }

  /** In the server's words. @param {unknown} error @param {{ label: string, run: () => void }[]} [actions] */
  fail(error, actions = []) {
    const message = error instanceof Error ? error.message : String(error);
    const id = error instanceof ApiError && error.id !== null ? ` (${error.id})` : "";
    this.warn(message + id, actions);
  }

  clear() {
    this.#node.hidden = true;
  }

  /**
   * @param {string} text
   * @param {{ label: string, run: () => void }[]} actions
   * @param {boolean} isBad
   */
  #show(text, actions, isBad) {
    const buttons = [...actions, { label: "Dismiss", run: () => {} }].map(({ label, run }) => {
      const take = () => {
        this.clear();
        run();
      };
      return element("button", { type: "button", class: "quiet", onclick: take }, label);
    });
    this.#node.classList.toggle("good", !isBad);
    this.#node.replaceChildren(element("p", { dir: "auto" }, text), element("div", {}, ...buttons));
    this.#node.hidden = false;
  }
}
