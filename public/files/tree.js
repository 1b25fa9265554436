import { byId, element, icon } from "../dom.js";
import { LAYERS, formatSize } from "./format.js";
import { folderOf, foldersAbove } from "./path.js";
import { treeRows } from "./rows.js";

/** More lines would make the page slow; the filter finds the others. */
const MAX_ROWS = 2_000;

/** The files as a tree. One line is in the tab order; arrow keys, Home, End and letters move between lines. */
export class FileTree {
  #tree = byId("files-tree");
  #more = byId("files-more");
  #filter = /** @type {HTMLInputElement} */ (byId("files-filter"));
  #actions;
  #open;
  /** @type {readonly import('./rows.js').ListedFile[]} */
  #files = [];
  /** @type {import('./rows.js').Row[]} */
  #rows = [];
  /** @type {string | null} */
  #selected = null;
  /** The line that the tab key reaches. */
  #current = "";

  /**
   * @param {{ open: (path: string) => void, fold: () => void,
   *   drop: (folder: string, data: DataTransfer) => void }} actions
   * @param {readonly string[]} folders Those that are open.
   */
  constructor(actions, folders) {
    this.#actions = actions;
    this.#open = new Set(folders);
    this.#filter.addEventListener("input", () => this.#render());
    this.#filter.addEventListener("keydown", (event) => this.#onFilterKey(event));
    this.#tree.addEventListener("keydown", (event) => this.#onKey(event));
    this.#tree.addEventListener("click", (event) => {
      const row = this.#rowAt(event.target);
      if (row) this.#use(row);
    });
    this.#tree.addEventListener("focusin", (event) => {
      const row = this.#rowAt(event.target);
      if (row) this.#setCurrent(row.path);
    });
    this.#listenForDrops();
  }

  /** The folder of the line where the person is; new files go there. */
  get folder() {
    const row = this.#rows.find(({ path }) => path === this.#current);
    return row && row.file === null ? row.path : folderOf(row?.path ?? "");
  }

  /** Those that are open. */
  get folders() {
    return [...this.#open];
  }

  /**
   * @param {readonly import('./rows.js').ListedFile[]} files
   * @param {string | null} selected
   */
  show(files, selected) {
    if (files === this.#files && selected === this.#selected) return;
    if (selected !== null && selected !== this.#selected) {
      for (const folder of foldersAbove(selected)) this.#open.add(folder);
      this.#current = selected;
    }
    this.#files = files;
    this.#selected = selected;
    this.#render();
  }

  focus() {
    const node = this.#tree.querySelector('[tabindex="0"]');
    if (node instanceof HTMLElement) node.focus();
    else this.#filter.focus();
  }

  #render() {
    const hadFocus = this.#tree.contains(document.activeElement);
    const rows = treeRows(this.#files, { open: this.#open, filter: this.#filter.value });
    this.#rows = rows.slice(0, MAX_ROWS);
    if (!this.#rows.some(({ path }) => path === this.#current))
      this.#current =
        this.#rows.find(({ path }) => path === this.#selected)?.path ?? this.#rows[0]?.path ?? "";
    this.#tree.replaceChildren(...this.#rows.map((row) => this.#rowNode(row)));
    this.#tree.hidden = rows.length === 0;
    const isNone = rows.length === 0 && this.#files.length > 0;
    const left = rows.length - this.#rows.length;
    this.#more.textContent = isNone
      ? `No file matches “${this.#filter.value}”.`
      : left > 0
        ? `${left} more: use the filter to find them.`
        : "";
    if (hadFocus) this.focus();
  }

  /** @param {import('./rows.js').Row} row */
  #rowNode({ path, name, level, position, siblings, isOpen, file }) {
    const badge = file?.isHidden ? "deleted" : file ? LAYERS[file.layer] : null;
    const node = element(
      "li",
      {
        role: "treeitem",
        "aria-level": level,
        "aria-posinset": position,
        "aria-setsize": siblings,
        "aria-expanded": isOpen === null ? null : String(isOpen),
        "aria-selected": String(path === this.#selected),
        tabindex: path === this.#current ? 0 : -1,
        title: path,
        "data-layer": file?.isHidden ? "hidden" : (file?.layer ?? null),
      },
      icon(file ? "page" : "fold"),
      element("span", { class: "file-name", dir: "auto" }, name),
      badge === null ? null : element("span", { class: "badge" }, badge),
      file && !file.isHidden
        ? element("span", { class: "file-size" }, formatSize(file.size))
        : null,
    );
    node.style.setProperty("--level", String(level));
    return node;
  }

  /** @param {EventTarget | null} target */
  #rowAt(target) {
    const node = target instanceof Element ? target.closest('[role="treeitem"]') : null;
    return node ? (this.#rows[[...this.#tree.children].indexOf(node)] ?? null) : null;
  }

  /** @param {string} path */
  #setCurrent(path) {
    this.#current = path;
    for (const [index, node] of [...this.#tree.children].entries())
      node.setAttribute("tabindex", this.#rows[index]?.path === path ? "0" : "-1");
  }

  /** @param {import('./rows.js').Row} row */
  #use(row) {
    if (row.file) this.#actions.open(row.path);
    else this.#fold(row.path, !row.isOpen);
  }

  /** @param {string} path @param {boolean} isOpen */
  #fold(path, isOpen) {
    if (isOpen) this.#open.add(path);
    else this.#open.delete(path);
    this.#current = path;
    this.#actions.fold();
    this.#render();
  }

  /** @param {KeyboardEvent} event */
  #onFilterKey(event) {
    if (event.key === "Escape" && this.#filter.value !== "") {
      this.#filter.value = "";
      this.#render();
    } else if (event.key === "ArrowDown" && this.#rows.length > 0) {
      this.focus();
    } else return;
    event.preventDefault();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const at = this.#rows.findIndex(({ path }) => path === this.#current);
    const row = this.#rows[at];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    if (key === "Enter" || key === " ") this.#use(row);
    else if (key === "ArrowRight" && row.isOpen === false) this.#fold(row.path, true);
    else if (key === "ArrowLeft" && row.isOpen) this.#fold(row.path, false);
    else {
      const next = this.#target(key, at, row);
      if (next === null) return;
      this.#goTo(next);
    }
    event.preventDefault();
  }

  /**
   * The line that a key leads to, or `null` when the key means nothing here.
   * @param {string} key
   * @param {number} at
   * @param {import('./rows.js').Row} row
   */
  #target(key, at, row) {
    const last = this.#rows.length - 1;
    if (key === "ArrowDown") return Math.min(at + 1, last);
    if (key === "ArrowUp") return Math.max(at - 1, 0);
    if (key === "Home") return 0;
    if (key === "End") return last;
    if (key === "ArrowRight") return row.isOpen ? Math.min(at + 1, last) : at;
    if (key === "ArrowLeft") {
      const parent = this.#rows.findIndex(({ path }) => path === folderOf(row.path));
      return parent < 0 ? at : parent;
    }
    if (key.length !== 1) return null;
    const after = [...this.#rows.keys()].map((index) => (at + 1 + index) % this.#rows.length);
    const found = after.find((index) =>
      this.#rows[index]?.name.toLowerCase().startsWith(key.toLowerCase()),
    );
    return found ?? null;
  }

  /** @param {number} index */
  #goTo(index) {
    const node = this.#tree.children[index];
    if (node instanceof HTMLElement) node.focus();
  }

  #listenForDrops() {
    const list = byId("files-list");
    // A file that is dropped beside the list would take the place of the page.
    for (const type of ["dragover", "drop"]) {
      byId("files").addEventListener(type, (event) => {
        if (event instanceof DragEvent && event.dataTransfer?.types.includes("Files"))
          event.preventDefault();
      });
    }
    const mark = (/** @type {string | null} */ folder) => {
      list.classList.toggle("receiving", folder === "");
      for (const [index, node] of [...this.#tree.children].entries())
        node.classList.toggle("receiving", folder !== "" && this.#rows[index]?.path === folder);
    };
    const folderAt = (/** @type {EventTarget | null} */ target) => {
      const row = this.#rowAt(target);
      return row ? (row.file ? folderOf(row.path) : row.path) : "";
    };
    list.addEventListener("dragover", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      mark(folderAt(event.target));
    });
    list.addEventListener("dragleave", (event) => {
      if (!(event.relatedTarget instanceof Node && list.contains(event.relatedTarget))) mark(null);
    });
    list.addEventListener("drop", (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      mark(null);
      this.#actions.drop(folderAt(event.target), event.dataTransfer);
    });
  }
}
