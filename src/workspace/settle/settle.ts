import type { BucketKey } from "../../shared/bucket-key.ts";
import type { Clock } from "../../shared/clock.ts";
import { errorFacts, type Log } from "../../shared/log.ts";
import { StoreBusyError } from "../store/blob-store.ts";
import type { BlobStore } from "../store/blob-store.ts";
import type { Contents } from "../contents/contents.ts";
import { addJob, backoff, createJob, inTurns, jobOf, setJob, type BucketJob } from "../jobs.ts";
import { defaultBucketLimits, type BucketLimits } from "../limits.ts";
import type { WorkspacePath } from "../layers/path.ts";
import type { Rows, RowsTx } from "../rows.ts";
import { WRITE_GAP_MS } from "./desk.ts";
import type { Again, Desk } from "./desk.ts";
import { settleFile } from "./file.ts";
import { checkUnsure } from "./check-unsure.ts";
import { settleWhiteout } from "./whiteout.ts";
import { SWEEP_EVERY_MS } from "./sweep.ts";
import { forgetOutdated, unsureKeys } from "./unsure.ts";

/** Writes a bucket behind to its store. */
export type Settler = BucketJob & {
  /**
   * To be called in every commit that leaves a row dirty: makes sure that the job is not too late. A dirty row is a job
   * by itself, so this costs a row only where the job waits for something later.
   */
  readonly markDirty: (tx: Pick<RowsTx, "sql">) => void;
};

export type SettlerParts = {
  readonly rows: Rows;
  readonly contents: Contents;
  /** Without retries of its own. */
  readonly store: BlobStore;
  readonly bucket: BucketKey;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: BucketLimits;
  /** A file is settled when it has not changed for so long; default 10,000. */
  readonly quietMs?: number;
  /** A file that never rests is settled so long after its first change; default 300,000. */
  readonly atMostMs?: number;
  /** Keys written at the same time; default 6. */
  readonly atOnce?: number;
};

/** Keys that one run writes at most; the rest follows at once in the next. */
const MOST = 400;

/** One thing to settle, and when it wants to be. */
type Task = {
  readonly name: string;
  readonly due: number;
  /** May hold 25 MiB in memory, so it runs alone. */
  readonly isLarge: boolean;
  /** Whether it only looks at a key again. */
  readonly isCheck: boolean;
  readonly run: (desk: Desk) => Promise<Again>;
};

/**
 * Brings the store up to what the rows say. Nothing counts as settled before the store confirmed it: a failure leaves
 * the row dirty and is tried again after 2 s, doubling up to 10 minutes; after a restart everything dirty is put
 * again. Every put has a condition, so none that comes late undoes a newer one; where a call of unknown outcome may
 * still act, the key is looked at a minute later (`unsure`).
 */
export function createSettler(parts: SettlerParts): Settler {
  const { clock, quietMs = 10_000 } = parts;
  const { rows } = parts;
  const passes = new Passes(parts);
  const due = () => jobOf(rows.sql, "settle")?.due ?? passes.firstDue();
  return {
    ...createJob(parts, "settle", () => passes.pass(), due),
    markDirty({ sql }) {
      const first = clock.now() + quietMs;
      sql.run("UPDATE job SET due = ?1 WHERE id = 'settle' AND due > ?1", first);
    },
  };
}

class Passes {
  readonly #parts: SettlerParts;
  readonly #desk: Desk;
  /** Not before when a thing is tried again, and how often in a row it failed. */
  readonly #delays = new Map<string, { readonly until: number; readonly failures: number }>();

