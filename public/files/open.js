import { kindOf, pictureType } from "./format.js";
import { readText, writeText } from "./text.js";

/**
 * @typedef {import('./rows.js').ListedFile} ListedFile
 * @typedef {{ kind: 'loading' } | { kind: 'failed', error: Error } | { kind: 'hidden' } | { kind: 'binary' }
 *   | { kind: 'text', ending: import('./text.js').EditableText['ending'] }
 *   | { kind: 'picture', url: string }
 *   | { kind: 'log', page: import('../../src/shared/workspace-api.ts').PageAnswer, offset: number }} Body
 */

const LOG_LINES = 200;

/** The one file that the person looks at, with what they typed. It never gives up typed text by itself. */
export class OpenFile {
  /** @type {Body} */
  body = { kind: "loading" };
  /** What the editor holds. */
  text = "";
  isSaving = false;
  /** Set when it was saved and nothing was typed since. */
  wasSaved = false;
  /** What is stored now instead of what was opened; `theirs` is null when it was deleted. @type {{ theirs: ListedFile | null } | null} */
  conflict = null;
  /** What is stored; `null` when that could not be read. @type {string | null} */
  #saved = "";
  #isClosed = false;

  /**
   * @param {import('./api.js').FilesApi} api
   * @param {ListedFile} file
   * @param {() => void} onChange
   */
  constructor(api, file, onChange) {
    this.api = api;
    this.file = file;
    this.onChange = onChange;
  }

  get path() {
    return this.file.path;
  }

  get isDirty() {
    return this.text !== this.#saved;
  }

  /** Reads what is stored; what was typed meanwhile stays, in conflict with it. @param {ListedFile} [file] */
  async load(file = this.file) {
    try {
      const { body, text = "", etag = file.etag } = await this.#read(file);
      if (this.#isClosed) return release(body);
      if (this.isDirty) {
        this.conflict = { theirs: { ...file, etag } };
      } else {
        release(this.body);
        this.conflict = null;
        this.body = body;
        this.text = this.#saved = text;
        this.file = { ...file, etag };
      }
    } catch (error) {
      if (!this.isDirty) this.body = { kind: "failed", error: asError(error) };
    }
    this.onChange();
  }

  /** Gives up what was typed. */
  discard() {
    this.#saved ??= "";
    this.text = this.#saved;
  }

  /** Gives up what was typed and shows what is stored instead. @param {ListedFile} theirs */
  async loadTheirs(theirs) {
    this.discard();
    await this.load(theirs);
  }

  /**
   * @param {ListedFile} file
   * @returns {Promise<{ body: Body, text?: string, etag?: string }>}
   */
  async #read(file) {
    if (file.isHidden) return { body: { kind: "hidden" } };
    const kind = kindOf(file);
    if (kind === "log") return { body: await this.#readLog(null) };
    if (kind === "binary") return { body: { kind } };
    const { bytes, etag } = await this.api.read(file.path);
    if (kind === "picture") {
      const type = pictureType(file.path) ?? "";
      return { body: { kind, url: URL.createObjectURL(new Blob([bytes], { type })) }, etag };
    }
    const read = readText(bytes);
    if (!read) return { body: { kind: "binary" }, etag };
    return { body: { kind: "text", ending: read.ending }, text: read.text, etag };
  }

  /** Shows other lines of a log. @param {number | null} offset From 0; `null` for the newest. */
  async turnTo(offset) {
    this.body = await this.#readLog(offset);
    this.onChange();
  }

  /** @param {number | null} offset @returns {Promise<Body>} */
  async #readLog(offset) {
    const first = await this.api.page(this.path, { offset: offset ?? 0, limit: LOG_LINES });
    if (offset !== null || first.total <= LOG_LINES)
      return { kind: "log", page: first, offset: offset ?? 0 };
    const last = first.total - LOG_LINES;
    const page = await this.api.page(this.path, { offset: last, limit: LOG_LINES });
    return { kind: "log", page, offset: last };
  }

  /**
   * Stores the text where the file that was opened, or `over`, still is. Rejects with the server's refusal; what was
   * typed stays, also when more was typed while it was stored.
   * @param {ListedFile | null} [over] `null`: only where no file is.
   */
  async save(over = this.file) {
    if (this.body.kind !== "text" || this.isSaving) return;
    const { text } = this;
    const { ending } = this.body;
    this.isSaving = true;
    this.onChange();
    try {
      const file = await this.api.write(this.path, writeText({ text, ending }), over?.etag ?? null);
      this.file = file;
      this.#saved = text;
      if (ending === "mixed") this.body.ending = "\n";
      this.conflict = null;
      this.wasSaved = true;
    } finally {
      this.isSaving = false;
      this.onChange();
    }
  }

  /**
   * Takes up text that was typed before, on what was stored then.
   * @param {import('./kept.js').UnsavedText} unsaved
   * @param {ListedFile | null} listed What is there now.
   */
  resume({ text, etag, ending }, listed) {
    if (this.body.kind !== "text") {
      this.body = { kind: "text", ending };
      this.#saved = null;
    }
    if (text === this.#saved) return;
    const isSame = listed?.etag === etag && !listed.isHidden;
    this.conflict = isSame ? null : { theirs: listed?.isHidden ? null : listed };
    this.text = text;
    this.file = { ...this.file, etag };
    this.onChange();
  }

  /**
   * Compares with what is listed now, and reads anew where that loses nothing.
   * @param {ListedFile | null} listed `null` when it is gone.
   * @returns {boolean} Whether it is gone and nothing typed keeps it open.
   */
  meet(listed) {
    if (this.isSaving) return false;
    if (listed && listed.etag === this.file.etag && !listed.isHidden === !this.file.isHidden) {
      this.file = listed;
      this.conflict = null;
    } else if (this.isDirty) {
      this.conflict = { theirs: listed?.isHidden ? null : listed };
    } else if (listed) {
      void this.load(listed);
    } else {
      return true;
    }
    this.onChange();
    return false;
  }

  close() {
    this.#isClosed = true;
    release(this.body);
  }
}

/** @param {unknown} error */
const asError = (error) => (error instanceof Error ? error : new Error(String(error)));

/** @param {Body} body */
function release(body) {
  if (body.kind === "picture") URL.revokeObjectURL(body.url);
}
