import type { DatabaseSync } from "node:sqlite";
import { bucketPrefix, type BucketKey } from "../../src/shared/bucket-key.ts";
import type { Clock } from "../../src/shared/clock.ts";
import { noPoint, type Point } from "../../src/shared/point.ts";
import type { Sql } from "../../src/shared/sql.ts";
import type { Change, Changed } from "../../src/shared/workspace-changes.ts";
import type { Content } from "../../src/shared/workspace-files.ts";
import type { BlobStore } from "../../src/workspace/blob-store.ts";
import { applyChanges, type ChangeContext } from "../../src/workspace/change.ts";
import { createContents } from "../../src/workspace/contents.ts";
import type { BucketJob } from "../../src/workspace/jobs.ts";
import { createLayers } from "../../src/workspace/layers.ts";
import { defaultBucketLimits, type BucketLimits } from "../../src/workspace/limits.ts";
import { BucketTotals } from "../../src/workspace/quota.ts";
import { createFetcher } from "../../src/workspace/rebuild-fetch.ts";
import { Rows } from "../../src/workspace/rows.ts";
import { createSettler, type Settler } from "../../src/workspace/settle.ts";
import { createSweeper, type Sweeper } from "../../src/workspace/sweep.ts";
import { versionRows } from "../../src/workspace/versions.ts";
import { HastyClock } from "./hasty-clock.ts";
import { createMemoryStore } from "./memory-store.ts";
import { nodeSql, openDatabase } from "./node-sql.ts";
import { templateOf } from "./readable-bucket.ts";

export type SettledBucketOf = {
  readonly key?: BucketKey;
  readonly database?: DatabaseSync;
  readonly sql?: Sql;
  readonly store?: BlobStore;
  readonly clock?: Clock;
  readonly point?: Point;
  readonly limits?: Partial<BucketLimits>;
  readonly template?: Record<string, string>;
  readonly quietMs?: number;
  readonly atOnce?: number;
};

/** A bucket with all its real parts and its write-behind; over the tables of an earlier one it is that one, restarted. */
export type SettledBucket = ChangeContext & {
  readonly bucket: BucketKey;
  readonly clock: Clock;
  readonly store: BlobStore;
  readonly limits: BucketLimits;
  readonly log: () => void;
  readonly settler: Settler;
  readonly fetcher: BucketJob;
  readonly sweeper: Sweeper;
  readonly change: (...changes: readonly Change[]) => Promise<readonly Changed[]>;
  readonly write: (path: string, content: string | Uint8Array) => Promise<unknown>;
};

export const BUCKET = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });

export function settledBucket(of: SettledBucketOf = {}): SettledBucket {
  const { store = createMemoryStore(), clock = new HastyClock(), key = BUCKET } = of;
  const rows = new Rows(of.sql ?? nodeSql(of.database ?? openDatabase()), of.point ?? noPoint);
  const log = () => {};
  const limits = { ...defaultBucketLimits, ...of.limits };
  const contents = createContents({ rows, store, bucket: key, log });
  const parts = { rows, contents, store, bucket: key, clock, log, limits };
  const settler = createSettler({
    quietMs: of.quietMs ?? 10_000,
    atOnce: of.atOnce ?? 6,
    ...parts,
  });
  const template = templateOf(of.template ?? {});
  const layers = createLayers({ rows, contents, clock, log, template, shared: null });
  const totals = new BucketTotals(rows);
  const sweeper = createSweeper(parts);
  const { markStaged } = sweeper;
  const context = { ...parts, layers, totals, markDirty: settler.markDirty, markStaged };
  const change = (...changes: readonly Change[]) =>
    applyChanges(context, { by: "user:ann", changes });
  return {
    ...context,
    settler,
    fetcher: createFetcher(parts),
    sweeper,
    change,
    write: (path, content) =>
      change({
        kind: "write",
        path,
        content: typeof content === "string" ? { text: content } : { bytes: content },
      }),
  };
}

/** Runs a job whenever it is due until it has nothing left to do; how often it ran. Throws after 300 runs. */
export async function runOut(job: BucketJob, clock: Clock): Promise<number> {
  for (let runs = 0; runs < 300; runs += 1) {
    const due = job.due();
    if (due === null) return runs;
    await clock.sleep(Math.max(0, due - clock.now()));
    await job.run();
  }
  throw new Error("the job does not come to an end");
}

/** Everything that a bucket holds, as text: files, logs, whiteouts and history, with all contents. */
export async function dump({ rows, contents }: SettledBucket): Promise<string[]> {
  const lines: string[] = [];
  const paths = new Set(
    rows.sql.all<{ path: string }>("SELECT DISTINCT path FROM version").map(({ path }) => path),
  );
  for (const row of rows.files.values()) {
    paths.add(row.path);
    if (row.type === "gone") continue;
    const { path, type, version, size, executable, at, author } = row;
    const facts = [path, type, version, size, executable, at, author].join(" ");
    lines.push(`${facts} ${shown(await contents.read(row))}`);
    const page = type === "blob" ? null : await contents.lines(row, 0, 1_000_000);
    if (page) lines.push(`${path} has ${page.total} lines: ${JSON.stringify(page.lines)}`);
  }
  for (const { path, version, at, author, present } of rows.whiteouts.values())
    if (present) lines.push(`${path} hidden ${version} ${at} ${author}`);
  for (const path of paths)
    for (const row of versionRows(rows, path as Parameters<typeof versionRows>[1])) {
      const { type, version, size, executable, at, author } = row;
      const text = type === "gone" ? "" : shown(await contents.readVersion(row));
      lines.push(`${path} was ${[type, version, size, executable, at, author].join(" ")} ${text}`);
    }
  return lines.toSorted();
}

const shown = (content: Content): string =>
  "text" in content ? JSON.stringify(content.text) : Buffer.from(content.bytes).toString("hex");

/** Counts the calls of a store. */
export function countingStore(inner: BlobStore): BlobStore & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    get(key) {
      calls.push(`get ${key}`);
      return inner.get(key);
    },
    put(key, bytes, options) {
      calls.push(`put ${key}`);
      return inner.put(key, bytes, options);
    },
    delete(keys) {
      calls.push(`delete ${keys.join(" ")}`);
      return inner.delete(keys);
    },
    list(prefix, cursor, limit) {
      calls.push(`list ${prefix}`);
      return inner.list(prefix, cursor, limit);
    },
  };
}
