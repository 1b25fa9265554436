import { findTask } from "../../session/tasks.ts";
import { newsOf } from "../../shared/tasks.ts";
import type { SessionCore, Tx } from "../core.ts";
import { noteTasks } from "../records/task-records.ts";

/** Says what has become of a task, and has that written down, in the caller's commit. */
export function sayTask(core: SessionCore, tx: Tx, id: string): void {
  const task = findTask(core.sql, id);
  if (!task) return;
  core.say(tx, { kind: "task", ...newsOf(task) });
  noteTasks(core, tx);
}
