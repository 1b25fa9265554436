import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import { sessionKey } from "../../shared/ids.ts";
import { errorFacts } from "../../shared/log.ts";
import type { SessionNews } from "../../shared/registry-api.ts";
import type { ChangeRequest } from "../../shared/workspace-changes.ts";
import { pendingCalls } from "../../session/entries.ts";
import {
  INDEX_JOB,
  keepParked,
  nextOutgoing,
  outgoingDue,
  postponeJob,
  removeJob,
  type Job,
} from "../../session/jobs.ts";
import type { SessionCore } from "../core.ts";
import type { Harness, Notice } from "../harness.ts";
import { DEAD_MAN_MS } from "../dead-man.ts";
import { learnSettings } from "../line/zone.ts";
import type { Registration } from "./registration.ts";
import { sessionLine, sessionLog } from "../records/session-log.ts";
import { tasksChange, tasksText } from "../records/task-records.ts";
import { titleOf } from "../records/title.ts";
import { waitsForPerson } from "../status.ts";
import { childGivenUp, childLetter } from "../tasks/children.ts";

/** What a `notify` job holds: the calls that the turn began to wait for. */
const Waiting = z.object({ turn: z.string(), calls: z.array(z.string()) });

/** One thing to tell. */
type Letter = {
  readonly send: () => Promise<void>;
  /** Whether there is nothing newer to tell by now. */
  readonly isUpToDate: () => boolean;
};

/**
 * Tells others what has happened here: jobs of the kinds `index` and `notify`. Each is tried at once and again with
 * backoff, so that no turn waits for it and nothing is lost; after its limit it is parked. What is told is how it is at
 * that moment, and nothing when it has no point any more. A crash between sending and noting that it was sent repeats it.
 */
export class Outbox {
  readonly #core: SessionCore;
  readonly #harness: Harness;
  readonly #registration: Registration;
  #isRunning = false;
  #run: Promise<void> = Promise.resolve();
  /** When the newest news were so; the next are later, whatever the clock says. */
  #newsAt = 0;

  constructor(core: SessionCore, harness: Harness, registration: Registration) {
    this.#core = core;
    this.#harness = harness;
    this.#registration = registration;
  }

  /**
   * Something was put in: sees to it that it leaves soon. Writes nothing but the alarm that does it should this object
   * end before, so call it right after the commit, with no await in between.
   */
  wake(): void {
    this.#core.platform.keepAlive(this.run());
  }

  /** Tries what is due, and arms the alarm for what is left. Never rejects; a second call waits for the same run. */
  run(): Promise<void> {
    if (!this.#isRunning) {
      this.#isRunning = true;
      this.#run = this.#loop();
    }
    return this.#run;
  }

