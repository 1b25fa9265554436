import { errorFacts } from "../shared/log.ts";
import { cutAt } from "../shared/text.ts";
import {
  nextAfterJob,
  nextDue,
  postponeJob,
  removeJob,
  type AfterJob,
  type Job,
} from "../session/jobs.ts";
import type { JournalEntry } from "../session/entries.ts";
import type { EndedTurnScope } from "./capability.ts";
import type { SessionCore } from "./core.ts";
import type { Harness } from "./harness.ts";
import { DEAD_MAN_MS } from "./inbox.ts";

const OPENING_CHARS = 80;

/**
 * Works on ended turns, in their order, beside the ones that run, so that no answer waits for it. Single-flight in
 * this object.
 */
export class Jobs {
  readonly #core: SessionCore;
  readonly #harness: Harness;
  #isRunning = false;
  #run: Promise<void> = Promise.resolve();
  #opening: string | null = null;

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
      for (let job = this.#next(); job; job = this.#next()) await this.#do(job);
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

  #next(): AfterJob | null {
    const job = nextAfterJob(this.#core.sql);
    return job && job.due <= this.#core.clock.now() ? job : null;
  }

  /** A job that throws is retried with backoff and parked after its limit; one that was cut off runs again. */
  async #do(job: AfterJob): Promise<void> {
    const core = this.#core;
    try {
      const entries = turnFromJournal(core, job);
      if (entries.at(-1)?.kind !== "end")
        throw new Error("another instance knows how this turn ended");
      this.#opening ??= openingOf(core.journal.first(1));
      const scope: EndedTurnScope = {
        address: core.platform.address,
        turn: job.payload,
        now: () => core.clock.now(),
        workspace: this.#harness.workspace(core.platform.address),
        signal: new AbortController().signal,
        opening: this.#opening,
      };
      for (const capability of this.#harness.capabilities)
        await capability.afterTurn?.(scope, entries);
      core.commit("job", () => removeJob(core.sql, job.id));
    } catch (error) {
      postpone(core, job, error);
    }
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

function openingOf(first: JournalEntry | null): string {
  if (first?.kind !== "user") return "";
  const texts = first.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return cutAt(texts.join(" ").replaceAll(/\s+/g, " ").trim(), OPENING_CHARS);
}

function turnFromJournal(core: SessionCore, job: AfterJob): JournalEntry[] {
  const entries: JournalEntry[] = [];
  for (let from = job.start; from !== null;) {
    const page = core.journal.read(from);
    const own = page.filter((entry) => entry.turn === job.payload);
    entries.push(...own);
    const last = page.at(-1);
    from = last && own.length === page.length ? last.seq + 1 : null;
  }
  return entries;
}
