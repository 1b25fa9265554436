import { tooLarge } from "../../shared/errors.ts";
import { errorFacts } from "../../shared/log.ts";
import { utf8Length } from "../../shared/text.ts";
import {
  callLater,
  dueLater,
  findJob,
  finishLater,
  postponeLater,
  removeJob,
  setDue,
  type Job,
} from "../../session/jobs.ts";
import { readState, writeState } from "../../session/state-documents.ts";
import type { Capability, LaterScope, Notes } from "../capability.ts";
import type { SessionCore } from "../core.ts";
import type { Harness } from "../harness.ts";
import { DEAD_MAN_MS } from "../dead-man.ts";

const MAX_NOTES_BYTES = 1_000_000;

/** The id of the job that stands for a capability's own work. */
const laterJob = (capability: string): string => `later:${capability}`;

type WithLater = Capability & Required<Pick<Capability, "later">>;

const hasLater = (capability: Capability): capability is WithLater =>
  capability.later !== undefined;

/**
 * Has every capability that has a `later` called, in the caller's commit: after one that `compacted` the context (the
 * default) also where it asked to be called at some later time, after turns that `ended` not before that.
 */
export function addLaterJobs(
  core: SessionCore,
  { capabilities }: Pick<Harness, "capabilities">,
  why: "ended" | "compacted" = "compacted",
): void {
  const now = core.clock.now();
  const isUrgent = why === "compacted";
  for (const { name } of capabilities.filter(hasLater)) {
    const call = core.platform.newId();
    callLater(core.sql, { id: laterJob(name), call, now, isUrgent });
  }
}

type Underway = { readonly work: Promise<void>; readonly abort: AbortController };

/**
 * Calls the capabilities' `later`: each once at a time in this object, none waiting for another or for anything else. While
 * one is at work its job is due again when the object must be taken for dead, and an alarm stands for that.
 */
export class Later {
  readonly #core: SessionCore;
  readonly #harness: Harness;
  readonly #underway = new Map<string, Underway>();

  constructor(core: SessionCore, harness: Harness) {
    this.#core = core;
    this.#harness = harness;
  }

  /** Whether the agent has such a capability. Another one's jobs may be there all the same. */
  get isUsed(): boolean {
    return this.#harness.capabilities.some(hasLater);
  }

  /** Begins what is due and does not wait for it. Never throws. */
  wake(): void {
    const { sql, clock, platform, isDeleted } = this.#core;
    if (isDeleted) return;
    try {
      for (const job of dueLater(sql, clock.now())) {
        if (this.#underway.has(job.id)) this.#hold(job);
        else this.#begin(job);
      }
    } catch (error) {
      platform.log("error", "later_failed", errorFacts(error));
      platform.setAlarm(clock.now() + DEAD_MAN_MS);
    }
  }

  /** Tells what is at work to let go, for a session that was deleted; resolves when it has. */
  async rest(): Promise<void> {
    const underway = [...this.#underway.values()];
    for (const { abort } of underway) abort.abort(new Error("the session was deleted"));
    await Promise.all(underway.map(({ work }) => work));
  }

  #begin(job: Job): void {
    const core = this.#core;
    const capability = this.#harness.capabilities
      .filter(hasLater)
      .find(({ name }) => laterJob(name) === job.id);
    // The agent was changed since.
    if (!capability) return core.commit("job", () => removeJob(core.sql, job.id));
    this.#hold(job);
    const abort = new AbortController();
    const work = this.#run(capability, abort.signal);
    this.#underway.set(job.id, { work, abort });
    core.platform.keepAlive(work);
  }

  #hold({ id }: Job): void {
    const core = this.#core;
    const due = core.clock.now() + DEAD_MAN_MS;
    core.commit("job", () => setDue(core.sql, id, due));
    core.platform.setAlarm(due);
  }

  /** Calls it for as long as it is due. Never rejects. */
  async #run(capability: WithLater, signal: AbortSignal): Promise<void> {
    const core = this.#core;
    const { platform, clock, sql } = core;
    const id = laterJob(capability.name);
    try {
      for (let job = findJob(sql, id); job;) {
        await this.#call(capability, job, signal);
        if (this.#isOver) return;
        const next = findJob(sql, id);
        const isDue = next !== null && next.due <= clock.now();
        if (isDue) this.#hold(next);
        else if (next && next.due < Number.MAX_SAFE_INTEGER) platform.setAlarm(next.due);
        job = isDue ? next : null;
      }
    } catch (error) {
      platform.log("error", "later_failed", errorFacts(error));
      if (!core.isDeleted) platform.setAlarm(clock.now() + DEAD_MAN_MS);
    } finally {
      this.#underway.delete(id);
    }
  }

  async #call(capability: WithLater, job: Job, signal: AbortSignal): Promise<void> {
    const core = this.#core;
    const { sql, clock, platform } = core;
    let due: number | null;
    try {
      due = await capability.later(laterScope(core, this.#harness, capability.name, signal));
    } catch (error) {
      if (this.#isOver) return;
      const isParked = core.commit("job", () => postponeLater(sql, job, clock.now()));
      const facts = { job: job.id, isParked, ...errorFacts(error) };
      platform.log(isParked ? "error" : "warn", "job_failed", facts);
      return;
    }
    if (!this.#isOver) core.commit("job", () => finishLater(sql, job, due, clock.now()));
  }

  /** Whether the session is no more, or another object has gone on with it: that one does what this one knows too little for. */
  get #isOver(): boolean {
    return this.#core.isDeleted || this.#core.journal.isOutdated();
  }
}

function laterScope(
  core: SessionCore,
  harness: Harness,
  capability: string,
  signal: AbortSignal,
): LaterScope {
  const { address } = core.platform;
  return {
    address,
    zone: core.zone,
    now: () => core.clock.now(),
    workspace: harness.workspace(address),
    signal,
    notes: notesOf(core, capability),
    entries: (from) => core.journal.read(from),
    ended: newestEnd(core),
    compactedTo: readState(core.sql, "context")?.compacted ?? 0,
  };
}

function notesOf(core: SessionCore, capability: string): Notes {
  const name = `notes:${capability}` as const;
  return {
    read: () => readState(core.sql, name),
    write(value) {
      if (utf8Length(JSON.stringify(value)) > MAX_NOTES_BYTES)
        throw tooLarge("What a capability keeps of a session", "1 MB");
      core.commit("job", () => writeState(core.sql, name, value));
    },
  };
}

/** Turns follow each other in the journal, so none before it is unfinished. No further than this object knows. */
function newestEnd({ sql, journal }: SessionCore): number {
  const query = "SELECT seq FROM journal WHERE kind = 'end' AND seq <= ? ORDER BY seq DESC LIMIT 1";
  return sql.all<{ seq: number }>(query, journal.last)[0]?.seq ?? 0;
}
