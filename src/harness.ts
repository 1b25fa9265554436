import { templateFiles, templateVersion } from "../.template/template.ts";
import { assemblePrompt } from "./context/prompt.ts";
import type { AgentDefinition } from "./define-agent.ts";
import { textVariables, type Env } from "./env.ts";
import { createModel, trustedOrigins } from "./model/choose.ts";
import { createOfflineModel } from "./model/offline/offline-model.ts";
import { withInactivityLimit } from "./model/watchdog.ts";
import { CarrelError } from "./shared/errors.ts";
import { isMarked } from "./shared/platform-error.ts";
import type { WorkspaceApi } from "./shared/workspace-api.ts";
import { createWorkspace, type CallBucket } from "./workspace/workspace.ts";
import { systemClock } from "./shared/clock.ts";
import { createGuardedFetch } from "./shared/guarded-fetch.ts";
import { parseId } from "./shared/ids.ts";
import { currentTime } from "./tools/current-time.ts";
import { createTemplateTools } from "./tools/template-files.ts";
import type { Tool } from "./tools/tool.ts";
import type { Capability } from "./turn/capability.ts";
import type { Harness } from "./turn/harness.ts";
import { defaultLimits } from "./turn/limits.ts";
import { defaultWindow } from "./turn/window.ts";
import { createTemplate, type Template } from "./workspace/template.ts";

/** The agents of a deployment, by id. */
export type Deployment = {
  readonly has: (agent: string) => boolean;
  /** Everything that one agent is made of. Throws a plain `Error` for an agent that does not exist. */
  readonly harness: (agent: string, env: Env) => Harness;
};

/**
 * Checks the definitions once: ids are well formed and unique. Throws a plain `Error`, which operators see at start.
 * `template` is what every user's workspace starts from; default: the one that was bundled.
 */
export function createDeployment(
  definitions: readonly AgentDefinition[],
  template: Template = createTemplate(templateFiles, templateVersion),
): Deployment {
  const ids = definitions.map((definition) => parseId("The id of an agent", definition.id));
  if (new Set(ids).size < ids.length) throw new Error("two agents have the same id");
  const find = (agent: string) => definitions.find((definition) => definition.id === agent);
  const fileTools = createTemplateTools(template);
  return {
    has: (agent) => find(agent) !== undefined,
    harness(agent, env) {
      const definition = find(agent);
      if (!definition) throw new Error("no such agent");
      return createHarness(definition, env, { template, fileTools });
    },
  };
}

/** What all agents and sessions of a deployment share; nothing in it ever changes. */
type Shared = { readonly template: Template; readonly fileTools: readonly Tool[] };

/** The one list: an agent's capabilities in their order, its model and its limits. */
function createHarness(definition: AgentDefinition, env: Env, shared: Shared): Harness {
  const capabilities: Capability[] = [
    ...(definition.capabilities ?? []),
    { name: "own-tools", tools: () => definition.tools ?? [] },
    { name: "clock", tools: () => [currentTime] },
    { name: "template-files", tools: () => shared.fileTools },
  ];
  return {
    model: withInactivityLimit(
      chooseModel(definition, env),
      definition.modelInactivityMs,
      systemClock,
    ),
    capabilities,
    workspace: (address) =>
      createWorkspace(definition.isolationScope ?? "USER", address, callBucket(env)),
    limits: { ...defaultLimits, ...definition.limits },
    window: { ...defaultWindow, ...definition.context },
    retry: definition.modelRetry ?? {},
    hasAfterTurn: capabilities.some((capability) => capability.afterTurn !== undefined),
    assemble: (sections, scope) =>
      assemblePrompt({
        persona: definition.systemPrompt ?? "",
        sections,
        files: shared.template,
        agentName: definition.name ?? definition.id,
        sessionId: scope.address.session,
        date: scope.now(),
      }),
  };
}

/** Calls a bucket's object, once more on a fresh stub when the connection was lost: every method may be repeated. */
const callBucket =
  (env: Env): CallBucket =>
  async (bucket, call) => {
    const stub = () => env.WORKSPACES.getByName(bucket) as WorkspaceApi;
    try {
      return await call(stub());
    } catch (error) {
      if (isMarked(error, "overloaded"))
        throw new CarrelError("overloaded", "The workspace is busy. Try again in a moment.");
      if (!isMarked(error, "retryable")) throw error;
      return call(stub());
    }
  };

function chooseModel(definition: AgentDefinition, env: Env) {
  if (typeof definition.model === "object") return definition.model;
  const variables = textVariables(env);
  const spec = definition.model ?? (variables.MODEL || "offline");
  return createModel(spec, variables, {
    fetch: createGuardedFetch({ trustedOrigins: trustedOrigins(variables) }),
    offline: createOfflineModel(),
    ...(env.AI ? { ai: env.AI } : {}),
  });
}
