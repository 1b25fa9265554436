import { errorFacts } from "../shared/log.ts";
import { dueJobs, nextDue, postponeJob, removeJob, type Job } from "../session/jobs.ts";
import type { JournalEntry } from "../session/entries.ts";
import { findTurn } from "../session/turns.ts";
import type { TurnScope } from "./capability.ts";
import type { SessionCore } from "./core.ts";
import type { Harness } from "./harness.ts";

/**
 * Runs the jobs that are due. A job that throws is retried with backoff and parked after its limit; one that
 * was cut off runs again. Safe to call at any time.
 */
export async function runJobs(core: SessionCore, harness: Harness): Promise<void> {
  for (const job of dueJobs(core.sql, core.clock.now())) {
    const entries = turnFromJournal(core, job.payload);
    // Ended by another instance, whose journal this one does not know: that one does the work.
    if (entries.at(-1)?.kind !== "end") continue;
    try {
      await runAfterTurn(core, harness, job.payload, entries);
      core.commit("job", () => removeJob(core.sql, job.id));
    } catch (error) {
      postpone(core, job, error);
    }
  }
  const due = nextDue(core.sql);
  if (due !== null) core.platform.setAlarm(due);
}

function postpone(core: SessionCore, job: Job, error: unknown): void {
  const isParked = core.commit("job", () => postponeJob(core.sql, job, core.clock.now()));
  core.platform.log(isParked ? "error" : "warn", "job_failed", {
    job: job.id,
    isParked,
    ...errorFacts(error),
  });
}

async function runAfterTurn(
  core: SessionCore,
  harness: Harness,
  turn: string,
  entries: readonly JournalEntry[],
): Promise<void> {
  const scope: TurnScope = {
    address: core.platform.address,
    turn,
    now: () => core.clock.now(),
    signal: new AbortController().signal,
  };
  for (const capability of harness.capabilities) await capability.afterTurn?.(scope, entries);
}

function turnFromJournal(core: SessionCore, turn: string): JournalEntry[] {
  const start = findTurn(core.sql, turn)?.start ?? null;
  const entries: JournalEntry[] = [];
  for (let from = start; from !== null;) {
    const page = core.journal.read(from);
    const own = page.filter((entry) => entry.turn === turn);
    entries.push(...own);
    const last = page.at(-1);
    from = last && own.length === page.length ? last.seq + 1 : null;
  }
  return entries;
}
