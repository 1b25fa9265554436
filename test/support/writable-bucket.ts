import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { noPoint } from "../../src/shared/point.ts";
import type { Sql } from "../../src/shared/sql.ts";
import type { Change, Changed } from "../../src/shared/workspace-changes.ts";
import type { Content } from "../../src/shared/workspace-files.ts";
import type { BlobStore } from "../../src/workspace/blob-store.ts";
import { applyChanges, type ChangeContext } from "../../src/workspace/change.ts";
import { createContents } from "../../src/workspace/contents.ts";
import { createLayers, type LayersOf } from "../../src/workspace/layers.ts";
import { defaultBucketLimits, type BucketLimits } from "../../src/workspace/limits.ts";
import { BucketTotals } from "../../src/workspace/quota.ts";
import { recordBirth } from "../../src/workspace/rebuild.ts";
import { Rows } from "../../src/workspace/rows.ts";
import { ManualClock } from "./manual-clock.ts";
import { createMemoryStore } from "./memory-store.ts";
import { nodeSql, openDatabase } from "./node-sql.ts";
import { templateOf } from "./readable-bucket.ts";

/** A bucket that takes changes, with all its real parts over a store in memory. */
export type WritableBucket = ChangeContext & {
  readonly sql: CountingSql;
  readonly store: BlobStore;
  readonly clock: ManualClock;
  readonly change: (...changes: readonly Change[]) => Promise<readonly Changed[]>;
  readonly write: (path: string, text: string) => Promise<Changed>;
  /** What shows at `path`: its text, or its bytes; `null` when nothing does. */
  readonly show: (path: string) => Promise<string | Uint8Array | null>;
  /** Everything that shows: `<path> <layer> <text>`. */
  readonly lines: () => Promise<string[]>;
};

export const BY = "user:ann";

export type BucketOf = {
  readonly sql?: CountingSql;
  readonly store?: BlobStore;
  readonly clock?: ManualClock;
  readonly limits?: Partial<BucketLimits>;
  readonly template?: Record<string, string>;
  readonly layersOf?: Partial<LayersOf>;
};

/** Empty, or over the tables and the store of an earlier one, as after a restart. */
export function writableBucket(of: BucketOf = {}): WritableBucket {
  const { sql = countingSql(), store = createMemoryStore(), clock = new ManualClock() } = of;
  const rows = new Rows(sql, noPoint);
  const log = () => {};
  const bucket = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });
  // Makes the tables, so that what a change writes is only its own.
  rows.commit("birth", recordBirth);
  const contents = createContents({ rows, store, bucket, log });
  const template = templateOf(of.template ?? {});
  const layers = createLayers({
    rows,
    contents,
    clock,
    log,
    template,
    shared: null,
    ...of.layersOf,
  });
  const limits = { ...defaultBucketLimits, ...of.limits };
  const markDirty: ChangeContext["markDirty"] = (tx) => {
    tx.sql.run("INSERT INTO job(id, due, attempts) VALUES ('settle', 0, 0) ON CONFLICT DO NOTHING");
  };
  const totals = new BucketTotals(rows);
  const context = {
    rows,
    layers,
    contents,
    limits,
    clock,
    totals,
    markDirty,
    markStaged: () => {},
  };
  const change = (...changes: readonly Change[]) => applyChanges(context, { by: BY, changes });
  const contentAt = async (path: string): Promise<Content | null> => {
    const entry = layers.overlay().entries.find((it) => it.path === path);
    return entry ? layers.content(entry) : null;
  };
  const show = async (path: string) => plain(await contentAt(path));
  return {
    ...context,
    sql,
    store,
    change,
    show,
    async write(path, text) {
      const [changed] = await change({ kind: "write", path, content: { text } });
      if (!changed) throw new Error("no answer");
      return changed;
    },
    async lines() {
      const lines: string[] = [];
      for (const entry of layers.overlay().entries)
        lines.push(`${entry.path} ${entry.layer} ${String(plain(await layers.content(entry)))}`);
      return lines;
    },
  };
}

const plain = (content: Content | null): string | Uint8Array | null =>
  content && ("text" in content ? content.text : content.bytes);

/** Counts rows as D1 and Durable Objects bill them: each one inserted, changed or deleted. */
export type CountingSql = Sql & {
  readonly written: () => number;
  readonly bytesWritten: () => number;
  readonly statements: () => number;
};

export function countingSql(database = openDatabase()): CountingSql {
  const sql = nodeSql(database);
  let bytes = 0;
  let statements = 0;
  const count = (params: readonly (string | number | null)[]) => {
    statements += 1;
    for (const param of params) bytes += typeof param === "string" ? param.length : 8;
  };
  return {
    ...sql,
    all(query, ...params) {
      statements += 1;
      return sql.all(query, ...params);
    },
    run(query, ...params) {
      count(params);
      return sql.run(query, ...params);
    },
    written: () => Number(database.prepare("SELECT total_changes() AS count").get()?.count ?? 0),
    bytesWritten: () => bytes,
    statements: () => statements,
  };
}
