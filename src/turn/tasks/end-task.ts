import { removeJob, toolJob } from "../../session/jobs.ts";
import { findTask, markDelivered, updateTask } from "../../session/tasks.ts";
import type { TaskState } from "../../shared/tasks.ts";
import type { SessionCore, Tx } from "../core.ts";
import { noteNews } from "./deliver.ts";
import { sayTask } from "./say-task.ts";

/** How a task ended: with what came of it, or why nothing did. */
export type TaskEnd = {
  readonly state: Exclude<TaskState, "pending" | "running">;
  readonly text: string;
};

/**
 * Ends a task in the caller's commit, says so, and has the agent told of it where no turn waits for it, unless it `isTold`
 * already. Whether it had not ended before; `hasNews` belongs into `core` once it is committed.
 */
export function endTaskIn(
  core: SessionCore,
  tx: Tx,
  id: string,
  { state, text }: TaskEnd,
  isTold = false,
): { readonly isNew: boolean; readonly hasNews: boolean } {
  const of = state === "completed" ? { result: text } : { error: text };
  const isNew = updateTask(core.sql, id, { state, ...of, now: core.clock.now() });
  if (isNew && isTold) markDelivered(core.sql, [id], core.clock.now());
  if (isNew && findTask(core.sql, id)?.session === null) removeJob(core.sql, toolJob(id));
  if (isNew) sayTask(core, tx, id);
  return { isNew, hasNews: noteNews(core) };
}

/** The same in a commit of its own. */
export function endTask(core: SessionCore, id: string, end: TaskEnd): boolean {
  const { isNew, hasNews } = core.commit("task", (tx) => endTaskIn(core, tx, id, end));
  core.hasNews = hasNews;
  return isNew;
}
