import { element, setText } from "../dom.js";
import { authorOf, formatSize, formatTime } from "./format.js";
import { readText } from "./text.js";

/** @typedef {import('../../src/shared/workspace-files.ts').FileVersion} FileVersion */

/** The versions of the open file: who wrote each and when, what it held, and a way back to it. */
export class HistoryView {
  #status = element("p", { class: "files-empty", role: "status" });
  #list = element("ol", { class: "versions" });
  node = element(
    "section",
    { class: "history", "aria-label": "History" },
    this.#status,
    this.#list,
  );
  #restore;
  /** The file whose versions are shown. @type {import('./open.js').OpenFile | null} */
  #file = null;

  /** @param {(version: FileVersion) => void} restore */
  constructor(restore) {
    this.#restore = restore;
  }

  /** @param {import('./open.js').OpenFile} file */
  async show(file) {
    this.#file = file;
    if (this.#list.childElementCount === 0) setText(this.#status, "Reading the history…");
    try {
      const versions = await file.api.history(file.path);
      if (this.#file !== file) return;
      setText(this.#status, versions.length > 1 ? "" : "No earlier version is kept.");
      this.#list.replaceChildren(
        ...versions.map((version, index) => this.#item(file, version, index === 0)),
      );
    } catch (error) {
      if (this.#file !== file) return;
      this.#list.replaceChildren();
      setText(this.#status, error instanceof Error ? error.message : String(error));
    }
  }

  /** Forgets the file that was shown. */
  clear() {
    this.#file = null;
    this.#list.replaceChildren();
    setText(this.#status, "");
  }

  /**
   * @param {import('./open.js').OpenFile} file
   * @param {FileVersion} version
   * @param {boolean} isNewest
   */
  #item(file, version, isNewest) {
    const { type, size, at, by } = version;
    const when = formatTime(at);
    const content = element("div", { class: "version-text" });
    const isNow = isNewest && file.file.layer === "own" && !file.file.isHidden;
    const isGone = type === "deleted" || type === "reset";
    const what = isGone ? type : formatSize(size);
    return element(
      "li",
      {},
      element(
        "div",
        { class: "version" },
        element("p", {}, element("span", {}, when), element("span", { dir: "auto" }, authorOf(by))),
        element("span", { class: "badge" }, isNow ? "now" : what),
        type === "text" ? viewButton(when, content, () => readVersion(file, version)) : null,
        isGone || isNow ? null : this.#restoreButton(version, when),
      ),
      content,
    );
  }

  /** @param {FileVersion} version @param {string} when */
  #restoreButton(version, when) {
    const restore = () => this.#restore(version);
    const attributes = { type: "button", class: "quiet", onclick: restore };
    return element(
      "button",
      { ...attributes, "aria-label": `Restore the version of ${when}` },
      "Restore",
    );
  }
}

/**
 * @param {import('./open.js').OpenFile} file
 * @param {FileVersion} version
 */
async function readVersion({ api, path }, { version }) {
  const { bytes } = await api.read(path, { version });
  return readText(bytes)?.text ?? "This version is not text.";
}

/**
 * @param {string} when
 * @param {HTMLElement} content Where the text goes.
 * @param {() => Promise<string>} read
 */
function viewButton(when, content, read) {
  const button = element(
    "button",
    {
      type: "button",
      class: "quiet",
      "aria-expanded": "false",
      "aria-label": `View the version of ${when}`,
      onclick: () => void toggle(),
    },
    "View",
  );
  async function toggle() {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    if (isOpen) return content.replaceChildren();
    const text = await read().catch((error) => String(error.message));
    if (button.getAttribute("aria-expanded") === "false") return;
    const label = `Version of ${when}`;
    content.replaceChildren(
      element("pre", { tabindex: 0, dir: "auto", "aria-label": label }, text),
    );
  }
  return button;
}
