import * as z from "zod";
import { defineTool } from "../../tools/define-tool.ts";
import type { Declaration } from "../../shared/subagents.ts";
import { taskOf } from "../../shared/tasks.ts";
import type { ToolContext, ToolOutput } from "../../tools/tool.ts";
import { spawnable, type Roster } from "../catalogue.ts";
import {
  awaited,
  childSession,
  DEFAULT_WAIT_SECONDS,
  keyOf,
  NO_POLLING,
  waitSeconds,
  type SubagentToolParts,
} from "./parts.ts";

const MAX_TASK = 100_000;
const MAX_TITLE = 120;

const Input = z.strictObject({
  agent_id: z.string().max(64).describe("One of the subagents that the prompt lists."),
  task: z
    .string()
    .max(MAX_TASK)
    .optional()
    .describe(
      "What to do, all of it: the subagent sees nothing of this conversation. Without it the subagent is only made ready.",
    ),
  label: z
    .string()
    .trim()
    .regex(/^[\w .-]{1,64}$/, "must be 1 to 64 letters, digits, spaces, dots, _ or -")
    .optional()
    .describe("A name of your own for it, for agent_send."),
  timeout_seconds: waitSeconds,
  expose_to_user: z
    .boolean()
    .optional()
    .describe("Whether the user may speak to it directly. Default: as it is declared."),
});

/** Hands work to a subagent. */
export const agentSpawn = (parts: SubagentToolParts) =>
  defineTool({
    name: "agent_spawn",
    description:
      "Hands a task to a subagent, which works on it in a conversation of its own and answers with what came of it. Use it for work that is on its own, takes many steps, or can be done beside other work.",
    input: Input,
    // What it does is decided on there, by the same rights.
    effect: "read",
    replay: "idempotent",
    parallel: true,
    async run(input, context) {
      const { agent_id, task, label, timeout_seconds = DEFAULT_WAIT_SECONDS } = input;
      const roster = await parts.rosterOf(context);
      const declaration = spawnable(roster).find(({ id }) => id === agent_id);
      if (!declaration) return unknown(agent_id, roster);
      const { id, persistSession, exposeToUser } = declaration;
      const name = label?.toLowerCase() ?? null;
      const what = persistSession ? [id, ...(name === null ? [] : [name])].join("/") : null;
      const session = await childSession(context, what);
      const holder = name === null ? null : context.tasks.child({ label: name });
      if (holder && holder.session !== session)
        return `status: error\nerror: The label ${label ?? ""} is in use: ${keyOf(holder.agent, holder.session)} has it.`;
      const isExposed = exposeToUser ?? input.expose_to_user ?? false;
      const child = { session, agent: id, label: name, isExposed };
      const head = headOf(child);
      if (task === undefined || task.trim() === "") {
        context.tasks.adopt(child);
        return [...head, "status: accepted"].join("\n");
      }
      const work = { declaration, child, head, text: task };
      return handedOn(parts, context, work, timeout_seconds);
    },
  });

export type Handed = {
  /** `null`: it is gone, and the subagent goes on with what it is. */
  readonly declaration: Declaration | null;
  readonly child: {
    readonly session: string;
    readonly agent: string;
    readonly label: string | null;
    readonly isExposed: boolean;
  };
  readonly head: readonly string[];
  readonly text: string;
};

/** The work is handed on, once, and waited for. */
export async function handedOn(
  { options }: SubagentToolParts,
  context: ToolContext,
  { declaration, child, head, text }: Handed,
  asked: number,
): Promise<ToolOutput> {
  const { tasks } = context;
  const seconds = Math.min(asked, options.maxWaitSeconds);
  const id = await taskOf(context.op);
  if (!tasks.find(id)) {
    if (tasks.open() >= options.maxRunning)
      return `status: error\nerror: ${options.maxRunning} tasks are at work already. Wait for one of them.`;
    const title = text.replaceAll(/\s+/g, " ").trim().slice(0, MAX_TITLE);
    const isWaitedFor = seconds > 0;
    tasks.handOn({ id, child, declaration, title, text, isWaitedFor });
  }
  if (seconds === 0) return [...head, "status: accepted", `task_id: ${id}`, NO_POLLING].join("\n");
  return awaited(context, { id, seconds, head }, options);
}

/** What every answer about a subagent begins with. */
export const headOf = ({ agent, session, label, isExposed }: Handed["child"]): string[] => [
  `agent_key: ${keyOf(agent, session)}`,
  `agent_id: ${agent}`,
  `session_id: ${session}`,
  ...(label === null ? [] : [`label: ${label}`]),
  ...(isExposed ? [`The user may speak to it directly, in the session ${session}.`] : []),
];

function unknown(id: string, roster: Roster): string {
  const names = spawnable(roster).map((one) => one.id);
  const known = names.length === 0 ? "There are none." : `There are: ${names.join(", ")}.`;
  return `status: error\nerror: There is no subagent ${JSON.stringify(id)} that can be spawned. ${known}`;
}
