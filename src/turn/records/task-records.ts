import { findChild } from "../../session/children.ts";
import { addJob } from "../../session/jobs.ts";
import { newestTasks } from "../../session/tasks.ts";
import type { SessionAddress } from "../../shared/session-address.ts";
import { isEnded, type Task } from "../../shared/tasks.ts";
import { cutAt } from "../../shared/text.ts";
import type { Change } from "../../shared/workspace-changes.ts";
import type { SessionCore, Tx } from "../core.ts";
import { sessionFiles } from "./session-files.ts";

/** The job that stands for tasks that have changed since they were written among the user's files. */
export const TASKS_JOB = "tasks";

/** What changes within so long is written at once. */
const TASKS_MS = 5_000;
/** Of what came of a task, so much; `GET …/tasks/<task>` has all of it. */
const TEXT_CHARS = 4_000;

/** Has the tasks written among the user's files soon, in the caller's commit. Those of a subagent are told in its parent's. */
export function noteTasks({ sql, clock, role }: SessionCore, tx: Tx): void {
  if (role) return;
  addJob(sql, { id: TASKS_JOB, kind: "tasks", due: clock.now() + TASKS_MS, payload: "" });
  tx.tell();
}

/**
 * What the file of a session's tasks holds by now: a map from each task's id to its record, the newest 100 and all that
 * have not ended. A record holds what was asked for in a line and what came of it: no arguments, no credentials.
 */
export function tasksText(core: SessionCore): string {
  const records = newestTasks(core.sql).map((task) => [task.id, recordOf(core, task)]);
  return `${JSON.stringify(Object.fromEntries(records), null, 1)}\n`;
}

/** The file, whole. */
export const tasksChange = (address: SessionAddress, text: string): Change => ({
  kind: "write",
  path: sessionFiles(address).tasks,
  content: { text },
});

/** With the names of AgentScope. */
function recordOf({ sql, platform }: SessionCore, task: Task): Readonly<Record<string, unknown>> {
  const { agent, session } = platform.address;
  const pending = task.session && !isEnded(task.state) ? findChild(sql, task.session)?.pending : [];
  return {
    taskId: task.id,
    subAgentId: task.agent,
    parentAgentId: agent,
    parentSessionId: session,
    subSessionId: task.session,
    title: task.title,
    status: task.state.toUpperCase(),
    ...(task.result === null ? {} : { result: short(task.result) }),
    ...(task.error === null ? {} : { errorMessage: short(task.error) }),
    ...(pending && pending.length > 0
      ? {
          awaitingConfirm: true,
          pendingConfirms: pending.map(({ call, name }) => ({ toolCallId: call, toolName: name })),
        }
      : {}),
    createdAt: iso(task.createdAt),
    lastUpdatedAt: iso(task.updatedAt),
    ...(task.deliveredAt === null ? {} : { deliveredAt: iso(task.deliveredAt) }),
  };
}

const short = (text: string): string =>
  text.length <= TEXT_CHARS ? text : `${cutAt(text, TEXT_CHARS)}…`;

const iso = (at: number): string => new Date(at).toISOString();
