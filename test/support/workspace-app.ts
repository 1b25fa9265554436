import type { AgentDefinition } from "../../src/define-agent.ts";
import { createDeployment } from "../../src/harness.ts";
import { createApp } from "../../src/http/app.ts";
import { templateOf } from "./bucket-parts.ts";
import type { WorkspaceLab } from "./workspace-lab.ts";

/** Answers a request to the origin `http://localhost`. */
export type Ask = (request: Request) => Promise<Response>;

/** The real routes of a deployment of these agents over the buckets of a lab. It has no sessions. */
export function workspaceApp(
  lab: WorkspaceLab,
  agents: readonly AgentDefinition[],
  variables: Readonly<Record<string, string>> = {},
): Ask {
  const app = createApp(createDeployment(agents, templateOf(lab.template, lab.templateVersion)));
  const env = { ...lab.env, ...variables };
  return async (request) => app.fetch(request, env);
}
