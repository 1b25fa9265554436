import { byId, element, setText } from "../dom.js";
import { isConflict } from "./api.js";
import { joinPath, pathProblem } from "./path.js";

/**
 * A file on its way into the workspace. `theirs`: the etag of what is at its path already.
 * @typedef {{ path: string, file: Blob, api: import('./api.js').FilesApi, theirs: string | null,
 *   state: 'waiting' | 'uploading' | 'done' | 'failed', why: string }} Upload
 * @typedef {{ path: string, file: Blob }} Chosen
 */

/** Uploads, one after the other. What is there already is replaced only when the person says so. */
export class Uploads {
  #node = byId("files-uploads");
  #status = byId("files-uploads-status");
  #progress = /** @type {HTMLProgressElement} */ (byId("files-uploads-progress"));
  #list = byId("files-uploads-list");
  /** @type {Upload[]} */
  #uploads = [];
  #isRunning = false;
  #actions;

  /** @param {{ done: () => void, fail: (error: unknown) => void }} actions `done`: all that could be stored is. */
  constructor(actions) {
    this.#actions = actions;
    byId("files-uploads-clear").addEventListener("click", () => {
      this.#uploads = this.#uploads.filter(isUnderWay);
      this.#render();
    });
  }

  /** Whether leaving the page now would lose some. */
  get isBusy() {
    return this.#uploads.some(isUnderWay);
  }

  /**
   * @param {import('./api.js').FilesApi} api
   * @param {Iterable<Chosen>} chosen
   */
  add(api, chosen) {
    const added = [...chosen].map(({ path, file }) => {
      const problem = pathProblem(path);
      /** @type {Upload} */
      const upload = { path, file, api, theirs: null, state: "waiting", why: "" };
      return problem === null
        ? upload
        : { ...upload, state: /** @type {const} */ ("failed"), why: problem };
    });
    this.#uploads = [...this.#uploads.filter(({ state }) => state !== "done"), ...added];
    void this.#run();
  }

  /**
   * What was dropped on a folder. Call it while the drop is handled: later it holds nothing.
   * @param {import('./api.js').FilesApi} api
   * @param {string} folder
   * @param {DataTransfer} data
   */
  async addDropped(api, folder, data) {
    try {
      this.add(api, await droppedFiles(data, folder));
    } catch (error) {
      this.#actions.fail(error);
    }
  }

  async #run() {
    this.#render();
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (;;) {
      const next = this.#uploads.find(({ state }) => state === "waiting");
      if (!next) break;
      next.state = "uploading";
      this.#render();
      await this.#store(next);
      this.#render();
    }
    this.#isRunning = false;
    this.#actions.done();
  }

  /** @param {Upload} upload */
  async #store(upload) {
    const { api, path, file, theirs } = upload;
    try {
      await api.write(path, file, theirs);
      upload.state = "done";
    } catch (error) {
      upload.state = "failed";
      upload.why = error instanceof Error ? error.message : String(error);
      if (!isConflict(error)) return;
      const listed = await api.list().catch(() => []);
      upload.theirs = listed.find((other) => other.path === path)?.etag ?? null;
      if (upload.theirs !== null) upload.why = "There is a file of this name already.";
    }
  }

  #render() {
    const count = (/** @type {Upload['state']} */ state) =>
      this.#uploads.filter((upload) => upload.state === state).length;
    const [all, done, failed] = [this.#uploads.length, count("done"), count("failed")];
    this.#node.hidden = all === 0;
    this.#progress.hidden = !this.isBusy;
    this.#progress.max = all;
    this.#progress.value = done + failed;
    const stored = `${done} of ${all} ${all === 1 ? "file" : "files"} uploaded`;
    const now = Math.min(done + failed + 1, all);
    setText(this.#status, this.isBusy ? `Uploading ${now} of ${all}…` : `${stored}.`);
    this.#list.replaceChildren(...this.#uploads.map((upload) => this.#item(upload)));
  }

  /** @param {Upload} upload */
  #item(upload) {
    const { path, state, why, theirs } = upload;
    const again = () => {
      upload.state = "waiting";
      void this.#run();
    };
    const label = theirs === null ? "Try again" : "Replace it";
    const attributes = { type: "button", class: "quiet", onclick: again };
    return element(
      "li",
      { "data-state": state },
      element("span", { class: "file-name", dir: "auto" }, path),
      element("span", { class: "upload-state" }, state === "failed" ? why : state),
      state === "failed" && pathProblem(path) === null
        ? element("button", { ...attributes, "aria-label": `${label}: ${path}` }, label)
        : null,
    );
  }
}

/** @param {Upload} upload */
const isUnderWay = ({ state }) => state === "waiting" || state === "uploading";

/**
 * The files that were dropped, with those of dropped folders.
 * @param {DataTransfer} data
 * @param {string} folder
 * @returns {Promise<Chosen[]>}
 */
async function droppedFiles(data, folder) {
  const dropped = [...data.items].map((item) => ({
    entry: item.webkitGetAsEntry?.() ?? null,
    file: item.getAsFile(),
  }));
  const found = dropped.map(async ({ entry, file }) => {
    if (entry?.isDirectory) return filesBelow(entry, folder);
    return file ? [{ path: joinPath(folder, file.name), file }] : [];
  });
  return (await Promise.all(found)).flat();
}

/**
 * @param {FileSystemEntry} entry
 * @param {string} folder
 * @returns {Promise<Chosen[]>}
 */
async function filesBelow(entry, folder) {
  const path = joinPath(folder, entry.name);
  if (entry.isFile) {
    const { promise, resolve, reject } = Promise.withResolvers();
    /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject);
    return [{ path, file: await promise }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {Chosen[]} */
  const all = [];
  for (;;) {
    const { promise, resolve, reject } = Promise.withResolvers();
    reader.readEntries(resolve, reject);
    const batch = /** @type {FileSystemEntry[]} */ (await promise);
    if (batch.length === 0) return all;
    for (const inner of batch) all.push(...(await filesBelow(inner, path)));
  }
}
