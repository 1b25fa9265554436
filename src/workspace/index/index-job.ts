import type { Clock } from "../../shared/clock.ts";
import type { Log } from "../../shared/log.ts";
import { backoff, createJob, jobOf, setJob, type BucketJob } from "../jobs.ts";
import type { FileRow, Rows } from "../rows.ts";
import { sourceOf } from "./sources.ts";
import type { Updater } from "./update.ts";

export type IndexJobParts = {
  readonly rows: Rows;
  readonly clock: Clock;
  readonly log: Log;
  /** As with `createSettler`: files are indexed when they are settled. */
  readonly quietMs?: number;
  readonly atMostMs?: number;
};

/** What one run does; the rest follows at once in the next. */
const BOUNDS = { chars: 4 * 1024 * 1024, units: 2_000, fetches: 100 } as const;
/** Runs without any success after which what cannot be read is left to those who search. */
const RUNS = 10;

/** No change up to this one has to be looked at. */
const INDEXED = "indexed";

/**
 * Indexes what was changed, at the time at which it is settled. A change is a job by itself, so it costs no row; the row
 * is for what is left over. What cannot be read is tried again after 2 s, doubling up to 10 minutes.
 */
export function createIndexJob(parts: IndexJobParts, updater: Updater): BucketJob {
  const { rows, clock } = parts;
  let indexed: number | null = null;

  const due = (): number | null => {
    indexed ??= Number(rows.meta(INDEXED) ?? 0);
    if (rows.erasedAt !== null) return null;
    const left = jobOf(rows.sql, "index");
    if (left || rows.version <= indexed) return left?.due ?? null;
    const first = firstDue(parts, indexed);
    if (first === null) indexed = rows.version;
    return first;
  };

  /** What is left is gone on with at once, what failed a few times later. */
  const end = (upTo: number, state: "done" | "more" | "failed"): void => {
    if (rows.erasedAt !== null) return;
    const attempts = (jobOf(rows.sql, "index")?.attempts ?? 0) + 1;
    rows.commit("index-job", ({ sql }) => {
      if (state === "more") return setJob(sql, "index", clock.now(), 0);
      if (state === "failed" && attempts < RUNS)
        return setJob(sql, "index", clock.now() + backoff(attempts), attempts);
      setJob(sql, "index", null, 0);
      sql.run("INSERT OR REPLACE INTO meta(name, value) VALUES (?, ?)", INDEXED, String(upTo));
      indexed = upTo;
    });
  };

  const pass = async (): Promise<void> => {
    const upTo = rows.version;
    try {
      const { hasMore, hasFailed } = await updater.run(BOUNDS);
      end(upTo, hasMore ? "more" : hasFailed ? "failed" : "done");
    } catch (error) {
      end(upTo, "failed");
      throw error;
    }
  };

  return createJob(parts, "index", pass, due);
}

/** When the first change since `indexed` is to be looked at; `null` when there is none. */
function firstDue(
  { rows, quietMs = 10_000, atMostMs = 300_000 }: IndexJobParts,
  indexed: number,
): number | null {
  let first = Infinity;
  for (const [path, row] of rows.files)
    if (row.version > indexed && sourceOf(path) !== null)
      first = Math.min(first, dueOf(row, quietMs, atMostMs));
  return first === Infinity ? null : first;
}

function dueOf({ at, dirty }: FileRow, quietMs: number, atMostMs: number): number {
  const quiet = Math.max(at, dirty ?? at) + quietMs;
  return dirty === null ? quiet : Math.min(quiet, dirty + atMostMs);
}
