import { errorFacts } from "../../shared/log.ts";
import {
  nextAfterJobs,
  nextDue,
  postponeJob,
  removeJob,
  type AfterJob,
} from "../../session/jobs.ts";
import { NO_TURN, type JournalEntry } from "../../session/entries.ts";
import { sizeOf } from "../../session/journal.ts";
import type { AfterTurnsScope, EndedTurn } from "../capability.ts";
import type { SessionCore } from "../core.ts";
import type { Harness } from "../harness.ts";
import { DEAD_MAN_MS } from "../dead-man.ts";
import { learnSettings } from "../line/zone.ts";
import { openingOf, titleOf } from "../records/title.ts";
import { addLaterJobs, Later } from "./later.ts";

/** How long no turn has ended when the work on those that have begins. */
export const AFTER_MS = 1_000;
/** How long a turn waits at most for that, in a session that never rests. */
export const AFTER_AT_LATEST_MS = 10_000;

/** What is worked on at once; a turn that is larger comes alone. */
const BATCH_TURNS = 20;
const BATCH_CHARS = 4_000_000;
/** After so many failures in a row the turns of a batch come one by one, so that only a bad one is parked. */
const BATCH_FAILURES = 2;

/**
 * Works on ended turns, in their order and several at once, when the session is quiet, so that no answer waits for it
 * or shares its time. Single-flight in this object.
 */
export class Jobs {
  readonly #core: SessionCore;
  readonly #harness: Harness;
  #isRunning = false;
  #run: Promise<void> = Promise.resolve();
  #isWaiting = false;
  /** When turns that nothing was done for ended: the first and the last of them. */
  #ended: { readonly first: number; readonly last: number } | null = null;
  /** Jobs of a batch that failed again: they come one by one. */
  #suspects: ReadonlySet<string> = new Set();
  readonly #later: Later;

  constructor(core: SessionCore, harness: Harness) {
    this.#core = core;
    this.#harness = harness;
    this.#later = new Later(core, harness);
  }

  /** Whether work is being done, not only waiting for quiet. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * A turn ended: sees to it that `run` is called when it is quiet. Writes nothing and arms nothing: should the object
   * end before, the alarm that stands for the turn's job calls it.
   */
  turnEnded(): void {
    const last = this.#core.clock.now();
    this.#ended = { first: this.#ended?.first ?? last, last };
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#core.platform.keepAlive(this.#runWhenQuiet());
  }

