import type { Clock } from "../shared/clock.ts";
import { errorFacts, type Log } from "../shared/log.ts";
import type { Sql } from "../shared/sql.ts";
import type { Rows } from "./rows.ts";

/** Work that a bucket has to do later, in the one alarm of its object. */
export type BucketJob = {
  /** When it wants to run next, in milliseconds; `null` when nothing is to be done. Cheap. */
  readonly due: () => number | null;
  /** Does what is due, once at a time, and writes down what is left. Never throws. */
  readonly run: () => Promise<void>;
};

/** What `job` rows a bucket has. */
export type BucketJobId = "settle" | "fetch" | "sweep" | "erase" | "tell" | "index";

/** When the first of `jobs` wants to run; `null` when the object needs no alarm. */
export function nextDue(jobs: readonly BucketJob[]): number | null {
  const due = jobs.flatMap((job) => job.due() ?? []);
  return due.length === 0 ? null : Math.min(...due);
}

/** Runs what is due, one job after the other. */
export async function runDue(jobs: readonly BucketJob[], now: number): Promise<void> {
  for (const job of jobs) {
    const due = job.due();
    if (due !== null && due <= now) await job.run();
  }
}

/** A job, by default due as its row `id` says: runs `pass` then, once at a time, and logs what it throws. */
export function createJob(
  { rows, clock, log }: { readonly rows: Rows; readonly clock: Clock; readonly log: Log },
  id: BucketJobId,
  pass: () => Promise<void>,
  due: BucketJob["due"] = () => jobOf(rows.sql, id)?.due ?? null,
): BucketJob {
  let running: Promise<void> | null = null;
  return {
    due,
    run() {
      if (running === null && (due() ?? Infinity) > clock.now()) return Promise.resolve();
      running ??= pass()
        .catch((error: unknown) =>
          log("error", "workspace.job_failed", { id, ...errorFacts(error) }),
        )
        .finally(() => {
          running = null;
        });
      return running;
    },
  };
}

/** The row of a job; `null` when it waits for nothing. */
export function jobOf(
  sql: Sql,
  id: BucketJobId,
): { readonly due: number; readonly attempts: number } | null {
  const [row] = sql.all<{ due: number; attempts: number }>(
    "SELECT due, attempts FROM job WHERE id = ?",
    id,
  );
  return row ?? null;
}

/** Writes a job in the caller's transaction. One that waits keeps the earlier time; if that is its own, nothing is written. */
export function addJob(sql: Sql, id: BucketJobId, due: number): void {
  sql.run(
    `INSERT INTO job(id, due, attempts) VALUES (?, ?, 0)
     ON CONFLICT(id) DO UPDATE SET due = excluded.due WHERE excluded.due < due`,
    id,
    due,
  );
}

/** Sets when a job runs next, in the caller's transaction; `null` ends it. */
export function setJob(sql: Sql, id: BucketJobId, due: number | null, attempts: number): void {
  if (due === null) sql.run("DELETE FROM job WHERE id = ?", id);
  else sql.run("INSERT OR REPLACE INTO job(id, due, attempts) VALUES (?, ?, ?)", id, due, attempts);
}

/** 2 s after the first failure in a row, doubling up to 10 minutes. */
export const backoff = (failures: number): number =>
  Math.min(2_000 * 2 ** Math.max(0, failures - 1), 600_000);

/** Does `work` for every item, at most `atOnce` at a time. `work` does not throw. */
export async function inTurns<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const line = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, line));
}
