import { ApiError } from "../api.js";
import { byId, icon, setState, setText } from "../dom.js";
import { PanelNotice } from "../panel-notice.js";
import { FilesApi } from "./api.js";
import { FileChanges } from "./change.js";
import { DocumentView } from "./document.js";
import { keepPlace, keepText, keptPlace, keptText, unlisted } from "./kept.js";
import { FilesList } from "./list.js";
import { OpenFile } from "./open.js";
import { nameOf } from "./path.js";
import { askLeave } from "./questions.js";
import { placeShell } from "./shell.js";
import { FileTools } from "./tools.js";
import { FileTree } from "./tree.js";
import { Uploads } from "./upload.js";

/** The panel with the files of the workspace. Typed text leaves it only when the person says so. */
export class FilesPanel {
  #node = placeShell();
  #openers = [byId("open-files"), byId("top-files")];
  #list = new FilesList();
  #notice = new PanelNotice(byId("files-notice"));
  #place = keptPlace();
  #api = new FilesApi(null);
  /** The session of the conversation; undefined until the page has said which. @type {string | null | undefined} */
  #session;
  #endings = 0;
  /** @type {OpenFile | null} */
  #file = null;
  #refuse;
  #uploads = new Uploads({
    done: () => void this.#changed(),
    fail: (error) => this.#fail(error),
  });
  #tree = new FileTree(
    {
      open: (path) => void this.#choose(path),
      fold: () => this.#remember(),
      drop: (folder, data) => void this.#uploads.addDropped(this.#api, folder, data),
    },
    this.#place.folders,
  );
  #changes = new FileChanges({
    file: () => this.#file,
    list: this.#list,
    notice: this.#notice,
    changed: () => this.#changed(),
    show: (path) => this.#choose(path),
    close: () => this.#drop(),
    leave: () => this.#leave(),
    keep: () => this.#keep(),
    fail: (error) => this.#fail(error),
  });
  #view = new DocumentView({ type: (text) => this.#type(text), changes: this.#changes });

  /** @param {{ refuse: (error: Error) => void }} actions `refuse`: the server wants an API key. */
  constructor({ refuse }) {
    this.#refuse = refuse;
    new FileTools({
      api: () => this.#api,
      folder: () => this.#tree.folder,
      upload: (chosen) => this.#uploads.add(this.#api, chosen),
      made: (path) => void this.#changed().then(() => this.#choose(path)),
      imported: (text) => void this.#changed({ isWhole: true }).then(() => this.#notice.say(text)),
      fail: (error) => this.#fail(error),
    });
    byId("top-files").append(icon("folder"));
    for (const [id, name, run] of /** @type {const} */ ([
      ["files-back", "back", () => this.#showList()],
      ["files-refresh", "again", () => void this.refresh()],
      ["files-close", "remove", () => void this.close()],
    ])) {
      byId(id).append(icon(name));
      byId(id).addEventListener("click", run);
    }
    addEventListener("beforeunload", (event) => {
      if (this.#file?.isDirty || this.#uploads.isBusy) event.preventDefault();
    });
    document.addEventListener("keydown", (event) => this.#onKey(event));
  }

  get isOpen() {
    return !this.#node.hidden;
  }

  open() {
    void this.#open();
    byId("files-title").focus();
  }

  /**
   * Closes the panel, unless the person wants to go on writing.
   * @param {{ isReplaced?: boolean }} [how] `isReplaced`: another panel comes in its place and takes the focus.
   * @returns {Promise<boolean>} Whether it is closed.
   */
  async close({ isReplaced = false } = {}) {
    if (!(await this.#leave())) return false;
    this.#place = { ...this.#place, path: this.#file?.path ?? null };
    this.#put(null);
    this.#node.hidden = true;
    this.#remember();
    this.#render();
    if (!isReplaced) this.#openers.find((opener) => opener.checkVisibility())?.focus();
    return true;
  }

  /** Shows one file, in the panel that is open or opens for it. @param {string} path */
  async show(path) {
    if (!this.isOpen) {
      this.#place = { ...this.#place, path: null };
      await this.#open();
    } else if (!this.#list.find(path)) await this.#changed();
    await this.#choose(path);
    if (this.#file?.path === path) this.#view.focus();
    else if (this.#list.state.kind === "ready" && !this.#list.find(path))
      this.#notice.say(`“${path}” is not there any more.`);
  }

  /**
   * Which conversation is on the page, and how many turns of it have ended: each may have changed files.
   * @param {string | null} session
   * @param {number} endings
   */
  follow(session, endings) {
    const hasEnded = endings > (session === this.#session ? this.#endings : 0);
    const isFirst = this.#session === undefined;
    this.#endings = endings;
    this.#session = session;
    if (isFirst && this.#place.isOpen) void this.#open();
    else if (this.isOpen && this.#isElsewhere) void this.#move();
    if (hasEnded && this.isOpen) void this.#changed();
  }

  /** Reads all anew, for instance with a new API key. */
  async refresh() {
    if (!this.isOpen) return;
    this.#notice.clear();
    await this.#changed({ isWhole: true });
    if (this.#file?.body.kind === "failed") await this.#file.load();
  }

  async #open() {
    const unsaved = keptText();
    const { path } = this.#place;
    this.#node.hidden = false;
    this.#api = new FilesApi(unsaved ? unsaved.session : (this.#session ?? null));
    this.#render();
    await this.#changed({ isWhole: true });
    if (unsaved) await this.#resume(unsaved);
    else if (path !== null) await this.#read(path);
    this.#remember();
  }

  /** @param {import('./kept.js').UnsavedText} unsaved */
  async #resume(unsaved) {
    const { path } = unsaved;
    const listed = this.#list.find(path);
    const file = new OpenFile(this.#api, listed ?? unlisted(unsaved), () => this.#render());
    this.#put(file);
    if (listed) await file.load();
    file.resume(unsaved, listed);
  }

  /** Whether the files are those of another conversation than the one on the page. */
  get #isElsewhere() {
    return (this.#session ?? null) !== this.#api.session;
  }

  /** Turns to the files of the conversation on the page; not while there is text that belongs to the other's. */
  async #move(path = this.#file?.path ?? null) {
    if (this.#file?.isDirty) return;
    this.#put(null);
    this.#remember(path);
    this.#api = new FilesApi(this.#session ?? null);
    this.#list.clear();
    this.#render();
    await this.#changed({ isWhole: true });
    if (path !== null && !this.#file) await this.#read(path);
  }

  /** Reads the list after a change, and lets the open file see what became of it. */
  async #changed({ isWhole = false } = {}) {
    if (!(await this.#list.read(this.#api, { isWhole }))) return;
    const { state } = this.#list;
    const file = this.#file;
    if (state.kind === "failed") {
      this.#fail(state.error, [{ label: "Try again", run: () => void this.refresh() }]);
    } else if (file?.meet(this.#list.find(file.path))) {
      this.#drop();
      this.#notice.say(`“${nameOf(file.path)}” was deleted.`);
    }
    if (this.#isElsewhere) await this.#move();
    this.#render();
  }

  /** The person picks a file of the tree. @param {string} path */
  async #choose(path) {
    if (path !== this.#file?.path) {
      if (!(await this.#leave())) return;
      this.#notice.clear();
      if (this.#isElsewhere) await this.#move(path);
      else await this.#read(path);
    }
    setState(this.#node, this.#file ? "document" : "list");
    if (!byId("files-list").checkVisibility()) this.#view.focus();
  }

  /** @param {string} path */
  async #read(path) {
    const listed = this.#list.find(path);
    if (!listed) return;
    const file = new OpenFile(this.#api, listed, () => this.#render());
    this.#put(file);
    await file.load();
  }

  #showList() {
    setState(this.#node, "list");
    this.#tree.focus();
  }

  /** Lets the open file go, with what was typed. */
  #drop() {
    const hadFocus = byId("document").contains(document.activeElement);
    this.#put(null);
    this.#keep();
    if (hadFocus) this.#tree.focus();
  }

  /** @param {OpenFile | null} file */
  #put(file) {
    this.#file?.close();
    this.#file = file;
    setState(this.#node, file ? "document" : "list");
    this.#remember();
    this.#render();
  }

  /** Whether the open file may go. */
  async #leave() {
    const file = this.#file;
    if (!file?.isDirty) return true;
    const choice = await askLeave(file);
    if (choice === "save") await this.#changes.save();
    if (choice === "discard") keepText(null);
    return choice === "discard" || (choice === "save" && !file.isDirty);
  }

  /** @param {string} text */
  #type(text) {
    if (!this.#file) return;
    this.#file.text = text;
    this.#keep();
    this.#render();
  }

  /** Keeps what is typed for a reload of the page. */
  #keep() {
    const file = this.#file;
    if (file?.body.kind !== "text" || !file.isDirty) return keepText(null);
    const { api, path, text, body } = file;
    keepText({ session: api.session, path, etag: file.file.etag, text, ending: body.ending });
  }

  #remember(path = this.#file?.path ?? null) {
    keepPlace({ isOpen: this.isOpen, path, folders: this.#tree.folders });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const isSave =
      (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "s";
    if (!isSave || !this.isOpen || this.#file?.body.kind !== "text") return;
    event.preventDefault();
    if (this.#file.isDirty && this.#file.conflict === null) void this.#changes.save();
  }

  /** @param {unknown} error @param {{ label: string, run: () => void }[]} [actions] */
  #fail(error, actions) {
    this.#notice.fail(error, actions);
    if (error instanceof ApiError && error.status === 401) this.#refuse(error);
  }

  #render() {
    const { files } = this.#list;
    for (const opener of this.#openers) opener.setAttribute("aria-expanded", String(this.isOpen));
    const path = this.#file?.path ?? null;
    this.#tree.show(files, path);
    setText(byId("files-empty"), this.#list.absence);
    this.#view.render(this.#file, path === null ? null : this.#list.lowerOf(path));
  }
}