  async #loop(): Promise<void> {
    const { platform, clock, sql } = this.#core;
    try {
      for (let job = this.#next(); job; job = this.#next()) {
        platform.setAlarm(clock.now() + DEAD_MAN_MS);
        await this.#try(job);
      }
      const due = this.#core.isDeleted ? null : outgoingDue(sql);
      if (due !== null) platform.setAlarm(due);
    } catch (error) {
      platform.log("error", "outbox_failed", errorFacts(error));
      platform.setAlarm(clock.now() + DEAD_MAN_MS);
    } finally {
      this.#isRunning = false;
    }
  }

  #next(): Job | null {
    return this.#core.isDeleted ? null : nextOutgoing(this.#core.sql, this.#core.clock.now());
  }

  async #try(job: Job): Promise<void> {
    const core = this.#core;
    try {
      const letter = this.#letter(job);
      await letter?.send();
      if (core.isDeleted || letter?.isUpToDate() === false) return;
      core.commit("job", () => removeJob(core.sql, job.id));
    } catch (error) {
      if (!core.isDeleted) this.#postpone(job, error);
    }
  }

  /** `null` when there is nothing to tell any more. */
  #letter(job: Job): Letter | null {
    if (job.kind === "notify") return this.#notice(job);
    if (job.kind === "child") {
      const send = childLetter(this.#core, job);
      return send && { send, isUpToDate: () => true };
    }
    if (job.kind === "tasks") return this.#tasks();
    return job.id === INDEX_JOB ? this.#news() : this.#line();
  }

  #news(): Letter {
    const core = this.#core;
    const facts = newsOf(core);
    this.#newsAt = Math.max(core.clock.now(), this.#newsAt + 1);
    const news = { ...facts, at: this.#newsAt };
    return {
      send: async () => {
        // The registry takes no news of a session that it does not know.
        await this.#registration.whenDone();
        learnSettings(core, await core.platform.index(news));
      },
      isUpToDate: () => JSON.stringify(newsOf(core)) === JSON.stringify(facts),
    };
  }

  /** The session's line among the user's files, which a turn's end begins. */
  #line(): Letter | null {
    const core = this.#core;
    const endedAt = newestAt(core, ["end"]);
    if (!this.#harness.capabilities.includes(sessionLog) || endedAt === null) return null;
    const { address } = core.platform;
    const title = titleOf(core);
    const change = { by: "job:session-log", changes: [sessionLine(address, title, endedAt)] };
    return {
      send: () => this.#write(change),
      isUpToDate: () => titleOf(core) === title,
    };
  }

  /** The file of the session's tasks. */
  #tasks(): Letter | null {
    const core = this.#core;
    if (!this.#harness.capabilities.includes(sessionLog)) return null;
    const text = tasksText(core);
    const change = tasksChange(core.platform.address, text);
    return {
      send: () => this.#write({ by: "job:tasks", changes: [change] }),
      isUpToDate: () => tasksText(core) === text,
    };
  }

  /** Where it cannot be written, being too large, or spoilt by hand, it stays as it is. */
  async #write(change: ChangeRequest): Promise<void> {
    try {
      await this.#harness.workspace(this.#core.platform.address).change(change);
    } catch (error) {
      if (!(error instanceof CarrelError) || error.code === "overloaded") throw error;
    }
  }

  #notice(job: Job): Letter | null {
    const { notify } = this.#harness;
    const notice = noticeOf(this.#core, job);
    if (!notify || !notice) return null;
    return { send: () => notify(notice), isUpToDate: () => true };
  }

  #postpone(job: Job, error: unknown): void {
    const core = this.#core;
    const isParked = core.commit("job", () => {
      const parked = postponeJob(core.sql, job, core.clock.now());
      // Of notices that never went out the newest says enough; a session must not gather them.
      if (parked && job.kind === "notify") keepParked(core.sql, job);
      return parked;
    });
    if (isParked && job.kind === "child") childGivenUp(core, job);
    const facts = { job: job.id, isParked, ...errorFacts(error) };
    core.platform.log(isParked ? "error" : "warn", "job_failed", facts);
  }
}

/** What a list shows of the session now. */
function newsOf(core: SessionCore): Omit<SessionNews, "at"> {
  return {
    title: titleOf(core),
    updatedAt: newestAt(core, ["end", "waiting"]) ?? 0,
    isWaiting: waitsForPerson(core),
  };
}

/** When a fact of one of these kinds last happened. Reads back to it, which is a turn's rows at most. */
function newestAt(core: SessionCore, kinds: readonly ("end" | "waiting")[]): number | null {
  const [row] = core.sql.all<{ at: number }>(
    `SELECT at FROM journal WHERE kind IN (SELECT value FROM json_each(?)) ORDER BY seq DESC LIMIT 1`,
    JSON.stringify(kinds),
  );
  return row?.at ?? null;
}

/** Those of the job's calls that its turn still waits for; `null` when there are none. */
function noticeOf(core: SessionCore, job: Job): Notice | null {
  const { turn, calls } = Waiting.parse(JSON.parse(job.payload));
  const { begun } = core;
  // It may run meanwhile, for another answer.
  if (begun?.id !== turn) return null;
  const entries = core.entriesOf(turn);
  const pending = pendingCalls(entries).filter(({ call }) => calls.includes(call));
  const [first] = pending;
  if (!first) return null;
  const waiting = entries.findLast(({ kind }) => kind === "waiting");
  const { address } = core.platform;
  return {
    id: `${sessionKey(address)}${job.id}`,
    address,
    turn,
    at: waiting?.at ?? first.at,
    calls: pending.map(({ call, name, what, expiresAt }) => ({ call, name, what, expiresAt })),
  };
}
