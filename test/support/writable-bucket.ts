import type { Sql } from "../../src/shared/sql.ts";
import type { Changed } from "../../src/shared/workspace-changes.ts";
import type { Content } from "../../src/shared/workspace-files.ts";
import { recordBirth } from "../../src/workspace/rebuild/rebuild.ts";
import { bucketParts, type BucketOf, type BucketParts } from "./bucket-parts.ts";
import { ManualClock } from "./manual-clock.ts";
import { nodeSql, openDatabase } from "./node-sql.ts";

/** A bucket that takes changes and counts what they cost. */
export type WritableBucket = BucketParts & {
  readonly sql: CountingSql;
  readonly clock: ManualClock;
  readonly write: (path: string, text: string) => Promise<Changed>;
  /** What shows at `path`: its text, or its bytes; `null` when nothing does. */
  readonly show: (path: string) => Promise<string | Uint8Array | null>;
  /** Everything that shows: `<path> <layer> <text>`. */
  readonly lines: () => Promise<string[]>;
};

type WritableBucketOf = BucketOf & { readonly sql?: CountingSql; readonly clock?: ManualClock };

/** Empty, or over the tables and the store of an earlier one, as after a restart. */
export function writableBucket(of: WritableBucketOf = {}): WritableBucket {
  const { sql = countingSql(), clock = new ManualClock() } = of;
  const parts = bucketParts({ ...of, sql, clock });
  const { rows, layers, change } = parts;
  // Makes the tables, so that what a change writes is only its own.
  rows.commit("birth", recordBirth);
  const contentAt = async (path: string): Promise<Content | null> => {
    const entry = layers.overlay().entries.find((it) => it.path === path);
    return entry ? layers.content(entry) : null;
  };
  return {
    ...parts,
    sql,
    clock,
    show: async (path) => plain(await contentAt(path)),
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
