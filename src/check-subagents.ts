import type { AgentDefinition } from "./define-agent.ts";
import { SUBAGENT_ID } from "./subagents/parse-declaration.ts";
import { defaultSubagents } from "./subagents/tools/parts.ts";

type Checks = {
  readonly names: (inside: string, given: object, known: object) => void;
  readonly number: (option: string, value: unknown, bounds: readonly [number, number]) => void;
};

/** Refuses subagents that could not work as they read. Throws a plain `Error`, which operators see at start. */
export function checkSubagents(
  { subagents = [], subagentLimits = {}, ...switches }: AgentDefinition,
  { names, number }: Checks,
): void {
  names("subagentLimits.", subagentLimits, defaultSubagents);
  const { maxWaitSeconds, maxRunning } = { ...defaultSubagents, ...subagentLimits };
  number("subagentLimits.maxWaitSeconds", maxWaitSeconds, [0, 600]);
  number("subagentLimits.maxRunning", maxRunning, [1, 100]);
  for (const { id, description } of subagents) {
    if (!SUBAGENT_ID.test(id))
      throw new Error(
        `The subagent ${JSON.stringify(id)} must be called by letters, digits, - and _, 64 at most.`,
      );
    if (description.trim() === "")
      throw new Error(`The subagent ${id} has no description. Say what it is for.`);
  }
  if (switches.enableAgentGenerateTool === true && switches.disableDynamicSubagents === true)
    throw new Error(
      "With disableDynamicSubagents, what enableAgentGenerateTool writes would be none.",
    );
  const ids = subagents.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw new Error(`subagents has ${twice} twice.`);
}
