import { defineAgent, type AgentDefinition } from "./define-agent.ts";

/**
 * What this deployment serves. The agent's persona and knowledge are files in `seed-workspace/`; its code twin is
 * here: tools of your own, a model, limits. It drafts skills, which a person promotes, and what nobody uses is put away;
 * it plans large work first, and keeps a list of what is to be done.
 */
export const agents: readonly AgentDefinition[] = [
  defineAgent({
    id: "main",
    name: "Carrel",
    enableSkillManageTool: true,
    enableSkillCurator: true,
    enablePlanMode: true,
    enableTaskList: true,
  }),
];
