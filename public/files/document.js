import { byId, element, icon, setText } from "../dom.js";
import { bodyNode } from "./body.js";
import { Editor } from "./editor.js";
import { LAYERS, authorOf, formatSize, formatTime, isMarkdown } from "./format.js";
import { HistoryView } from "./history.js";
import { folderOf, nameOf, skillOf } from "./path.js";
import { MarkdownView } from "../render.js";

/**
 * @typedef {import('./open.js').OpenFile} OpenFile
 * @typedef {import('./open.js').Body} Body
 * @typedef {{ type: (text: string) => void, changes: import('./change.js').FileChanges }} Actions
 */

/** The open file: what it is, what it holds, and what can be done with it. It shows an `OpenFile`. */
export class DocumentView {
  #node = byId("document");
  #title = element("h3", { id: "document-title", tabindex: -1, dir: "auto" });
  #state = element("span", { class: "document-state", role: "status" });
  #badge = element("span", { class: "badge" });
  #facts = element("span", { dir: "auto" });
  #head = element("header", { class: "document-head" });
  #hint = element("p", { class: "document-hint" });
  #why = element("p", { dir: "auto" });
  #theirs = button(null, "", "plain");
  #overwrite = button(null, "", "plain risky");
  #conflict = element(
    "div",
    { class: "conflict", role: "alert", hidden: true },
    this.#why,
    element("div", { class: "choices" }, this.#theirs, this.#overwrite),
  );
  #body = element("div", { class: "document-body" });
  #save = button(null, "Save", "solid");
  #preview = button("preview", "Preview");
  #history = button("history", "History");
  #download = button("download", "Download");
  #reset = button("reset", "Reset");
  #remove = button("bin", "Delete");
  #prose = new MarkdownView();
  #previewNode = element(
    "div",
    { class: "preview", tabindex: 0, role: "region", "aria-label": "Preview" },
    this.#prose.node,
  );
  #editor;
  #versions;
  #changes;
  /** @type {OpenFile | null} */
  #file = null;
  /** @type {'content' | 'preview' | 'history'} */
  #mode = "content";
  /** What the body shows. @type {Body | null} */
  #shown = null;
  #etag = "";
  #isFresh = true;

  /** @param {Actions} actions */
  constructor({ type, changes }) {
    this.#changes = changes;
    this.#editor = new Editor(type);
    this.#versions = new HistoryView((version) => void changes.restore(version));
    this.#head.append(
      element("div", { class: "document-name" }, this.#title, this.#state, this.#save),
      element("p", { class: "document-facts" }, this.#badge, this.#facts),
      element(
        "div",
        { class: "document-actions" },
        this.#preview,
        this.#history,
        this.#download,
        this.#reset,
        this.#remove,
      ),
    );
    this.#node.append(this.#head, this.#hint, this.#conflict, this.#body);
    this.#save.addEventListener("click", () => void changes.save());
    this.#download.addEventListener("click", () => void changes.run("download"));
    this.#reset.addEventListener("click", () => void changes.run("reset"));
    this.#remove.addEventListener("click", () => void changes.run("remove"));
    this.#preview.addEventListener("click", () => this.#toggle("preview"));
    this.#history.addEventListener("click", () => this.#toggle("history"));
    this.#overwrite.addEventListener("click", () => void changes.overwrite());
    this.#theirs.addEventListener("click", () => void changes.loadTheirs());
  }

  focus() {
    this.#title.focus();
  }

  /**
   * @param {OpenFile | null} file
   * @param {string | null} lower The layer with a file under this one, if any.
   */
  render(file, lower) {
    this.#node.hidden = file === null;
    if (file !== this.#file) this.#begin(file);
    if (!file) return;
    const { body, conflict } = file;
    const isText = body.kind === "text";
    const isHidden = body.kind === "hidden";
    this.#renderHead(file);
    setText(this.#hint, hintOf(file));
    this.#conflict.hidden = conflict === null;
    if (conflict) {
      setText(this.#why, conflictText(conflict.theirs));
      setText(this.#theirs, conflict.theirs ? "Load theirs" : "Close without saving");
      setText(this.#overwrite, conflict.theirs ? "Overwrite" : "Save it again");
    }
    this.#save.hidden = !isText;
    this.#save.disabled = !file.isDirty || file.isSaving || conflict !== null;
    this.#preview.hidden = !isText || !isMarkdown(file.path);
    this.#download.hidden = isHidden;
    this.#reset.hidden = isHidden || lower === null || file.file.layer !== "own";
    this.#remove.hidden = isHidden;
    this.#renderBody(file);
  }

  /** Another file, or none. @param {OpenFile | null} file */
  #begin(file) {
    this.#file = file;
    this.#mode = "content";
    this.#shown = null;
    this.#isFresh = true;
    this.#versions.clear();
  }

  /** @param {OpenFile} open */
  #renderHead({ file, path, isDirty, isSaving, wasSaved, body }) {
    const folder = folderOf(path);
    const name = `${folder}/${nameOf(path)}`;
    if (this.#title.dataset.path !== name) {
      this.#title.dataset.path = name;
      this.#title.replaceChildren(
        ...(folder === "" ? [] : [element("span", { class: "folder" }, `${folder}/`)]),
        nameOf(path),
      );
    }
    const isHidden = body.kind === "hidden";
    this.#head.dataset.layer = isHidden ? "hidden" : file.layer;
    setText(this.#badge, isHidden ? "deleted" : LAYERS[file.layer]);
    const written = file.at === null ? "" : ` · ${authorOf(file.by)}, ${formatTime(file.at)}`;
    setText(this.#facts, isHidden ? "" : formatSize(file.size) + written);
    const state = isSaving ? "Saving…" : isDirty ? "Not saved" : wasSaved ? "Saved" : "";
    setText(this.#state, state);
    this.#state.dataset.state = isDirty && !isSaving ? "unsaved" : "";
  }

  /** @param {OpenFile} file */
  #renderBody(file) {
    const { body } = file;
    const isNew = body !== this.#shown;
    for (const [mode, toggle] of /** @type {const} */ ([
      ["preview", this.#preview],
      ["history", this.#history],
    ]))
      toggle.setAttribute("aria-pressed", String(this.#mode === mode));
    const hasNewEtag = this.#etag !== file.file.etag;
    this.#etag = file.file.etag;
    if (this.#mode === "history") {
      const isThere = this.#body.firstChild === this.#versions.node;
      this.#put(this.#versions.node, true);
      if (!isThere || hasNewEtag) void this.#versions.show(file);
      this.#shown = null;
      return;
    }
    if (body.kind === "text" && this.#mode === "preview") {
      this.#prose.update(file.text);
      this.#put(this.#previewNode, isNew);
    } else if (body.kind === "text") {
      this.#put(this.#editor.node, isNew);
      this.#editor.show(file.text, file.path);
      if (this.#isFresh) this.#editor.rewind();
      this.#isFresh = false;
    } else if (isNew) {
      this.#put(bodyNode(file, this.#changes), true);
    }
    this.#shown = body;
  }

  /** @param {HTMLElement} node @param {boolean} isNew */
  #put(node, isNew) {
    if (isNew && this.#body.firstChild !== node) this.#body.replaceChildren(node);
  }

  /** @param {'preview' | 'history'} mode */
  #toggle(mode) {
    this.#mode = this.#mode === mode ? "content" : mode;
    this.#shown = null;
    const file = this.#file;
    if (file) this.#renderBody(file);
  }
}

/**
 * @param {Parameters<typeof icon>[0] | null} name
 * @param {string} label
 */
function button(name, label, kind = "quiet") {
  return /** @type {HTMLButtonElement} */ (
    element("button", { type: "button", class: kind }, name === null ? null : icon(name), label)
  );
}

/** @param {OpenFile} open */
function hintOf({ file, path, body }) {
  if (body.kind !== "text") return "";
  const what = skillOf(path) === null ? "your own copy" : "the whole skill your own copy";
  const own =
    file.layer === "own" ? [] : [`From the ${layerName(file.layer)}. Saving makes ${what}.`];
  const ends =
    body.ending === "mixed"
      ? ["Its lines end in different ways; saving makes them all alike."]
      : [];
  return [...own, ...ends].join(" ");
}

/** @param {import('./format.js').LayerName} layer */
const layerName = (layer) => (layer === "shared" ? "shared files" : "template");

/** @param {import('./rows.js').ListedFile | null} theirs */
function conflictText(theirs) {
  if (!theirs) return "This file was deleted while you were writing.";
  const who = authorOf(theirs.by);
  const name = `${who.charAt(0).toUpperCase()}${who.slice(1)}`;
  const when = theirs.at === null ? "" : ` (${formatTime(theirs.at)})`;
  return `${name} changed this file while you were writing${when}. Your text is kept here until you choose.`;
}
