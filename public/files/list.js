import { skillOf } from "./path.js";

/**
 * @typedef {import('./rows.js').ListedFile} ListedFile
 * @typedef {import('./api.js').FilesApi} FilesApi
 * @typedef {'shared' | 'template'} LowerLayer
 */

/** Where a lower layer never shows through, so that what is missing there was not deleted. */
const OWN_ONLY =
  /^(MEMORY\.md$|memory\/|agents\/|plans\/|large_tool_results\/|skills\/[._]|\.[^/]+\/)/;

/** All files as last read, those included that the person's own layer hides, sorted by nothing. */
export class FilesList {
  /** @type {{ kind: 'loading' } | { kind: 'failed', error: unknown } | { kind: 'ready' }} */
  state = { kind: "loading" };
  /** @type {ListedFile[]} */
  files = [];
  /** @type {Record<LowerLayer, Map<string, ListedFile>>} */
  #lower = { shared: new Map(), template: new Map() };
  #readings = 0;
  /** The newest reading, and its number. @type {Promise<boolean>} */
  #newest = Promise.resolve(false);
  #newestReading = 0;
  /** Whether the lower layers are still to be read: a reading that takes another's place does what that was to do. */
  #isWholeDue = false;

  /** Forgets everything: the files of another session are asked for. */
  clear() {
    this.#readings++;
    this.state = { kind: "loading" };
    this.files = [];
  }

  /**
   * Reads the list; `isWhole` reads the lower layers as well, which rarely change.
   * @param {FilesApi} api
   * @param {{ isWhole: boolean }} options
   * @returns {Promise<boolean>} Whether it is the newest list; a later reading or change makes it void. Then the later
   *   one is awaited, so that the list is there either way.
   */
  read(api, { isWhole }) {
    this.#isWholeDue ||= isWhole;
    const reading = ++this.#readings;
    this.#newestReading = reading;
    this.#newest = this.#read(api, reading, this.#isWholeDue);
    return this.#newest;
  }

  /** @param {FilesApi} api @param {number} reading @param {boolean} isWhole */
  async #read(api, reading, isWhole) {
    let next;
    try {
      const [files, shared, template] = await Promise.all([
        api.list(),
        isWhole ? api.list("shared") : null,
        isWhole ? api.list("template") : null,
      ]);
      if (reading === this.#readings) {
        if (shared) this.#lower.shared = byPath(shared);
        if (template) this.#lower.template = byPath(template);
        if (isWhole) this.#isWholeDue = false;
        this.files = [...files, ...this.#hidden(files)];
      }
      next = { kind: /** @type {const} */ ("ready") };
    } catch (error) {
      next = { kind: /** @type {const} */ ("failed"), error };
    }
    if (reading === this.#readings) {
      this.state = next;
      return true;
    }
    // Whoever waits for this one wants to see what the newer one finds.
    if (this.#newestReading > reading) await this.#newest;
    return false;
  }

  /** Makes readings void that began before a change. */
  expire() {
    this.#readings++;
  }

  /** Why no file shows; empty where that says itself. */
  get absence() {
    if (this.state.kind === "loading") return "Reading the files…";
    const isEmpty = this.state.kind === "ready" && this.files.length === 0;
    return isEmpty ? "No files yet. Make one, or drop some here." : "";
  }

  /** @param {string} path */
  find(path) {
    return this.files.find((file) => file.path === path) ?? null;
  }

  /** The highest layer below the person's own that has the file. @param {string} path @returns {LowerLayer | null} */
  lowerOf(path) {
    if (this.#lower.shared.has(path)) return "shared";
    return this.#lower.template.has(path) ? "template" : null;
  }

  /** @param {readonly ListedFile[]} visible @returns {ListedFile[]} */
  #hidden(visible) {
    const shown = new Set(visible.map(({ path }) => path));
    const own = visible.filter(({ layer }) => layer === "own");
    const ownSkills = new Set(
      own.map(({ path }) => skillOf(path)).filter((skill) => skill !== null),
    );
    const lower = new Map([...this.#lower.template, ...this.#lower.shared]);
    return [...lower.values()]
      .filter(({ path }) => !shown.has(path) && !OWN_ONLY.test(path))
      .filter(({ path }) => !ownSkills.has(skillOf(path) ?? ""))
      .map((file) => ({ ...file, isHidden: true }));
  }
}

/** @param {readonly ListedFile[]} files */
const byPath = (files) => new Map(files.map((file) => [file.path, file]));
