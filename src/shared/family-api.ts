import type { Failure } from "./errors.ts";
import type { SessionAddress } from "./session-address.ts";
import type { BeginRequest, Report, Rights } from "./subagents.ts";
import type { Task } from "./tasks.ts";

/** A task without what came of it. */
export type TaskHead = Omit<Task, "result">;

/** What a session says of its tasks, and what the sessions of an agent and its subagents say to each other. */
export interface FamilyApi {
  /** The newest 100 tasks, newest first, and after them older ones that have not ended. */
  tasks(
    address: SessionAddress,
  ): Promise<{ readonly ok: true; readonly tasks: readonly TaskHead[] } | Failure>;
  /** One of them, whole. `not_found` for one that there is not. */
  task(
    address: SessionAddress,
    id: string,
  ): Promise<{ readonly ok: true; readonly task: Task } | Failure>;
  /**
   * Stops a task: once this answers, its subagent calls no model and no tool for it. One that has ended is left as it is.
   * `overloaded` where the subagent could not be told yet: it is told all the same. Safe to repeat.
   */
  cancelTask(
    address: SessionAddress,
    id: string,
  ): Promise<{ readonly ok: true; readonly task: Task } | Failure>;
  /**
   * A message for a subagent, from its parent's session; its rights are the ones that come with it. `forbidden` for a session
   * that is nobody's or another one's. Safe to repeat.
   */
  begin(address: SessionAddress, request: BeginRequest): Promise<{ readonly ok: true } | Failure>;
  /** What a subagent may do from now on, from its parent's session. Safe to repeat. */
  govern(address: SessionAddress, rights: Rights): Promise<{ readonly ok: true } | Failure>;
  /** What happened in a subagent's session, for its parent's. `not_found` where it is not known. Safe to repeat. */
  report(address: SessionAddress, report: Report): Promise<{ readonly ok: true } | Failure>;
}
