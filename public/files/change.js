import { ApiError } from "../api.js";
import { isConflict } from "./api.js";
import { download } from "./download.js";
import { nameOf, skillOf } from "./path.js";
import { askRemove, askReset } from "./questions.js";

/**
 * @typedef {import('./open.js').OpenFile} OpenFile
 * @typedef {{ file: () => OpenFile | null, list: import('./list.js').FilesList,
 *   notice: import('../panel-notice.js').PanelNotice, changed: () => Promise<void>,
 *   show: (path: string) => Promise<void>,
 *   close: () => void, leave: () => Promise<boolean>, keep: () => void, fail: (error: unknown) => void }} Panel `changed`
 *   reads the list anew, `keep` keeps what is typed for a reload, `close` lets the open file go.
 */

/** What the person does with the open file. Every failure is told; none changes what was typed. */
export class FileChanges {
  #panel;

  /** @param {Panel} panel */
  constructor(panel) {
    this.#panel = panel;
  }

  /**
   * Stores what was typed; where another writer was first, the person is asked which to keep.
   * @param {import('./rows.js').ListedFile | null} [over] What it may replace.
   */
  async save(over) {
    const { list, notice, changed, keep, fail } = this.#panel;
    const file = this.#panel.file();
    if (!file) return;
    try {
      list.expire();
      await file.save(over);
      notice.clear();
    } catch (error) {
      if (!isConflict(error)) return fail(error);
      await changed();
      if (file.conflict === null) fail(error);
      return;
    } finally {
      keep();
    }
    await changed();
  }

  /** Stores what was typed in place of what another writer stored. */
  async overwrite() {
    await this.save(this.#panel.file()?.conflict?.theirs ?? null);
  }

  /** Shows what is stored in place of what was typed. */
  async loadTheirs() {
    const file = this.#panel.file();
    const theirs = file?.conflict?.theirs ?? null;
    if (!file) return;
    if (theirs) await file.loadTheirs(theirs);
    else this.#panel.close();
    this.#panel.keep();
  }

  /** Does what `name` says to the open file. @param {'remove' | 'reset' | 'bringBack' | 'download'} name */
  async run(name) {
    const file = this.#panel.file();
    if (!file) return;
    try {
      if (name === "remove") await this.#remove(file);
      else if (name === "reset") await this.#reset(file);
      else if (name === "bringBack") await this.#bringBack(file.api, file.path);
      else await this.#download(file);
    } catch (error) {
      this.#panel.fail(error);
      if (isConflict(error)) await this.#panel.changed();
    }
  }

  /** Shows other lines of the open log. @param {number | null} offset From 0; `null` for the newest. */
  async turnTo(offset) {
    await this.#panel.file()?.turnTo(offset).catch(this.#panel.fail);
  }

  /** @param {import('../../src/shared/workspace-files.ts').FileVersion} version */
  async restore({ version }) {
    const file = this.#panel.file();
    if (!file || !(await this.#panel.leave())) return;
    try {
      await file.api.restore(file.path, version);
      file.discard();
      this.#panel.notice.clear();
      await this.#panel.changed();
    } catch (error) {
      this.#panel.fail(error);
    }
  }

  /** @param {OpenFile} file */
  async #remove(file) {
    const { list, changed, close } = this.#panel;
    const { api, path } = file;
    const { layer, etag } = file.file;
    if (!(await askRemove(file, list.lowerOf(path)))) return;
    const putBack = layer === "own" ? await this.#putBack(file) : () => api.reset(path);
    await api.remove(path, etag);
    close();
    await changed();
    this.#offerUndo(`“${nameOf(path)}” is deleted.`, path, putBack);
  }

  /** @param {OpenFile} file */
  async #reset(file) {
    const { list, changed, keep } = this.#panel;
    const { api, path } = file;
    const lower = list.lowerOf(path);
    if (lower === null || !(await askReset(file, lower))) return;
    const putBack = await this.#putBack(file);
    await api.reset(path);
    file.discard();
    keep();
    await changed();
    // Of a skill more than this file was reset; its history has it all.
    if (skillOf(path) === null) this.#offerUndo(`“${nameOf(path)}” is reset.`, path, putBack);
  }

  /**
   * Takes what is stored in hand, so that it can be stored again: not every file has a history. A log is too long.
   * Rejects when it is not what the person saw.
   * @param {OpenFile} file
   * @returns {Promise<(() => Promise<unknown>) | null>}
   */
  async #putBack({ api, path, file }) {
    if (file.type === "log") return null;
    const { bytes, etag: stored } = await api.read(path);
    if (stored !== file.etag) {
      const why = `“${nameOf(path)}” was changed meanwhile. Look at it, then try again.`;
      throw new ApiError(409, "conflict", why, null);
    }
    return async () => {
      const now = this.#panel.list.find(path);
      const etag = now && !now.isHidden ? now.etag : null;
      await api.write(path, bytes, etag, file.executable);
    };
  }

  /**
   * @param {string} text
   * @param {string} path
   * @param {(() => Promise<unknown>) | null} putBack
   */
  #offerUndo(text, path, putBack) {
    const { notice, changed, show, fail } = this.#panel;
    if (!putBack) return notice.say(text);
    const undo = async () => {
      await putBack();
      await changed();
      await show(path);
    };
    notice.say(text, [{ label: "Undo", run: () => void undo().catch(fail) }]);
  }

  /**
   * @param {import('./api.js').FilesApi} api
   * @param {string} path
   */
  async #bringBack(api, path) {
    const { list, notice, changed } = this.#panel;
    await api.reset(path);
    await changed();
    if (list.find(path)?.isHidden)
      notice.say("It is still hidden: the shared files hide it for everyone.");
  }

  /** @param {OpenFile} file */
  async #download({ api, path }) {
    const { bytes } = await api.read(path);
    download(new Blob([bytes]), nameOf(path));
  }
}
