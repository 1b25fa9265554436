import type { AgentDefinition } from "../../src/define-agent.ts";
import { createDeployment, type Deployment } from "../../src/harness.ts";
import { createScriptedModel, type Witness } from "../support/scripted-model.ts";
import { createScriptedTools, type Effects } from "../support/scripted-tools.ts";

type Outside = {
  readonly witness: Witness;
  readonly effects: Effects;
  readonly pause: () => Promise<void>;
};

/** The agent `main` as it is composed in production, with a scripted model and tools beside its own. */
export function wholeAgent(outside: Outside, agent: Partial<AgentDefinition>): Deployment {
  const pause = () => outside.pause();
  const definition: AgentDefinition = {
    id: "main",
    model: createScriptedModel(outside.witness, pause),
    tools: createScriptedTools(outside.effects, pause),
    permissions: { mode: "BYPASS" },
    disableTranscript: true,
    disableMemoryHooks: true,
    telemetry: { spans: false },
    ...agent,
  };
  return createDeployment([definition]);
}
