import { CarrelError } from "../../shared/errors.ts";
import type { SessionAddress } from "../../shared/session-address.ts";
import type { BeginRequest, Rights } from "../../shared/subagents.ts";
import { isEnded } from "../../shared/tasks.ts";
import { childSessions, findChild, insertChild } from "../../session/children.ts";
import { addJob, removeJob, type Job } from "../../session/jobs.ts";
import { findTask, insertTask, openTasks, tasksOfTurn, updateTask } from "../../session/tasks.ts";
import type { HandOn } from "../../tools/task-desk.ts";
import type { SessionCore, Tx } from "../core.ts";
import { sayTask } from "./say-task.ts";
import { endTask, endTaskIn } from "./end-task.ts";

/** What is handed on. `turn`: the one that waits for it; `null`: it goes on by itself. */
export type HandedOn = Omit<HandOn, "isWaitedFor"> & { readonly turn: string | null };

const beginJob = (task: string): string => `begin:${task}`;
const stopJob = (task: string): string => `stop:${task}`;
const governJob = (session: string): string => `govern:${session}`;

/** What the job of a message for a subagent holds. */
type Message = Pick<HandOn, "declaration" | "text">;

/**
 * Hands a task to a subagent, in the caller's commit: what there is of it, and a job that tells its session. Where it was
 * handed on before, nothing changes.
 */
export function handOnIn(core: SessionCore, tx: Tx, work: HandedOn): void {
  const { id, child, declaration, title, text, turn } = work;
  const { sql, clock } = core;
  const now = clock.now();
  insertChild(sql, child);
  const { agent, session } = child;
  if (!insertTask(sql, { id, agent, session, title, turn, now })) return;
  sayTask(core, tx, id);
  const payload: Message = { declaration, text };
  addJob(sql, { id: beginJob(id), kind: "child", due: now, payload: JSON.stringify(payload) });
  tx.tell();
}

/** Has the tasks that a turn waits for stopped, in the caller's commit, as it has ended. */
export function stopTasksOf(core: SessionCore, tx: Tx, turn: string): void {
  for (const { id } of tasksOfTurn(core.sql, turn)) cancelIn(core, tx, id);
}

/** Takes a task back, in the caller's commit; its session is told by a job. Whether it had not ended. */
export function cancelIn(core: SessionCore, tx: Tx, id: string): boolean {
  const end = { state: "cancelled", text: "It was stopped." } as const;
  const { isNew } = endTaskIn(core, tx, id, end, true);
  if (!isNew) return false;
  const { sql, clock } = core;
  if (findTask(sql, id)?.session) {
    addJob(sql, { id: stopJob(id), kind: "child", due: clock.now(), payload: "" });
    tx.tell();
  }
  return true;
}

/** What a subagent of this session may do now. */
export const rightsOf = ({ permissions, work }: SessionCore): Rights => ({
  permissions,
  planning: work.plan.active,
});

/** Has every subagent that is at work told what it may do from now on, in the caller's commit. */
export function governChildren(core: SessionCore, tx: Tx): void {
  const sessions = new Set(openTasks(core.sql).flatMap(({ session }) => session ?? []));
  if (sessions.size > 0) tx.tell();
  for (const session of sessions)
    addJob(core.sql, {
      id: governJob(session),
      kind: "child",
      due: core.clock.now(),
      payload: "",
    });
}

const addressOf = ({ platform }: SessionCore, session: string): SessionAddress => ({
  ...platform.address,
  session,
});

/** Tells a subagent's session what a job stands for; `null` when it has no point any more. May be repeated. */
export function childLetter(core: SessionCore, job: Job): (() => Promise<void>) | null {
  const at = job.id.indexOf(":");
  const [what, of] = [job.id.slice(0, at), job.id.slice(at + 1)];
  if (what === "govern") return () => govern(core, of);
  const task = findTask(core.sql, of);
  const session = task?.session;
  if (!task || !session) return null;
  if (what === "stop") return () => stop(core, session, of);
  if (isEnded(task.state)) return null;
  return () => begin(core, session, of, JSON.parse(job.payload) as Message);
}

async function begin(
  core: SessionCore,
  session: string,
  task: string,
  { declaration, text }: Message,
): Promise<void> {
  const child = findChild(core.sql, session);
  if (!child) return;
  const { address } = core.platform;
  const request: BeginRequest = {
    role: { parent: address, declaration, isExposed: child.isExposed },
    rights: rightsOf(core),
    key: task,
    digest: text,
    text,
    timeZone: core.zone,
  };
  const to = addressOf(core, session);
  const answer = await core.platform.link(to).begin(to, request);
  if (core.isDeleted) return;
  if (!answer.ok) {
    if (answer.code === "overloaded") throw new CarrelError(answer.code, answer.message);
    endTask(core, task, { state: "failed", text: answer.message });
    return;
  }
  core.commit("task", (tx) => {
    if (updateTask(core.sql, task, { state: "running", now: core.clock.now() }))
      sayTask(core, tx, task);
  });
}

async function stop(core: SessionCore, session: string, task: string): Promise<void> {
  const to = addressOf(core, session);
  const answer = await core.platform.link(to).stop(to, task);
  const isGone = !answer.ok && ["not_found", "gone"].includes(answer.code);
  if (!answer.ok && !isGone) throw new CarrelError(answer.code, answer.message);
}

async function govern(core: SessionCore, session: string): Promise<void> {
  const to = addressOf(core, session);
  const [open] = openTasks(core.sql).filter((task) => task.session === session);
  if (!open) return;
  const answer = await core.platform.link(to).govern(to, rightsOf(core));
  if (!answer.ok && answer.code !== "gone") throw new CarrelError(answer.code, answer.message);
}

/** A message that could not be brought in all its time: its task has failed. */
export function childGivenUp(core: SessionCore, job: Job): void {
  if (!job.id.startsWith("begin:")) return;
  const text = "The subagent could not be reached.";
  endTask(core, job.id.slice("begin:".length), { state: "failed", text });
  core.commit("job", () => removeJob(core.sql, job.id));
}

/**
 * Stops a task; once this resolves its subagent calls no model and no tool for it any more. Rejects where its session cannot
 * be reached: then a job goes on. Whether it had not ended before.
 */
export async function cancelTask(core: SessionCore, id: string): Promise<boolean> {
  const isNew = core.commit("task", (tx) => cancelIn(core, tx, id));
  const task = findTask(core.sql, id);
  if (task?.state !== "cancelled") return false;
  core.beside.stopTool(id);
  // Also of one that was stopped before: its subagent may not know yet.
  if (task.session) await stop(core, task.session, id);
  return isNew;
}

/** Deletes the sessions of all subagents, with the session that they belong to. Throws where one cannot be reached. */
export async function removeChildren(core: SessionCore): Promise<void> {
  for (const session of childSessions(core.sql)) {
    const to = addressOf(core, session);
    const answer = await core.platform.link(to).remove(to);
    const isGone = !answer.ok && ["not_found", "gone"].includes(answer.code);
    if (!answer.ok && !isGone) throw new CarrelError(answer.code, answer.message);
  }
}
