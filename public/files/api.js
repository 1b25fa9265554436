import { AGENT, ApiError, request } from "../api.js";

/**
 * @typedef {import('../../src/shared/workspace-files.ts').FileInfo} FileInfo
 * @typedef {import('../../src/shared/workspace-files.ts').FileVersion} FileVersion
 * @typedef {import('../../src/shared/workspace-files.ts').LayerName} LayerName
 * @typedef {import('../../src/shared/workspace-api.ts').Listed} Listed
 * @typedef {import('../../src/shared/workspace-api.ts').TreeAnswer} TreeAnswer
 * @typedef {import('../../src/shared/workspace-api.ts').PageAnswer} PageAnswer
 */

const PAGE = 2_000;

/** Whether the file is not what the caller believed it to be. @param {unknown} error */
export const isConflict = (error) => error instanceof ApiError && error.status === 409;

/** Whether there is no such file. @param {unknown} error */
export const isMissing = (error) => error instanceof ApiError && error.status === 404;

/** The files of a person's workspace as one session sees them; without a session for what all sessions share. */
export class FilesApi {
  /** @param {string | null} session */
  constructor(session) {
    this.session = session;
  }

  /**
   * Every file that shows, or only what one layer itself holds.
   * @param {LayerName} [layer]
   * @returns {Promise<FileInfo[]>}
   */
  async list(layer) {
    /** @type {Listed[]} */
    const all = [];
    for (;;) {
      const query = { recursive: "true", limit: String(PAGE), ...(layer ? { layer } : {}) };
      const last = all.at(-1);
      const url = this.#url(`${AGENT}/files`, last ? { ...query, after: last.path } : query);
      /** @type {TreeAnswer} */
      const { entries, cut } = await (await request(url, { cache: "no-store" })).json();
      all.push(...entries);
      if (!cut || entries.length === 0) break;
    }
    return all.flatMap(({ file }) => (file ? [file] : []));
  }

  /** @param {string} path @param {{ version?: number }} [options] */
  async read(path, { version } = {}) {
    const query = version === undefined ? {} : { version: String(version) };
    const response = await request(this.#file(path, query), { cache: "no-store" });
    return { bytes: await response.arrayBuffer(), etag: etagOf(response) };
  }

  /**
   * Lines of a log, from `offset`, which counts from 0.
   * @param {string} path
   * @param {{ offset: number, limit: number }} page
   * @returns {Promise<PageAnswer>}
   */
  async page(path, { offset, limit }) {
    const query = { offset: String(offset), limit: String(limit) };
    return (await request(this.#file(path, query), { cache: "no-store" })).json();
  }

  /**
   * Stores a file where the one that was seen still is, or with `null` where none is.
   * @param {string} path
   * @param {string | Blob | ArrayBuffer} content
   * @param {string | null} etag
   * @param {boolean} [isExecutable] By default as it was.
   * @returns {Promise<FileInfo>} What is there now.
   */
  async write(path, content, etag, isExecutable) {
    /** @type {Record<string, string>} */
    const condition = etag === null ? { "if-none-match": "*" } : { "if-match": `"${etag}"` };
    const headers = {
      "content-type": "application/octet-stream",
      ...(isExecutable === undefined ? {} : { "x-carrel-executable": String(isExecutable) }),
      ...condition,
    };
    // A Blob without a type keeps the browser from adding one of its own.
    const body = new Blob([content]);
    const response = await request(this.#file(path), { method: "PUT", headers, body });
    return (await response.json()).file;
  }

  /** Makes an earlier version the newest one. @param {string} path @param {number} version */
  async restore(path, version) {
    await request(this.#file(path, { undo: String(version) }), { method: "PUT" });
  }

  /** @param {string} path @param {string} etag */
  async remove(path, etag) {
    await request(this.#file(path), { method: "DELETE", headers: { "if-match": `"${etag}"` } });
  }

  /** Takes the person's own version or deletion away, so that the lower layer's file shows. @param {string} path */
  async reset(path) {
    await request(this.#file(path, { reset: "" }), { method: "DELETE" });
  }

  /** @param {string} path @returns {Promise<FileVersion[]>} Newest first. */
  async history(path) {
    const response = await request(this.#file(path, { history: "" }), { cache: "no-store" });
    return (await response.json()).versions;
  }

  /** All files as a zip archive. */
  async archive() {
    return (await request(this.#url(`${AGENT}/archive`), { cache: "no-store" })).blob();
  }

  /** Takes an archive in, all of it or nothing. @param {Blob} archive @returns {Promise<{ files?: number }>} */
  async importArchive(archive) {
    const headers = { "content-type": "application/zip" };
    const url = this.#url(`${AGENT}/archive`);
    const response = await request(url, { method: "POST", headers, body: archive });
    return (await response.json().catch(() => null)) ?? {};
  }

  /** @param {string} path @param {Record<string, string>} [query] */
  #file(path, query) {
    const names = path.split("/").map(encodeURIComponent);
    return this.#url(`${AGENT}/files/${names.join("/")}`, query);
  }

  /** @param {string} address @param {Record<string, string>} [query] */
  #url(address, query = {}) {
    const session = this.session === null ? {} : { session: this.session };
    const search = new URLSearchParams({ ...query, ...session }).toString();
    return search === "" ? address : `${address}?${search}`;
  }
}

/** A proxy that compresses may have weakened it. @param {Response} response */
const etagOf = (response) => (response.headers.get("etag") ?? "").replace(/^W\/|"/g, "");
