import { defineAgent, type AgentDefinition } from "./define-agent.ts";

/**
 * What this deployment serves. The agent's persona and knowledge are files in `seed-workspace/`; its code twin is
 * here: tools of your own, a model, limits.
 */
export const agents: readonly AgentDefinition[] = [defineAgent({ id: "main", name: "Carrel" })];
