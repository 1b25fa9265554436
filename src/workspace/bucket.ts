import type { BucketKey } from "../shared/bucket-key.ts";
import { bucketGone } from "../shared/errors.ts";
import type { Clock } from "../shared/clock.ts";
import { errorFacts, type Log } from "../shared/log.ts";
import type { Point } from "../shared/point.ts";
import type { Sql } from "../shared/sql.ts";
import type {
  GlobAnswer,
  GlobRequest,
  GrepAnswer,
  GrepRequest,
  PageAnswer,
  PageRequest,
  ReadAnswer,
  ReadManyAnswer,
  ReadManyRequest,
  ReadRequest,
  RescanReport,
  SearchAnswer,
  SearchRequest,
  TreeAnswer,
  TreeRequest,
  Usage,
} from "../shared/workspace-api.ts";
import type { Snapshot, SnapshotRequest } from "../shared/workspace-snapshot.ts";
import type { Changed, ChangeRequest, ImportPage } from "../shared/workspace-changes.ts";
import type { FileVersion, Manifest } from "../shared/workspace-files.ts";
import type { BlobStore } from "./store/blob-store.ts";
import { Birth } from "./birth.ts";
import { createEraser, type Eraser } from "./erase.ts";
import { applyChanges, type ChangeContext } from "./change/change.ts";
import { createContents, type Contents } from "./contents/contents.ts";
import { globFiles } from "./search/glob-files.ts";
import { grepFiles } from "./search/grep.ts";
import { checkImport, commitImport, dropImport, stageImport } from "./import/import.ts";
import { createSearchIndex, type SearchIndex } from "./index/search-index.ts";
import { nextDue, runDue, type BucketJob } from "./jobs.ts";
import { createLayers, type Layers, type SharedLayer } from "./layers/layers.ts";
import { defaultBucketLimits, type BucketLimits } from "./limits.ts";
import { createManifests } from "./read/manifest.ts";
import { pageOf } from "./read/page.ts";
import { BucketTotals } from "./quota.ts";
import { readMany } from "./read/read-many.ts";
import { readFile } from "./read/read.ts";
import { createTeller } from "./dirty.ts";
import { createFetcher } from "./rebuild/fetch.ts";
import { rescan } from "./rebuild/rescan.ts";
import { withRetries } from "./store/retrying-store.ts";
import { Rows } from "./rows.ts";
import { createSettler } from "./settle/settle.ts";
import { createSnapshots } from "./read/snapshot.ts";
import { createSweeper } from "./settle/sweep.ts";
import type { Template } from "./layers/template.ts";
import { tree } from "./read/tree.ts";
import { history } from "./versions.ts";

/** What the deployment gives a bucket. */
export type BucketParts = {
  /** Without retries of its own. */
  readonly store: BlobStore;
  readonly template: Template;
  /** The layer in between; `null` for a bucket that is one, and for the global one. */
  readonly shared: SharedLayer | null;
  /** Makes the registry know the bucket; resolves when it does. */
  readonly register: () => Promise<void>;
  /** Makes the registry forget the bucket, which was erased; resolves when it has. */
  readonly unregister: () => Promise<void>;
  /** Makes the registry know that the bucket has something for upkeep; resolves when it does. Default: nobody is told. */
  readonly tellDirty?: (at: number) => Promise<void>;
  readonly limits?: Partial<BucketLimits>;
  /** How old the copy of the shared layer may be; default 30,000. */
  readonly sharedAgeMs?: number;
  /** A file is settled when it has not changed for so long; default 10,000. */
  readonly quietMs?: number;
  /** A file that never rests is settled so long after its first change; default 300,000. */
  readonly atMostMs?: number;
};

/** What a bucket needs from the platform, beside its parts. */
export type BucketPlatform = BucketParts & {
  readonly key: BucketKey;
  readonly sql: Sql;
  readonly clock: Clock;
  /** Wakes the bucket at `at`, also after a crash. One alarm: a later call replaces it. */
  readonly setAlarm: (at: number) => void;
  /** Lets other calls run. */
  readonly breathe: () => Promise<void>;
  readonly point: Point;
  readonly log: Log;
};

/** How often a read from the store is tried before its caller hears that the store does not answer. */
const TRIES = 3;

/**
 * One bucket: its only writer, and what all readers ask. All of it is logic over a `BucketPlatform`: a Durable Object
 * hosts it in production, plain Node in tests. Methods are those of `WorkspaceApi`; expected failures are thrown as
 * `CarrelError`. Reads see every accepted change.
 */
export class WorkspaceBucket {
  readonly #platform: BucketPlatform;
  readonly #rows: Rows;
  readonly #store: BlobStore;
  readonly #layers: Layers;
  readonly #contents: Contents;
  readonly #snapshots: ReturnType<typeof createSnapshots>;
  readonly #manifests: ReturnType<typeof createManifests>;
  readonly #context: ChangeContext;
  readonly #jobs: readonly BucketJob[];
  readonly #index: SearchIndex;
  readonly #birth: Birth;
  readonly #eraser: Eraser;
  /** When the alarm stands, as far as this instance knows. */
  #alarmAt: number | null = null;

