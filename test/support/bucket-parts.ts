import type { DatabaseSync } from "node:sqlite";
import { bucketPrefix, type BucketKey } from "../../src/shared/bucket-key.ts";
import type { Clock } from "../../src/shared/clock.ts";
import { noPoint, type Point } from "../../src/shared/point.ts";
import type { Sql } from "../../src/shared/sql.ts";
import type { Change, Changed } from "../../src/shared/workspace-changes.ts";
import type { BlobStore } from "../../src/workspace/store/blob-store.ts";
import { applyChanges, type ChangeContext } from "../../src/workspace/change/change.ts";
import { createContents, type Contents } from "../../src/workspace/contents/contents.ts";
import type { BucketJob } from "../../src/workspace/jobs.ts";
import { createLayers, type Layers, type LayersOf } from "../../src/workspace/layers/layers.ts";
import { defaultBucketLimits, type BucketLimits } from "../../src/workspace/limits.ts";
import { BucketTotals } from "../../src/workspace/quota.ts";
import { createFetcher } from "../../src/workspace/rebuild/fetch.ts";
import { Rows } from "../../src/workspace/rows.ts";
import { createSettler, type Settler } from "../../src/workspace/settle/settle.ts";
import { createSweeper, type Sweeper } from "../../src/workspace/settle/sweep.ts";
import { createTemplate, type Template } from "../../src/workspace/layers/template.ts";
import { HastyClock } from "./hasty-clock.ts";
import { createMemoryStore } from "./memory-store.ts";
import { nodeSql, openDatabase } from "./node-sql.ts";

/** Texts and bytes by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

export type BucketOf = {
  readonly key?: BucketKey;
  readonly database?: DatabaseSync;
  readonly sql?: Sql;
  readonly store?: BlobStore;
  readonly clock?: Clock;
  readonly point?: Point;
  readonly limits?: Partial<BucketLimits>;
  readonly template?: Files;
  readonly layersOf?: Partial<LayersOf>;
  readonly quietMs?: number;
  readonly atOnce?: number;
};

/** The parts of a bucket, to be used one by one. */
export type BucketParts = ChangeContext & {
  readonly bucket: BucketKey;
  readonly clock: Clock;
  readonly store: BlobStore;
  readonly limits: BucketLimits;
  readonly log: () => void;
  readonly settler: Settler;
  readonly fetcher: BucketJob;
  readonly sweeper: Sweeper;
  readonly change: (...changes: readonly Change[]) => Promise<readonly Changed[]>;
};

/** Who changes files in tests. */
export const BY = "user:ann";

export const BUCKET = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });

/**
 * All real parts of a bucket, wired as `WorkspaceBucket` wires them but for the retries of its store; over the tables
 * of an earlier one it is that one, restarted.
 */
export function bucketParts(of: BucketOf = {}): BucketParts {
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
  const sweeper = createSweeper(parts);
  const template = templateOf(of.template ?? {});
  const context = {
    ...parts,
    layers: layersOver(parts, { clock, template, ...of.layersOf }),
    totals: new BucketTotals(rows),
    markDirty: settler.markDirty,
    markStaged: sweeper.markStaged,
    markPurged: sweeper.markPurged,
  };
  const change = (...changes: readonly Change[]) => applyChanges(context, { by: BY, changes });
  return { ...context, settler, fetcher: createFetcher(parts), sweeper, change };
}

/** The layers over a bucket's own, by default without a shared one and with an empty template. */
export const layersOver = (
  { rows, contents }: { readonly rows: Rows; readonly contents: Contents },
  of: Partial<LayersOf> = {},
): Layers =>
  createLayers({
    rows,
    contents,
    template: templateOf({}),
    shared: null,
    clock: new HastyClock(),
    log: () => {},
    ...of,
  });

export const templateOf = (files: Files, version = "0123456789abcdef"): Template =>
  createTemplate(
    Object.fromEntries(
      Object.entries(files).map(([path, given]) => [
        path,
        typeof given === "string" ? { text: given } : { bytes: given },
      ]),
    ),
    version,
  );
