import { memoryTools } from "./compose-memory.ts";
import { composeSkills } from "./compose-skills.ts";
import { composeSubagents } from "./compose-subagents.ts";
import { additionalFilesOf, type AgentDefinition } from "./define-agent.ts";
import type { Env } from "./env.ts";
import { createPlanMode } from "./plan/plan-mode.ts";
import { todoList } from "./plan/todo-list.ts";
import { currentTime } from "./tools/current-time.ts";
import { createFileTools } from "./tools/files/file-tools.ts";
import type { Tool } from "./tools/tool.ts";
import type { SameTools } from "./turn/capability.ts";

/** What every turn offers, in its order, without a model. Makes no call. */
export const offeredTools = (definition: AgentDefinition, env: Env): readonly Tool[] =>
  toolCapabilities(
    definition,
    { name: "memory", tools: () => memoryTools(definition, env) },
    composeSkills(definition, env),
  ).flatMap((capability) => capability.tools());

/** Those that offer the same tools in every turn. */
export function toolCapabilities(
  definition: AgentDefinition,
  memory: SameTools,
  skills: SameTools | null,
): readonly SameTools[] {
  const files = createFileTools(additionalFilesOf(definition));
  const subagents = composeSubagents(definition);
  return [
    { name: "own-tools", tools: () => definition.tools ?? [] },
    { name: "clock", tools: () => [currentTime] },
    ...(definition.disableFilesystemTools ? [] : [{ name: "files", tools: () => files }]),
    memory,
    ...(skills ? [skills] : []),
    ...(definition.enablePlanMode
      ? [createPlanMode({ allowsShell: definition.allowShellInPlanMode === true })]
      : []),
    ...(definition.enableTaskList ? [todoList] : []),
    ...(subagents ? [subagents] : []),
  ];
}
