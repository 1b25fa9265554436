import * as z from "zod";
import { defineTool } from "../../tools/define-tool.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { handedOn, headOf } from "./agent-spawn.ts";
import {
  DEFAULT_WAIT_SECONDS,
  keyOf,
  sessionIn,
  waitSeconds,
  type SubagentToolParts,
} from "./parts.ts";

const LISTED = 50;

const Input = z.strictObject({
  agent_key: z.string().max(256).optional().describe("As agent_spawn gave it."),
  label: z.string().max(64).optional().describe("Its label, in the place of the key."),
  message: z.string().min(1).max(100_000),
  timeout_seconds: waitSeconds,
});

/** Goes on with a subagent's conversation. */
export const agentSend = (parts: SubagentToolParts) =>
  defineTool({
    name: "agent_send",
    description:
      "Sends a message to a subagent that was spawned before: its conversation goes on, and it knows what was said in it.",
    input: Input.refine(
      ({ agent_key, label }) => (agent_key === undefined) !== (label === undefined),
      { message: "Send agent_key or label, one of them" },
    ),
    effect: "read",
    replay: "idempotent",
    parallel: true,
    async run({ agent_key, label, message, timeout_seconds = DEFAULT_WAIT_SECONDS }, context) {
      const child = childOf(context, agent_key, label);
      if (!child)
        return `status: error\nerror: This session has no subagent ${JSON.stringify(agent_key ?? label)}. agent_list names those that it has.`;
      const { declarations } = await parts.rosterOf(context);
      const declaration = declarations.find(({ id }) => id === child.agent) ?? null;
      const work = { declaration, child, head: headOf(child), text: message };
      return handedOn(parts, context, work, timeout_seconds);
    },
  });

function childOf({ tasks }: ToolContext, key: string | undefined, label: string | undefined) {
  if (label !== undefined) return tasks.child({ label });
  const session = sessionIn(key ?? "");
  return session === null ? null : tasks.child({ session });
}

/** The subagents of the session. */
export const agentList = () =>
  defineTool({
    name: "agent_list",
    description: "Lists the subagents that were spawned in this conversation, the newest first.",
    input: z.strictObject({}),
    effect: "read",
    replay: "pure",
    run(_, { tasks }) {
      const children = tasks.children(LISTED);
      if (children.length === 0) return "No active subagents.";
      const entries = children.map(({ session, agent, label, pending }) =>
        [
          `agent_key: ${keyOf(agent, session)}`,
          `agent_id: ${agent}`,
          ...(label === null ? [] : [`label: ${label}`]),
          "spawn_depth: 1",
          ...(pending.length > 0 ? ["It waits for the user's permission."] : []),
        ].join("\n"),
      );
      return [`${children.length} subagents:`, ...entries].join("\n\n");
    },
  });
