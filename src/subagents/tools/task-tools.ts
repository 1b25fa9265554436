import * as z from "zod";
import { isEnded, taskStates, type Task } from "../../shared/tasks.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { asksSomething, endLines, NO_POLLING } from "./parts.ts";

const LISTED = 100;
const MAX_OUTPUT_MS = 600_000;
const MAX_WAIT_SECONDS = 120;

const taskId = z.string().min(1).max(128).describe("As agent_spawn or agent_send gave it.");

const noTask = (id: string): string =>
  `status: error\nerror: This session has no task ${JSON.stringify(id)}. task_list names those that it has.`;

/** What a task is like, and where it has ended what came of it. */
function shown(context: Pick<ToolContext, "tasks">, task: Task): string {
  const { id, agent, state, createdAt } = task;
  const asks = asksSomething(context, task);
  return [
    `task_id: ${id}`,
    `agent_id: ${agent}`,
    `state: ${asks ? "awaiting_confirm" : state}`,
    `created_at: ${new Date(createdAt).toISOString()}`,
    ...(isEnded(state) ? endLines(task) : []),
  ].join("\n");
}

/** What came of a task, waiting for it. */
export const taskOutput = () =>
  defineTool({
    name: "task_output",
    description: "Gives what came of a task that works in the background, and waits for it.",
    input: z.strictObject({
      task_id: taskId,
      block: z.boolean().default(true).describe("Whether to wait until it has ended."),
      timeout: z
        .number()
        .min(0)
        .max(MAX_OUTPUT_MS)
        .default(30_000)
        .describe("How long to wait, in milliseconds."),
    }),
    effect: "read",
    replay: "idempotent",
    parallel: true,
    run({ task_id, block, timeout }, { tasks, now }) {
      const task = tasks.find(task_id);
      if (!task) return noTask(task_id);
      if (isEnded(task.state)) {
        tasks.delivered([task_id]);
        return shown({ tasks }, task);
      }
      const until = tasks.held?.until ?? now() + timeout;
      if (block && now() < until) return { holds: { tasks: [task_id], all: true, until } };
      return `${shown({ tasks }, task)}\n${NO_POLLING}`;
    },
  });

/** The tasks of the session. */
export const taskList = () =>
  defineTool({
    name: "task_list",
    description: "Lists the tasks of this conversation, the newest first.",
    input: z.strictObject({
      status_filter: z.enum(taskStates).optional().describe("Only tasks in this state."),
    }),
    effect: "read",
    replay: "pure",
    run({ status_filter }, { tasks }) {
      const query = status_filter === undefined ? {} : { state: status_filter };
      const found = tasks.list({ ...query, limit: LISTED });
      if (found.length === 0) return "No tasks.";
      const rows = found.map((task) => {
        const state = asksSomething({ tasks }, task) ? "awaiting_confirm" : task.state;
        return `- ${task.id} [${state}] ${task.agent}: ${task.title}`;
      });
      return [`${found.length} tasks:`, ...rows].join("\n");
    },
  });

/** Stops a task. */
export const taskCancel = () =>
  defineTool({
    name: "task_cancel",
    description: "Stops a task: once this has answered, nothing is done for it any more.",
    input: z.strictObject({ task_id: taskId }),
    effect: "write",
    replay: "idempotent",
    async run({ task_id }, { tasks }) {
      const task = tasks.find(task_id);
      if (!task) return noTask(task_id);
      if (await tasks.cancel(task_id)) return `task_id: ${task_id}\nstatus: cancelled`;
      return `task_id: ${task_id}\nIt had ended before: ${tasks.find(task_id)?.state ?? task.state}.`;
    },
  });

/** Waits for what works in the background. */
export const waitAsyncResults = () =>
  defineTool({
    name: "wait_async_results",
    description:
      "Waits until tasks that work in the background have ended, and gives what came of them. Call it once, when there is nothing else to do.",
    input: z.strictObject({
      timeout_seconds: z.number().min(0).max(MAX_WAIT_SECONDS).default(60),
      task_ids: z
        .string()
        .max(4_000)
        .optional()
        .describe("Ids with commas between them. Default: all that are at work."),
      wait_all: z
        .boolean()
        .default(false)
        .describe("Whether to wait for all of them, instead of for the first."),
    }),
    effect: "read",
    replay: "idempotent",
    parallel: true,
    run({ timeout_seconds, task_ids, wait_all }, { tasks, now }) {
      const asked = task_ids?.split(",").flatMap((id) => id.trim() || []) ?? [];
      const lost = asked.find((id) => !tasks.find(id));
      if (lost !== undefined) return noTask(lost);
      // Those that were at work when it began, also once it looks again.
      const working = tasks.held?.tasks ?? (asked.length > 0 ? asked : openIds(tasks));
      if (working.length === 0) return "No task is at work.";
      const found = working.flatMap((id) => tasks.find(id) ?? []);
      const ended = found.filter(({ state }) => isEnded(state));
      const isOver = wait_all ? ended.length === found.length : ended.length > 0;
      const until = tasks.held?.until ?? now() + timeout_seconds * 1_000;
      if (!isOver && now() < until) return { holds: { tasks: working, all: wait_all, until } };
      tasks.delivered(ended.map(({ id }) => id));
      if (ended.length === 0) return `Nothing has ended in ${timeout_seconds} s. ${NO_POLLING}`;
      return ended.map((task) => shown({ tasks }, task)).join("\n\n");
    },
  });

const openIds = (tasks: ToolContext["tasks"]): readonly string[] =>
  [
    ...tasks.list({ state: "running", limit: LISTED }),
    ...tasks.list({ state: "pending", limit: LISTED }),
  ].map(({ id }) => id);
