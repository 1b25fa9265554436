import { splitLines, utf8Length } from "../../src/shared/text.ts";
import { noPoint } from "../../src/shared/point.ts";
import type { Content } from "../../src/shared/workspace-files.ts";
import type { Contents } from "../../src/workspace/contents.ts";
import {
  createLayers,
  type Layers,
  type LayersOf,
  type SharedLayer,
} from "../../src/workspace/layers.ts";
import { manifestOf } from "../../src/workspace/manifest.ts";
import { type FileRow, Rows } from "../../src/workspace/rows.ts";
import { createTemplate, type Template } from "../../src/workspace/template.ts";
import { at } from "./layers.ts";
import { ManualClock } from "./manual-clock.ts";
import { nodeSql, openDatabase } from "./node-sql.ts";
import { CarrelError } from "../../src/shared/errors.ts";

/** A bucket whose index is real and whose blobs and sealed logs are in memory. */
export type ReadableBucket = {
  readonly rows: Rows;
  readonly contents: Contents;
  /** What was fetched: everything but text that is here. */
  readonly fetched: string[];
  readonly write: (path: string, content: string | Uint8Array) => void;
  /** A log with a text that only the store has and one that is here. */
  readonly writeLog: (path: string, sealed: string, open: string) => void;
  readonly remove: (path: string) => void;
  readonly hide: (unit: string) => void;
  readonly show: (unit: string) => void;
  /** Loses a file's content, but not its row. */
  readonly lose: (path: string) => void;
};

const BY = "user:ann";

/** An empty one, in a database of its own. */
export function readableBucket(files: Record<string, string | Uint8Array> = {}): ReadableBucket {
  const rows = new Rows(nodeSql(openDatabase()), noPoint);
  const blobs = new Map<string, Uint8Array>();
  const sealed = new Map<string, string>();
  const fetched: string[] = [];
  const put = (path: string, row: Partial<FileRow>, text: string | null) =>
    rows.commit("write", (tx) => {
      const body = text === null ? null : tx.newBody(text);
      const rest = { executable: false, at: 7, author: BY, dirty: 7, tag: null, sha256: null };
      const version = tx.nextVersion();
      tx.putFile({ ...rest, type: "text", size: 0, ...row, path: at(path), version, body });
    });
  const bucket: ReadableBucket = {
    rows,
    fetched,
    contents: contentsOf(rows, blobs, sealed, fetched),
    write(path, content) {
      if (typeof content === "string") return put(path, { size: utf8Length(content) }, content);
      blobs.set(path, content);
      put(path, { type: "blob", size: content.length }, null);
    },
    writeLog(path, old, open) {
      sealed.set(path, old);
      put(path, { type: "log", size: utf8Length(old + open) }, open);
    },
    remove: (path) => put(path, { type: "gone" }, null),
    hide: (unit) => mark(rows, unit, true),
    show: (unit) => mark(rows, unit, false),
    lose(path) {
      blobs.delete(path);
      rows.commit("lose", (tx) => tx.dropBody(rows.files.get(at(path))?.body ?? 0));
    },
  };
  for (const [path, content] of Object.entries(files)) bucket.write(path, content);
  return bucket;
}

const mark = (rows: Rows, unit: string, present: boolean): void =>
  rows.commit("mark", (tx) =>
    tx.putWhiteout({
      path: at(unit),
      version: tx.nextVersion(),
      at: 7,
      author: BY,
      present,
      dirty: 7,
    }),
  );

function contentsOf(
  rows: Rows,
  blobs: ReadonlyMap<string, Uint8Array>,
  sealed: ReadonlyMap<string, string>,
  fetched: string[],
): Contents {
  const textOf = (row: { readonly path: string; readonly body: number | null }): string => {
    const text = row.body === null ? null : rows.text(row.body);
    if (text === null) throw new Error(`the text of ${row.path} is missing`);
    return text;
  };
  const fetch = async (path: string): Promise<Content> => {
    fetched.push(path);
    await Promise.resolve();
    const bytes = blobs.get(path);
    if (!bytes) throw new Error(`the bytes of ${path} are missing`);
    return { bytes };
  };
  const split = new Map<number, string[]>();
  const linesOf = (row: FileRow): string[] => {
    const lines = split.get(row.version) ?? splitLines((sealed.get(row.path) ?? "") + textOf(row));
    split.set(row.version, lines);
    return lines;
  };
  return {
    read: (row) => (row.type === "blob" ? fetch(row.path) : { text: textOf(row) }),
    textHere: (row) => (row.type === "text" ? textOf(row) : null),
    readVersion: (row) => (row.type === "blob" ? fetch(row.path) : { text: textOf(row) }),
    logPart: () => Promise.reject(new Error("no parts of logs here")),
    async lines(row, offset, limit) {
      fetched.push(row.path);
      await Promise.resolve();
      const lines = linesOf(row);
      return { lines: lines.slice(offset, offset + limit), total: lines.length };
    },
    putBlob: () => Promise.reject(new Error("only reads")),
  };
}

export const templateOf = (files: Record<string, string>, version = "0123456789abcdef"): Template =>
  createTemplate(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path, { text }])),
    version,
  );

/** The layer that a bucket is for those above it, with how it was asked. */
export function sharedBy(bucket: ReadableBucket): SharedLayer & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async manifest(known) {
      asked.push(`manifest ${known}`);
      await Promise.resolve();
      return manifestOf(bucket.rows, known);
    },
    async read(path) {
      asked.push(`read ${path}`);
      await Promise.resolve();
      const row = bucket.rows.files.get(at(path));
      if (!row || row.type === "gone") throw new CarrelError("not_found", "It does not exist.");
      return { etag: String(row.version), content: await bucket.contents.read(row) };
    },
  };
}

/** The layers over a bucket, by default without a shared one and with an empty template. */
export const layersOver = (bucket: ReadableBucket, of: Partial<LayersOf> = {}): Layers =>
  createLayers({
    rows: bucket.rows,
    contents: bucket.contents,
    template: templateOf({}),
    shared: null,
    clock: new ManualClock(),
    log: () => {},
    ...of,
  });
