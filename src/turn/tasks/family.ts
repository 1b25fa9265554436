import { tellsChildren } from "../../session/jobs.ts";
import { findTask, newestTasks } from "../../session/tasks.ts";
import { CarrelError, notFound, sessionGone } from "../../shared/errors.ts";
import type { TaskHead } from "../../shared/family-api.ts";
import type { AcceptRequest } from "../../shared/session-api.ts";
import type { BeginRequest, Report, Rights } from "../../shared/subagents.ts";
import type { Task } from "../../shared/tasks.ts";
import type { Outbox } from "../after/outbox.ts";
import type { SessionCore } from "../core.ts";
import { cancelTask } from "./children.ts";
import { endTask, type TaskEnd } from "./end-task.ts";
import { governed } from "./governed.ts";
import { takeReport } from "./take-report.ts";

/** So long is waited for subagents to know. */
const TELL_MS = 5_000;

export type FamilyParts = {
  readonly accept: (request: AcceptRequest) => unknown;
  /** Goes on with what is to be done by now. */
  readonly wake: () => void;
  readonly outbox: Outbox;
};

/** What a session hears of its parent's, and of those of its subagents. All may be repeated. */
export class Family {
  readonly #core: SessionCore;
  readonly #parts: FamilyParts;

  constructor(core: SessionCore, parts: FamilyParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Takes a message from the session of its parent, with what it may do now; committed when this returns. */
  begin({ rights, key, digest, text, timeZone }: BeginRequest): void {
    this.govern(rights);
    const input = { kind: "message", content: [{ type: "text", text }] } as const;
    this.#parts.accept({ key, digest, input, timeZone });
  }

  /** What it may do from now on, as its parent says. Where it has not begun, its first message says so. */
  govern(rights: Rights): void {
    this.#assertThere();
    const { role } = this.#core;
    if (!role) return;
    governed(this.#core, rights, role);
    this.#parts.wake();
  }

  /** What one of its subagents reports. Throws `CarrelError('not_found')` for one that it does not have. */
  report(report: Report): void {
    this.#assertThere();
    if (!takeReport(this.#core, report)) throw notFound("That subagent");
    this.#parts.wake();
  }

  /** A task has ended; how it ended first counts. */
  endTask(id: string, end: TaskEnd): void {
    this.#assertThere();
    endTask(this.#core, id, end);
    this.#parts.wake();
  }

  /** The newest tasks, newest first, and after them older ones that have not ended. */
  tasks(): readonly TaskHead[] {
    this.#assertThere();
    return newestTasks(this.#core.sql).map(({ result: _result, ...head }) => head);
  }

  /** Throws `CarrelError('not_found')` where there is no such task. */
  task(id: string): Task {
    this.#assertThere();
    const task = findTask(this.#core.sql, id);
    if (!task) throw notFound("A task with that id");
    return task;
  }

  /**
   * Stops a task; one that has ended is left as it is. Throws `CarrelError('overloaded')` where its subagent could not be told
   * yet, which a job goes on with.
   */
  async cancel(id: string): Promise<Task> {
    this.task(id);
    try {
      await cancelTask(this.#core, id);
    } catch (error) {
      if (error instanceof CarrelError && error.code !== "gone") throw error;
      throw new CarrelError("overloaded", "The subagent could not be told to stop yet. Try again.");
    } finally {
      this.#parts.wake();
    }
    return this.task(id);
  }

  /** Resolves when its subagents know what they are to be told, or after a while; then a job goes on. */
  async whenTold(): Promise<void> {
    if (!tellsChildren(this.#core.sql)) return;
    const done = new AbortController();
    const late = this.#core.clock.sleep(TELL_MS, done.signal);
    await Promise.race([this.#parts.outbox.run(), late]);
    done.abort();
  }

  #assertThere(): void {
    if (this.#core.isDeleted) throw sessionGone();
  }
}
