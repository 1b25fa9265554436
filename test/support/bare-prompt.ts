import type { PromptOptions } from "../../src/context/prompt-sources.ts";

/** For tests in which nobody looks at the prompt: nothing of the workspace is asked for. */
export const barePrompt: PromptOptions = {
  persona: "",
  agentName: "Lab",
  environmentMemory: "",
  hasWorkspace: false,
  hasFileTools: true,
  additionalFiles: [],
  maxContextTokens: 8_000,
  memory: { isInjected: true, tools: false, hooks: false },
};
