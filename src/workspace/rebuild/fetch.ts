import type { Clock } from "../../shared/clock.ts";
import { CarrelError } from "../../shared/errors.ts";
import { errorFacts, type Log } from "../../shared/log.ts";
import type { Contents } from "../contents/contents.ts";
import { backoff, createJob, inTurns, jobOf, setJob, type BucketJob } from "../jobs.ts";
import type { Rows } from "../rows.ts";

/** Texts fetched in one run; the rest follows at once in the next. */
const MOST = 400;
const AT_ONCE = 6;
/** Runs without any success after which what the store has lost is left to those who ask for it. */
const RUNS = 10;

/**
 * Fetches the texts that only the store has after a rebuild, so that searches find them all here. A store that fails
 * is asked again after 2 s, doubling up to 10 minutes; a text that is missing or damaged stays an error for readers.
 */
export function createFetcher(parts: {
  readonly rows: Rows;
  readonly contents: Pick<Contents, "read">;
  readonly clock: Clock;
  readonly log: Log;
}): BucketJob {
  const { rows, contents, clock, log } = parts;
  const missing = () =>
    [...rows.files.values()].filter(({ type, body }) => type === "text" && body === null);

  const pass = async (): Promise<void> => {
    const { attempts } = jobOf(rows.sql, "fetch") ?? { attempts: 0 };
    const before = missing();
    let canGoOn = attempts < RUNS;
    await inTurns(before.slice(0, MOST), AT_ONCE, async (row) => {
      try {
        await contents.read(row);
      } catch (error) {
        if (error instanceof CarrelError) canGoOn = true;
        log("warn", "workspace.not_fetched", { path: row.path, ...errorFacts(error) });
      }
    });
    const left = missing().length;
    const failures = left < before.length ? 0 : attempts + 1;
    const due = clock.now() + (failures === 0 ? 0 : backoff(failures));
    const isOver = left === 0 || (failures > 0 && !canGoOn);
    rows.commit("fetch-job", ({ sql }) => setJob(sql, "fetch", isOver ? null : due, failures));
  };

  return createJob(parts, "fetch", pass);
}