  constructor(parts: SettlerParts) {
    const { rows, clock, limits = defaultBucketLimits } = parts;
    const woke = clock.now();
    const wasRunning = (jobOf(rows.sql, "settle")?.attempts ?? 0) > 0;
    this.#parts = parts;
    this.#desk = {
      ...parts,
      limits,
      mayBeUnderWay: (dirty) => wasRunning && dirty !== null && dirty <= woke,
    };
  }

  async pass(): Promise<void> {
    const { rows, clock, atOnce = 6 } = this.#parts;
    const began = clock.now();
    const { attempts } = jobOf(rows.sql, "settle") ?? { attempts: 0 };
    // Should this run end nowhere, the next finds that calls may be under way, and does not come at once.
    rows.commit("settle-job", ({ sql }) =>
      setJob(sql, "settle", began + backoff(attempts + 1), attempts + 1),
    );
    const due = this.#tasks()
      .filter((task) => task.due <= began)
      .toSorted((a, b) => a.due - b.due)
      .slice(0, MOST);
    const settle = (task: Task) => this.#settle(task);
    await inTurns(
      due.filter((task) => !task.isLarge),
      atOnce,
      settle,
    );
    await inTurns(
      due.filter((task) => task.isLarge),
      1,
      settle,
    );
    const left = this.#tasks().map((task) => task.due);
    for (const [name, { until }] of this.#delays)
      if (until <= clock.now()) this.#delays.delete(name);
    rows.commit("settle-job", ({ sql }) => {
      setJob(sql, "settle", left.length === 0 ? null : Math.min(...left), 0);
      forgetOutdated(sql, clock.now());
      // What was written may have left something without a reference.
      if (due.some((task) => !task.isCheck)) addJob(sql, "sweep", clock.now() + SWEEP_EVERY_MS);
    });
  }

  /** When the first dirty row wants to be settled; `null` when there is none. */
  firstDue(): number | null {
    const { files, whiteouts } = this.#parts.rows;
    let first = Infinity;
    for (const rows of [files, whiteouts])
      for (const { at, dirty } of rows.values())
        if (dirty !== null) first = Math.min(first, this.#dueOf(at, dirty));
    return first === Infinity ? null : first;
  }

  #dueOf(at: number, dirty: number): number {
    const { quietMs = 10_000, atMostMs = 300_000 } = this.#parts;
    return Math.min(Math.max(at, dirty) + quietMs, dirty + atMostMs);
  }

  #tasks(): Task[] {
    const dueOf = (at: number, dirty: number) => this.#dueOf(at, dirty);
    return tasksIn(this.#parts.rows, dueOf).map((task) => {
      const until = this.#delays.get(task.name)?.until ?? 0;
      return { ...task, due: Math.max(task.due, until) };
    });
  }

  async #settle({ name, run }: Task): Promise<void> {
    const { clock, log } = this.#parts;
    try {
      const again = await run(this.#desk);
      const until = Math.max(again ?? 0, clock.now() + WRITE_GAP_MS);
      this.#delays.set(name, { until, failures: 0 });
    } catch (error) {
      const failures = (this.#delays.get(name)?.failures ?? 0) + 1;
      const asked = error instanceof StoreBusyError ? error.retryAfterMs : 0;
      const until = clock.now() + Math.max(asked, backoff(failures));
      this.#delays.set(name, { until, failures });
      log("warn", "workspace.not_settled", { what: name, failures, ...errorFacts(error) });
    }
  }
}

/** Everything that the store is behind with, and every key that must be looked at again. */
function tasksIn(rows: Rows, dueOf: (at: number, dirty: number) => number): Task[] {
  const tasks: Task[] = [];
  const add = (
    name: string,
    row: { readonly at: number; readonly dirty: number | null },
    isLarge: boolean,
    run: Task["run"],
  ) => {
    if (row.dirty !== null)
      tasks.push({ name, due: dueOf(row.at, row.dirty), isLarge, isCheck: false, run });
  };
  const file = (path: WorkspacePath) => (desk: Desk) => settleFile(desk, path);
  const whiteout = (path: WorkspacePath) => (desk: Desk) => settleWhiteout(desk, path);
  for (const [path, row] of rows.files)
    add(`files/${path}`, row, row.type === "blob" || row.type === "log", file(path));
  for (const [path, row] of rows.whiteouts) add(`whiteouts/${path}`, row, false, whiteout(path));
  for (const { key, until } of unsureKeys(rows.sql))
    tasks.push({
      name: key,
      due: until,
      isLarge: true,
      isCheck: true,
      run: (desk) => checkUnsure(desk, key),
    });
  return tasks;
}
