import { CarrelError } from "../../shared/errors.ts";
import { errorFacts } from "../../shared/log.ts";
import type { ContentPart } from "../../shared/messages.ts";
import { addJob, dueTools, setDue, toolJob } from "../../session/jobs.ts";
import { insertTask, openTasks, updateTask } from "../../session/tasks.ts";
import type { ToolOutcome } from "../capability.ts";
import type { SessionCore, Tx } from "../core.ts";
import { DEAD_MAN_MS } from "../dead-man.ts";
import { sayTask } from "./say-task.ts";
import { endTask, endTaskIn, type TaskEnd } from "./end-task.ts";

/** A call that has been answered although its tool is at work. */
export type GoesOn = {
  /** The task. */
  readonly id: string;
  readonly name: string;
  readonly work: Promise<ToolOutcome>;
  readonly abort: AbortController;
};

/** Tasks of a session beyond which no further tool goes on in the background. */
const MOST_TASKS = 10;
/** A tool may take so long in the background, as in AgentScope. */
const MOST_MS = 600_000;

const UNKNOWN =
  "Whether it had its effect is unknown; it was not run again. Check before you repeat it.";
const CUT_OFF = `It was cut off by a restart. ${UNKNOWN}`;
const TOO_LONG = `It did not finish within ${MOST_MS / 60_000} minutes. ${UNKNOWN}`;

/** Whether one more tool may go on in the background. */
export const mayGoOn = ({ sql, beside }: SessionCore): boolean =>
  Math.max(openTasks(sql).length, beside.tools.size) < MOST_TASKS;

/** What its call comes to for now. */
export const goesOnText = ({ id, name }: GoesOn, ms = 0): string =>
  [
    "status: timeout_promoted",
    `task_id: ${id}`,
    `${name} takes longer than ${Math.round(ms / 1_000)} s, and goes on in the background. You are told what came of it as soon as it has ended: go on with other work.`,
  ].join("\n");

/** A task for a tool that goes on, in the caller's commit, with a job that stands for it. `watch` follows after it. */
export function goOnIn(core: SessionCore, tx: Tx, { id, name }: GoesOn): void {
  const { sql, clock } = core;
  const now = clock.now();
  if (!insertTask(sql, { id, agent: name, session: null, title: name, turn: null, now })) return;
  updateTask(sql, id, { state: "running", now });
  sayTask(core, tx, id);
  addJob(sql, { id: toolJob(id), kind: "tool", due: now + DEAD_MAN_MS, payload: id });
}

/** Ends the task once its tool has ended, or has taken too long; keeps the object up until then. */
export function watch(core: SessionCore, { id, work, abort }: GoesOn): void {
  const { beside, clock, platform } = core;
  platform.setAlarm(clock.now() + DEAD_MAN_MS);
  const done = new AbortController();
  const late = clock.sleep(MOST_MS, done.signal).then((): TaskEnd => {
    abort.abort();
    return { state: "failed", text: TOO_LONG };
  });
  const ended = Promise.race([work.then(endOf, (error: unknown) => failureOf(core, error)), late]);
  const told = ended.then((end) => {
    done.abort();
    beside.tools.delete(id);
    if (core.isDeleted) return;
    endTask(core, id, end);
    beside.wake();
  });
  // Its job then says that it was cut off.
  platform.keepAlive(
    told.catch((error: unknown) => platform.log("error", "task_failed", errorFacts(error))),
  );
}

function endOf({ status, content }: ToolOutcome): TaskEnd {
  const text = content.map(textOf).join("\n");
  return { state: status === "success" ? "completed" : "failed", text };
}

const textOf = (part: ContentPart): string =>
  part.type === "text" ? part.text : `[An image of ${part.mediaType} was left out.]`;

function failureOf({ platform }: SessionCore, error: unknown): TaskEnd {
  if (error instanceof CarrelError) return { state: "failed", text: error.message };
  const id = platform.newId();
  platform.log("error", "tool_failed", { id, ...errorFacts(error) });
  return { state: "failed", text: `The tool failed unexpectedly (error ${id}).` };
}

/** Of the tools whose jobs are due, those that this object runs go on, and the others were cut off. */
export function tendTools(core: SessionCore): void {
  const { sql, clock, beside } = core;
  const due = dueTools(sql, clock.now());
  if (due.length === 0) return;
  core.hasNews = core.commit("task", (tx) => {
    let { hasNews } = core;
    for (const { id, payload: task } of due)
      if (beside.tools.has(task)) setDue(sql, id, clock.now() + DEAD_MAN_MS);
      else hasNews = endTaskIn(core, tx, task, { state: "failed", text: CUT_OFF }).hasNews;
    return hasNews;
  });
}
