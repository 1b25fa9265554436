import { defineAgent, type AgentDefinition } from "../../src/define-agent.ts";
import { createDeployment } from "../../src/harness.ts";
import type { Model } from "../../src/model/model.ts";
import type { ServerTool } from "../../src/tools/tool.ts";
import type { IsolationScope } from "../../src/workspace/workspace.ts";
import { clientTool } from "./client-tool.ts";
import { outside } from "./outside.ts";
import { createScriptedModel } from "./scripted-model.ts";
import { createScriptedTools } from "./scripted-tools.ts";

/** Asks for the outside world at each call, so that a test may replace it. */
const model: Model = {
  id: "scripted",
  stream: (request, signal) =>
    createScriptedModel(outside().witness, outside().pause).stream(request, signal),
};

const tools: ServerTool[] = createScriptedTools(outside().effects).map((tool) => ({
  ...tool,
  prepare: (input) => {
    const current = createScriptedTools(outside().effects, outside().pause).find(
      ({ name }) => name === tool.name,
    );
    return (current ?? tool).prepare(input);
  },
}));

/** Two agents of each isolation scope. */
export const scopedAgents: Readonly<Record<IsolationScope, readonly [string, string]>> = {
  SESSION: ["by-session", "by-session-2"],
  USER: ["by-user", "by-user-2"],
  AGENT: ["by-agent", "by-agent-2"],
  GLOBAL: ["global", "global-2"],
};

const scoped = Object.entries(scopedAgents).flatMap(([scope, ids]): AgentDefinition[] =>
  ids.map((id) => ({ id, isolationScope: scope as IsolationScope, model })),
);

/** The switches of a definition; each is set by the agent of its name alone, and by `all-on` none is. */
export const switches = [
  "disableFilesystemTools",
  "disableAtPathExpansion",
  "disableTranscript",
  "disableSessionPersistence",
  "disableWorkspaceContext",
  "disableMemoryTools",
  "disableMemoryHooks",
] as const;

const switched = switches.map((id): AgentDefinition => ({ id, model, [id]: true }));

/**
 * For agents whose objects are crashed. The runner waits for each line of the log, and one of an aborted object may never
 * come; and work of memory that was cut off goes on half a minute later, for which no test here can wait: that is crashed
 * in Node, `test/turn/later.test.ts` and `test/memory/flush`.
 */
const crashed = { telemetry: { spans: false }, disableMemoryHooks: true };

/** What the test worker serves. */
export const deployment = createDeployment([
  defineAgent({ id: "main" }),
  defineAgent({
    id: "scripted",
    model,
    tools,
    ...crashed,
    compaction: { triggerTokens: 80_000 },
    permissions: { mode: "BYPASS" },
    modelRetry: { attempts: 3, minDelayMs: 1, maxDelayMs: 2 },
  }),
  defineAgent({
    id: "after",
    model,
    tools,
    ...crashed,
    permissions: { mode: "BYPASS" },
    capabilities: [
      {
        name: "after",
        async afterTurns(_scope, turns) {
          await outside().pause();
          for (const { turn, entries } of turns)
            outside().afterTurns.push({ turn, entries: entries.length });
        },
      },
    ],
  }),
  // Asks before whatever has an effect outside, and can plan first.
  defineAgent({
    id: "asking",
    model,
    tools,
    ...crashed,
    enablePlanMode: true,
    enableTaskList: true,
  }),
  // Asks too, and has a tool that its clients run.
  defineAgent({ id: "client-tool", model, tools: [...tools, clientTool], ...crashed }),
  defineAgent({
    id: "careful",
    model,
    tools,
    permissions: { modes: ["DEFAULT", "EXPLORE"], deny: [{ tool: "keyed_thing" }] },
  }),
  defineAgent({
    id: "frugal",
    model,
    tools,
    permissions: { mode: "BYPASS" },
    limits: { maxTurnTokens: 40 },
  }),
  defineAgent({ id: "budgeted", model, dailyTokens: 1_000 }),
  ...scoped,
  {
    id: "skilled",
    model,
    permissions: { mode: "BYPASS" },
    enableSkillManageTool: true,
    enableSkillCurator: true,
  },
  { id: "all-on", model, description: "Has everything." },
  ...switched,
  // Named as users are, and as directories of a workspace.
  defineAgent({ id: "a", model }),
  defineAgent({ id: "users", model }),
]);
