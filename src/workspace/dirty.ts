import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { backoff, createJob, jobOf, setJob, type BucketJob } from "./jobs.ts";
import type { WorkspacePath } from "./layers/path.ts";
import type { Rows } from "./rows.ts";

export type TellerParts = {
  readonly rows: Rows;
  readonly clock: Clock;
  readonly log: Log;
  /** Makes the registry know that the bucket has something for upkeep; resolves when it does. Default: nobody is told. */
  readonly tellDirty?: (at: number) => Promise<void>;
  /** As with `createSettler`: it is told when the files are settled. */
  readonly quietMs?: number;
  readonly atMostMs?: number;
};

/**
 * Tells the registry when upkeep has something to do: memory to consolidate, or records and skills that age. A change is a job by
 * itself, so it costs no row; what was told is the number of the newest change until then. A change that comes while the
 * registry is being told is told again. What fails is tried again after 2 s, doubling up to 10 minutes, also after a
 * restart.
 */
export function createTeller(parts: TellerParts): BucketJob {
  const { rows, clock, tellDirty, quietMs = 10_000, atMostMs = 300_000 } = parts;
  /** No change up to here has to be told; `null`: not looked up yet. */
  let told: number | null = null;
  /** When the first change came that has to be told, as far as this instance knows. */
  let since: number | null = null;
  /** Not before when it is tried again. */
  let until = 0;

  const due = (): number | null => {
    if (!tellDirty || rows.erasedAt !== null) return null;
    if (told === null) {
      told = Number(rows.meta(TOLD) ?? 0);
      until = jobOf(rows.sql, "tell")?.due ?? 0;
    }
    if (rows.version <= told) return null;
    const untold = changesAfter(rows, told);
    if (untold === null) {
      told = rows.version;
      return null;
    }
    since ??= untold.first;
    const first = Math.min(untold.last + quietMs, since + atMostMs);
    return Math.max(first, until);
  };

  const pass = async (): Promise<void> => {
    const upTo = rows.version;
    const attempts = (jobOf(rows.sql, "tell")?.attempts ?? 0) + 1;
    // Should it not even be possible to write that down, it is not tried at once.
    until = clock.now() + backoff(attempts);
    try {
      await tellDirty?.(clock.now());
    } catch (error) {
      if (rows.erasedAt === null)
        rows.commit("told", ({ sql }) =>
          setJob(sql, "tell", clock.now() + backoff(attempts), attempts),
        );
      throw error;
    }
    if (rows.erasedAt !== null) return;
    rows.commit("told", ({ sql }) => {
      sql.run("INSERT OR REPLACE INTO meta(name, value) VALUES (?, ?)", TOLD, String(upTo));
      setJob(sql, "tell", null, 0);
    });
    told = upTo;
    since = null;
    until = 0;
  };

  return createJob(parts, "tell", pass, due);
}

const TOLD = "told";

/** Memory but what upkeep itself leaves there, logs of sessions, evicted results, and skills with their drafts. */
const FOR_UPKEEP =
  /^(MEMORY\.md$|memory\/(?!archive\/)|agents\/[^/]+\/sessions\/|large_tool_results\/|skills\/)/;

/** What says how skills are used and what waits for a decision. The other records of skills upkeep writes itself. */
const RECORDS = /^skills\/\.(usage|provenance|drafts)\.json$/;

const isForUpkeep = (path: WorkspacePath): boolean =>
  RECORDS.test(path) || (FOR_UPKEEP.test(path) && !path.includes("/."));

/** When the first and the last of what changed after that version did; `null`: nothing did. */
function changesAfter(
  rows: Rows,
  version: number,
): { readonly first: number; readonly last: number } | null {
  let [first, last] = [Infinity, -Infinity];
  for (const [path, row] of rows.files)
    if (row.version > version && row.type !== "gone" && isForUpkeep(path)) {
      first = Math.min(first, row.dirty ?? row.at);
      last = Math.max(last, row.at, row.dirty ?? 0);
    }
  return first === Infinity ? null : { first, last };
}
