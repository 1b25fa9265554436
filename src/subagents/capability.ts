import type { ToolContext } from "../tools/tool.ts";
import type { SameTools } from "../turn/capability.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { Rosters, subagentsSection, type Roster, type RosterParts } from "./catalogue.ts";
import { agentGenerate, type Review } from "./tools/agent-generate.ts";
import { agentList, agentSend } from "./tools/agent-send.ts";
import { agentSpawn } from "./tools/agent-spawn.ts";
import { defaultSubagents, type SubagentOptions } from "./tools/parts.ts";
import { taskCancel, taskList, taskOutput, waitAsyncResults } from "./tools/task-tools.ts";

export type SubagentsParts = RosterParts & {
  readonly options?: SubagentOptions;
  /** Has the agent draft declarations, which this looks through; absent: it cannot. */
  readonly review?: Review;
};

/** Subagents as an agent has them: their list in the prompt, and the tools to work with them. */
export function createSubagents({
  options = defaultSubagents,
  review,
  ...given
}: SubagentsParts): SameTools {
  const rosters = new Rosters(given);
  /** What the newest turn over these files began with. */
  const newest = new WeakMap<Workspace, Roster>();
  const rosterOf = async ({ workspace }: ToolContext): Promise<Roster> =>
    newest.get(workspace) ?? (await rosters.of(workspace, null));
  const parts = { rosterOf, options };
  const tools = [
    agentSpawn(parts),
    agentSend(parts),
    agentList(),
    taskOutput(),
    taskList(),
    taskCancel(),
    waitAsyncResults(),
    ...(review ? [agentGenerate(review)] : []),
  ];
  return {
    name: "subagents",
    wants: rosters.wants,
    tools: () => tools,
    async sections({ workspace, files }) {
      const roster = await rosters.of(workspace, await files());
      newest.set(workspace, roster);
      const section = subagentsSection(roster);
      return section ? [section] : [];
    },
  };
}
