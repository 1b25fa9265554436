import { createHash } from "node:crypto";
import { CarrelError } from "../../src/shared/errors.ts";
import { splitLines, utf8Length } from "../../src/shared/text.ts";
import type { Contents } from "../../src/workspace/contents/contents.ts";
import type { SharedLayer } from "../../src/workspace/layers/layers.ts";
import { createManifests } from "../../src/workspace/read/manifest.ts";
import type { FileRow, Rows, RowsTx } from "../../src/workspace/rows.ts";
import { storageKey } from "../../src/workspace/store/storage-key.ts";
import { BUCKET, bucketParts, BY, type Files } from "./bucket-parts.ts";
import { at } from "./layers.ts";
import { createMemoryStore } from "./memory-store.ts";

/** A bucket whose rows a test writes itself, without a change. */
export type ReadableBucket = {
  readonly rows: Rows;
  readonly contents: Contents;
  /** Keys that the store was asked for: everything but text that is here. */
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

const sha256Of = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex");

const blobKey = (sha256: string) => storageKey(BUCKET, { kind: "blobs", sha256 });

/** With these files, in a database and a store of its own. */
export function readableBucket(files: Files = {}): ReadableBucket {
  const fetched: string[] = [];
  const store = createMemoryStore();
  const get: typeof store.get = (key) => (fetched.push(key), store.get(key));
  const { rows, contents } = bucketParts({ store: { ...store, get } });
  const put = (path: string, row: Partial<FileRow>, text: string | null) =>
    rows.commit("write", (tx) => {
      const body = text === null ? null : tx.newBody(text);
      const rest = {
        executable: false,
        at: 7,
        author: BY,
        dirty: 7,
        tag: null,
        settled: null,
        sha256: null,
      };
      const version = tx.nextVersion();
      tx.putFile({ ...rest, type: "text", size: 0, ...row, path: at(path), version, body });
    });
  const bucket: ReadableBucket = {
    rows,
    fetched,
    contents,
    write(path, content) {
      if (typeof content === "string") return put(path, { size: utf8Length(content) }, content);
      const sha256 = sha256Of(content);
      // It is there before whoever reads it next is answered.
      void store.put(blobKey(sha256), content);
      put(path, { type: "blob", size: content.length, sha256 }, null);
    },
    writeLog(path, old, open) {
      put(path, { type: "log", size: utf8Length(old + open) }, open);
      for (const [number, text] of segmentsOf(old).entries()) {
        const key = storageKey(BUCKET, { kind: "segments", path: at(path), number });
        void store.put(key, new TextEncoder().encode(text));
        rows.commit("seal", (tx) => seal(tx, path, number, text));
      }
    },
    remove: (path) => put(path, { type: "gone" }, null),
    hide: (unit) => mark(rows, unit, true),
    show: (unit) => mark(rows, unit, false),
    lose(path) {
      const row = rows.files.get(at(path));
      if (row?.sha256) void store.delete([blobKey(row.sha256)]);
      rows.commit("lose", (tx) => tx.dropBody(row?.body ?? 0));
    },
  };
  for (const [path, content] of Object.entries(files)) bucket.write(path, content);
  return bucket;
}

/** Parts of about a mebibyte, as logs are sealed in. */
function segmentsOf(text: string): string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const end = text.lastIndexOf("\n", from + 1024 * 1024) + 1;
    const to = end > from && text.length - from > 1024 * 1024 ? end : text.length;
    parts.push(text.slice(from, to));
    from = to;
  }
  return parts;
}

const seal = ({ sql }: RowsTx, path: string, number: number, text: string): void => {
  const insert =
    "INSERT OR REPLACE INTO segment(path, number, size, lines, sha256) VALUES (?, ?, ?, ?, ?)";
  sql.run(insert, path, number, utf8Length(text), splitLines(text).length, sha256Of(text));
};

const mark = (rows: Rows, unit: string, present: boolean): void =>
  rows.commit("mark", (tx) =>
    tx.putWhiteout({
      path: at(unit),
      version: tx.nextVersion(),
      at: 7,
      author: BY,
      present,
      dirty: 7,
      settled: null,
    }),
  );

/** The layer that a bucket is for those above it, with how it was asked. */
export function sharedBy(bucket: ReadableBucket): SharedLayer & { readonly asked: string[] } {
  const asked: string[] = [];
  const manifests = createManifests(bucket);
  return {
    asked,
    async manifest(known) {
      asked.push(`manifest ${known}`);
      await Promise.resolve();
      return manifests(known);
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