  /** For a session that was deleted: resolves when nothing is being worked on, here or later. */
  async rest(): Promise<void> {
    await Promise.all([this.#isRunning ? this.#run : null, this.#later.rest()]);
  }

  /** Begins what capabilities do later, where that is due. */
  wakeLater(): void {
    this.#later.wake();
  }

  /** Runs what is due now. Never rejects; a second call waits for the same run. */
  run(): Promise<void> {
    if (!this.#isRunning) {
      this.#isRunning = true;
      this.#ended = null;
      this.#run = this.#loop(this.#core.clock.now());
    }
    return this.#run;
  }

  async #runWhenQuiet(): Promise<void> {
    const { clock } = this.#core;
    while (this.#ended) {
      const { first, last } = this.#ended;
      const wait = Math.min(last + AFTER_MS, first + AFTER_AT_LATEST_MS) - clock.now();
      // A run that goes on began before these turns ended.
      if (this.#isRunning) await this.#run;
      else if (wait > 0) await clock.sleep(wait);
      else await this.run();
    }
    this.#isWaiting = false;
  }

  /** Turns that end while this goes on wait for quiet again. */
  async #loop(until: number): Promise<void> {
    const core = this.#core;
    try {
      for (let jobs = this.#next(until); jobs.length > 0; jobs = this.#next(until))
        await this.#do(jobs);
      // While a turn goes on, or one waits for quiet, this runs again.
      const due = core.isBusy || this.#ended ? null : nextDue(core.sql);
      if (due !== null) core.platform.setAlarm(due);
    } catch (error) {
      core.platform.log("error", "jobs_failed", errorFacts(error));
      core.platform.setAlarm(core.clock.now() + DEAD_MAN_MS);
    } finally {
      this.#isRunning = false;
    }
  }

  /** What may be worked on together: the first job that waits, with those behind it. None while that one is not due. */
  #next(until: number): readonly AfterJob[] {
    const [head, ...others] = nextAfterJobs(this.#core.sql, BATCH_TURNS);
    if (!head || head.due > until) return [];
    if (head.attempts >= BATCH_FAILURES || this.#suspects.has(head.id)) return [head];
    const late = others.findIndex(({ due }) => due > until);
    return [head, ...(late === -1 ? others : others.slice(0, late))];
  }

  /** A batch that throws is done again with backoff and parked after the limit; one that was cut off runs again. */
  async #do(jobs: readonly AfterJob[]): Promise<void> {
    const core = this.#core;
    try {
      const turns = endedTurns(core, jobs);
      if (turns.length === 0) throw new Error("another instance knows how this turn ended");
      const scope = this.#scope();
      for (const capability of this.#harness.capabilities)
        await capability.afterTurns?.(scope, turns);
      core.commit("job", () => {
        for (const { id } of jobs.slice(0, turns.length)) removeJob(core.sql, id);
        addLaterJobs(core, this.#harness, "ended");
      });
      if (this.#later.isUsed) this.#later.wake();
    } catch (error) {
      this.#postpone(jobs, error);
    }
  }

  #scope(): AfterTurnsScope {
    const { platform, clock } = this.#core;
    return {
      address: platform.address,
      zone: this.#core.zone,
      now: () => clock.now(),
      workspace: this.#harness.workspace(platform.address),
      signal: new AbortController().signal,
      opening: openingOf(this.#core),
      title: titleOf(this.#core),
      learn: (settings) => learnSettings(this.#core, settings),
    };
  }

  /** The first job stands for its batch: the others wait behind it. */
  #postpone(jobs: readonly AfterJob[], error: unknown): void {
    const core = this.#core;
    const [head] = jobs;
    if (!head) return;
    if (head.attempts + 1 >= BATCH_FAILURES && jobs.length > 1)
      this.#suspects = new Set(jobs.map(({ id }) => id));
    const isParked = core.commit("job", () => {
      // What is done later does not wait for this to work.
      addLaterJobs(core, this.#harness, "ended");
      return postponeJob(core.sql, head, core.clock.now());
    });
    if (this.#later.isUsed) this.#later.wake();
    core.platform.log(isParked ? "error" : "warn", "job_failed", {
      job: head.id,
      turns: jobs.length,
      isParked,
      ...errorFacts(error),
    });
  }
}

/** The turns of the first of these jobs, as many as fit a batch and as this instance knows the end of. */
function endedTurns(core: SessionCore, jobs: readonly AfterJob[]): EndedTurn[] {
  const turns: EndedTurn[] = [];
  let chars = 0;
  for (const job of jobs) {
    const entries = turnFromJournal(core, job);
    if (entries.at(-1)?.kind !== "end") break;
    chars += entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
    if (turns.length > 0 && chars > BATCH_CHARS) break;
    turns.push({ turn: job.payload, entries });
  }
  return turns;
}

function turnFromJournal(core: SessionCore, job: AfterJob): JournalEntry[] {
  const entries: JournalEntry[] = [];
  for (let from = job.start; from !== null;) {
    const page = core.journal.read(from);
    const other = page.findIndex(({ turn }) => turn !== job.payload && turn !== NO_TURN);
    const until = other === -1 ? page : page.slice(0, other);
    entries.push(...until.filter(({ turn }) => turn === job.payload));
    const last = until.at(-1);
    from = last && other === -1 ? last.seq + 1 : null;
  }
  return entries;
}
