import { element } from "../dom.js";
import { indent } from "./text.js";

/** A plain text editor. Tab indents; Escape gives the next Tab back to the page, so that the keyboard can leave. */
export class Editor {
  #area = /** @type {HTMLTextAreaElement} */ (
    element("textarea", {
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      dir: "auto",
      "aria-describedby": "editor-keys",
    })
  );
  #leaves = false;
  node = element(
    "div",
    { class: "editor" },
    this.#area,
    element(
      "p",
      { class: "editor-keys", id: "editor-keys" },
      "Tab indents. Escape, then Tab, moves on.",
    ),
  );

  /** @param {(text: string) => void} onInput */
  constructor(onInput) {
    this.#area.addEventListener("input", () => onInput(this.#area.value));
    this.#area.addEventListener("keydown", (event) => this.#onKey(event));
    this.#area.addEventListener("focus", () => (this.#leaves = false));
  }

  /** @param {string} text @param {string} path */
  show(text, path) {
    this.#area.setAttribute("aria-label", `Text of ${path}`);
    if (this.#area.value === text) return;
    const { scrollTop } = this.#area;
    this.#area.value = text;
    this.#area.scrollTop = scrollTop;
  }

  focus() {
    this.#area.focus();
  }

  /** To the beginning: another file is shown. */
  rewind() {
    this.#area.setSelectionRange(0, 0);
    this.#area.scrollTop = 0;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key === "Escape") this.#leaves = true;
    else if (event.key === "Tab" && !event.ctrlKey && !event.metaKey && !event.altKey) {
      if (this.#leaves) return;
      event.preventDefault();
      this.#indent(event.shiftKey);
    } else if (event.key !== "Shift") this.#leaves = false;
  }

  /** @param {boolean} isOut */
  #indent(isOut) {
    const area = this.#area;
    const change = indent(area.value, {
      start: area.selectionStart,
      end: area.selectionEnd,
      isOut,
    });
    const { from, to, insert, start, end } = change;
    if (area.value.slice(from, to) === insert) return;
    area.setSelectionRange(from, to);
    // The only way to change a text that its own undo knows of; elsewhere the text changes all the same.
    if (insert === "" || !document.execCommand("insertText", false, insert)) {
      area.setRangeText(insert, from, to);
      area.dispatchEvent(new Event("input"));
    }
    area.setSelectionRange(start, end);
  }
}