  /** Loads the index; the store is asked at the first call, and only if the tables are empty. */
  constructor(platform: BucketPlatform) {
    const { sql, point, key, clock, log, template, shared, store } = platform;
    const rows = new Rows(sql, point);
    const limits = { ...defaultBucketLimits, ...platform.limits };
    const patient = withRetries(store, clock, TRIES);
    const contents = createContents({ rows, store: patient, bucket: key, log });
    const parts = { ...platform, rows, contents, bucket: key, limits };
    const settler = createSettler(parts);
    const layers = createLayers({ ...platform, rows, template, shared, contents });
    this.#platform = platform;
    this.#rows = rows;
    this.#store = patient;
    this.#contents = contents;
    this.#layers = layers;
    this.#snapshots = createSnapshots(layers);
    this.#manifests = createManifests(parts);
    const sweeper = createSweeper(parts);
    this.#eraser = createEraser(parts);
    // Logs are indexed while their newest lines are still here.
    this.#index = createSearchIndex({ ...parts, layers });
    this.#jobs = [
      this.#index.job,
      settler,
      createTeller(parts),
      createFetcher(parts),
      sweeper,
      this.#eraser,
    ];
    const totals = new BucketTotals(rows);
    const { markDirty } = settler;
    const { markStaged, markPurged } = sweeper;
    const marks = { markDirty, markStaged, markPurged };
    this.#context = { rows, layers, contents, limits, totals, clock, ...marks };
    const wake = () => this.#wake();
    this.#birth = new Birth({ ...parts, layers, store: patient, wake });
  }

  snapshot(request: SnapshotRequest): Promise<Snapshot | "unchanged"> {
    return this.#read(() => this.#snapshots(request));
  }

  tree(request: TreeRequest): Promise<TreeAnswer> {
    return this.#read(() => tree(this.#layers, request));
  }

  read(request: ReadRequest): Promise<ReadAnswer> {
    return this.#read(() => readFile(this.#layers, this.#contents, this.#rows, request));
  }

  readMany(request: ReadManyRequest): Promise<ReadManyAnswer> {
    return this.#read(() => readMany(this.#layers, request));
  }

  page(request: PageRequest): Promise<PageAnswer> {
    return this.#read(() => pageOf(this.#layers, this.#contents, request));
  }

  glob(request: GlobRequest): Promise<GlobAnswer> {
    return this.#read(() => globFiles(this.#layers, request));
  }

  grep(request: GrepRequest): Promise<GrepAnswer> {
    const turns = { yield: this.#platform.breathe };
    return this.#read(() => grepFiles(this.#layers, this.#contents, request, turns));
  }

  /** What it leaves to be indexed is gone on with later. */
  search(request: SearchRequest): Promise<SearchAnswer> {
    return this.#read(() => this.#index.search(request).finally(() => this.#wake()));
  }

  history(path: string): Promise<readonly FileVersion[]> {
    return this.#read(() => history(this.#rows, path));
  }

  manifest(known: number | null): Promise<Manifest | "unchanged"> {
    return this.#read(() => this.#manifests(known));
  }

  usage(): Promise<Usage> {
    return this.#read(() => {
      const isDirty = (row: { readonly dirty: number | null }) => row.dirty !== null;
      const rows = [...this.#rows.files.values(), ...this.#rows.whiteouts.values()];
      return { ...this.#context.totals.totals, unsettled: rows.filter(isDirty).length };
    });
  }

  change(request: ChangeRequest): Promise<readonly Changed[]> {
    return this.#write(() => applyChanges(this.#context, request));
  }

  stageImport(id: string, page: ImportPage): Promise<object> {
    return this.#write(async () => {
      await stageImport(this.#context, id, page);
      return {};
    });
  }

  commitImport(id: string, by: string): Promise<{ readonly files: number }> {
    return this.#write(() => commitImport(this.#context, id, by));
  }

  checkImport(id: string, by: string): Promise<{ readonly files: number }> {
    return this.#write(() => checkImport(this.#context, id, by));
  }

  dropImport(id: string): Promise<object> {
    return this.#write(async () => {
      dropImport(this.#context, id);
      return {};
    });
  }

  rescan(): Promise<RescanReport> {
    const { key, clock, log } = this.#platform;
    const context = this.#context;
    return this.#write(() => rescan({ ...context, bucket: key, store: this.#store, clock, log }));
  }

  /** Deletes the bucket for ever: every other call answers `gone` from now on. Whether the store holds nothing of it. */
  async erase(): Promise<boolean> {
    await this.#birth.rest();
    try {
      return await this.#eraser.erase();
    } finally {
      this.#wake();
    }
  }

  /**
   * Does what is due and wakes again for what is left; should the object end meanwhile, another one wakes half a minute
   * later. An idle bucket ends with no alarm. Never throws.
   */
  async alarm(): Promise<void> {
    const { clock, log, setAlarm } = this.#platform;
    this.#alarmAt = null;
    try {
      if (nextDue(this.#jobs) === null) return;
      setAlarm(clock.now() + ALARM_AGAIN_MS);
      await runDue(this.#jobs, clock.now());
      this.#wake();
    } catch (error) {
      log("error", "workspace.alarm_failed", errorFacts(error));
    }
  }

  async #read<Answer>(work: () => Answer | Promise<Answer>): Promise<Answer> {
    this.assertThere();
    await this.#birth.whenBorn();
    this.assertThere();
    return work();
  }

  /** What exists is registered before its first change, and each change leaves an alarm for what follows from it. */
  async #write<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.assertThere();
    await this.#birth.whenBorn();
    this.assertThere();
    await this.#birth.whenRegistered();
    try {
      return await work();
    } finally {
      this.#wake();
    }
  }

  /** Throws `CarrelError('gone')` once it is erased; asked before the store is, so that it is never rebuilt from what is left. */
  assertThere(): void {
    if (this.#rows.erasedAt !== null) throw bucketGone();
  }

  #wake(): void {
    const due = nextDue(this.#jobs);
    if (due === null || (this.#alarmAt !== null && this.#alarmAt <= due)) return;
    this.#alarmAt = due;
    this.#platform.setAlarm(due);
  }
}

const ALARM_AGAIN_MS = 30_000;
