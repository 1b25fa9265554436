import { errorFacts } from "../shared/log.ts";
import { dueJobs, nextDue, postponeJob, removeJob, type Job } from "../session/jobs.ts";
import type { JournalEntry } from "../session/entries.ts";
import { findTurn } from "../session/turns.ts";
import type { TurnScope } from "./capability.ts";
import type { SessionCore } from "./core.ts";
import type { Harness } from "./harness.ts";
import { DEAD_MAN_MS } from "./inbox.ts";

/** Works on ended turns beside the ones that run, so that no answer waits for it. Single-flight in this object. */
export class Jobs {
  readonly #core: SessionCore;
  readonly #harness: Harness;
  #isRunning = false;
  #run: Promise<void> = Promise.resolve();

  constructor(core: SessionCore, harness: Harness) {
    this.#core = core;
    this.#harness = harness;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Runs what is due and what becomes due meanwhile. Never rejects; a second call waits for the same run. */
  run(): Promise<void> {
    if (!this.#isRunning) {
      this.#isRunning = true;
      this.#run = this.#loop();
    }
    return this.#run;
  }

  async #loop(): Promise<void> {
    const core = this.#core;
    try {
      for (let jobs = this.#due(); jobs.length > 0; jobs = this.#due())
        for (const job of jobs) await runJob(core, this.#harness, job);
      // While a turn is open its driver runs this again at the end.
      const due = core.open.length > 0 ? null : nextDue(core.sql);
      if (due !== null) core.platform.setAlarm(due);
    } catch (error) {
      core.platform.log("error", "jobs_failed", errorFacts(error));
      core.platform.setAlarm(core.clock.now() + DEAD_MAN_MS);
    } finally {
      this.#isRunning = false;
    }
  }

  #due(): Job[] {
    return dueJobs(this.#core.sql, this.#core.clock.now());
  }
}

/** A job that throws is retried with backoff and parked after its limit; one that was cut off runs again. */
async function runJob(core: SessionCore, harness: Harness, job: Job): Promise<void> {
  try {
    const entries = turnFromJournal(core, job.payload);
    if (entries.at(-1)?.kind !== "end")
      throw new Error("another instance knows how this turn ended");
    await runAfterTurn(core, harness, job.payload, entries);
    core.commit("job", () => removeJob(core.sql, job.id));
  } catch (error) {
    postpone(core, job, error);
  }
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
    workspace: harness.workspace(core.platform.address),
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
