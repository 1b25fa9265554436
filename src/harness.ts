import { templateFiles, templateVersion } from "../.template/template.ts";
import {
  callBucket,
  indexSession,
  ledgerOf,
  markDirty,
  registerBucket,
  settleTimes,
  sharedAge,
  sharedLayer,
  storeOf,
  unregisterBucket,
  unregisterSession,
} from "./bindings.ts";
import { checkDefinition } from "./check-definition.ts";
import { chooseModel } from "./choose-model.ts";
import { composeMemory, upkeepOf, withMeanings } from "./compose-memory.ts";
import {
  agentSkills,
  composeSkills,
  repositorySyncs,
  skillsPatient,
  type AgentSkills,
  type SkillsPlace,
} from "./compose-skills.ts";
import {
  memoryOf,
  promptOptionsOf,
  templateOf,
  compactionOf,
  type AgentDefinition,
} from "./define-agent.ts";
import {
  childCapabilities,
  childDefinition,
  childNotify,
  childWorkspace,
  narrowed,
  subagentsPatient,
} from "./compose-subagents.ts";
import { offeredTools, toolCapabilities } from "./compose-tools.ts";
import { examine, type Doctor } from "./doctor.ts";
import { workspaceLimits, type Env } from "./env.ts";
import { connectMaintenance } from "./maintenance/connect.ts";
import type { MaintenancePorts } from "./maintenance/ports.ts";
import { withInactivityLimit } from "./model/watchdog.ts";
import { withoutPlanTools } from "./plan/plan-mode.ts";
import { defaultPermissions } from "./permissions/config.ts";
import { bucketPrefix, type Bucket } from "./shared/bucket-key.ts";
import { systemClock } from "./shared/clock.ts";
import { consoleLog } from "./shared/log.ts";
import type { SessionAddress } from "./shared/session-address.ts";
import type { Role } from "./shared/subagents.ts";
import { allWants } from "./turn/wants.ts";
import { createBudget } from "./turn/budget.ts";
import type { Capability } from "./turn/capability.ts";
import type { ContextOptions } from "./turn/compaction/options.ts";
import { defaultEviction } from "./turn/eviction/config.ts";
import type { Harness } from "./turn/harness.ts";
import { defaultLimits } from "./turn/limits.ts";
import { createSessionIndex, SESSION_INDEX } from "./turn/records/session-index.ts";
import { forgetFiles } from "./turn/records/session-files.ts";
import { sessionLog } from "./turn/records/session-log.ts";
import { createTelemetry } from "./turn/spans/telemetry.ts";
import { createWebhook } from "./webhook.ts";
import type { BucketParts } from "./workspace/bucket.ts";
import { createTemplate, type Template } from "./workspace/layers/template.ts";
import {
  createSharedWorkspace,
  createWorkspace,
  eraseBucket,
  type IsolationScope,
  type Workspace,
  type WorkspaceOwner,
} from "./workspace/workspace.ts";

/** The agents of a deployment, by id. Except for `has`, a plain `Error` is thrown for an agent that does not exist. */
export type Deployment = {
  readonly has: (agent: string) => boolean;
  /** Everything that one agent is made of. */
  readonly harness: (agent: string, env: Env, role?: Role | null) => Harness;
  readonly isolationScope: (agent: string) => IsolationScope;
  /** Names of the tools of its definition that the client runs. */
  readonly clientTools: (agent: string) => ReadonlySet<string>;
  /** Throws `CarrelError('invalid')` when the scope is SESSION and the owner names no session. Makes no call. */
  readonly workspace: (agent: string, env: Env, owner: WorkspaceOwner) => Workspace;
  /** The files that the agent's users share, for themselves. Makes no call. */
  readonly sharedWorkspace: (agent: string, env: Env) => Workspace;
  /** Throws `CarrelError('not_found')` for an agent without skills. Makes no call. */
  readonly skills: (agent: string, env: Env, place: SkillsPlace) => AgentSkills;
  /** How much of MEMORY.md there may be, in tokens. */
  readonly memoryTokens: (agent: string) => number;
  /** What the upkeep of all agents' memory works with. Makes no call. */
  readonly maintenance: (env: Env) => MaintenancePorts;
  /** What the object of a bucket works with. */
  readonly bucket: (bucket: Bucket, env: Env) => BucketParts;
  readonly doctor: (agent: string, env: Env, owner: WorkspaceOwner) => Promise<Doctor>;
};

/**
 * Checks the definitions once: ids are well formed and unique. Throws a plain `Error`, which operators see at start.
 * `template` is what every user's workspace starts from; default: the one that was bundled.
 */
export function createDeployment(
  definitions: readonly AgentDefinition[],
  template: Template = createTemplate(templateFiles, templateVersion),
): Deployment {
  for (const definition of definitions) checkDefinition(definition);
  if (new Set(definitions.map(({ id }) => id)).size < definitions.length)
    throw new Error("two agents have the same id");
  const find = (agent: string): AgentDefinition => {
    const definition = definitions.find(({ id }) => id === agent);
    if (!definition) throw new Error("no such agent");
    return definition;
  };
  const templates = new Map(definitions.map((one) => [one.id, templateOf(one, template)]));
  const isolationScope = (agent: string) => find(agent).isolationScope ?? "USER";
  const workspace = (agent: string, env: Env, owner: WorkspaceOwner) =>
    workspaceFor(find(agent), owner, env);
  return {
    has: (agent) => definitions.some(({ id }) => id === agent),
    harness: (agent, env, role = null) =>
      role ? createChildHarness(find(agent), env, role) : createHarness(find(agent), env),
    isolationScope,
    clientTools: (agent) =>
      new Set(
        (find(agent).tools ?? []).flatMap(({ name, runsOn }) =>
          runsOn === "client" ? [name] : [],
        ),
      ),
    workspace,
    sharedWorkspace: (agent, env) =>
      createSharedWorkspace(agent, callBucket(env), isolationScope(agent)),
    skills: (agent, env, place) => agentSkills(find(agent), env, place),
    memoryTokens: (agent) => memoryOf(find(agent)).consolidationMaxTokens,
    maintenance: (env) =>
      connectMaintenance(
        env,
        definitions.map((definition) => upkeepOf(definition, env)),
        repositorySyncs(definitions, env),
      ),
    bucket: (bucket, env) => ({
      ...bucketParts(bucket, env),
      template: ("agent" in bucket ? templates.get(bucket.agent) : undefined) ?? template,
    }),
    doctor: (agent, env, owner) =>
      examine(
        {
          definition: find(agent),
          scope: isolationScope(agent),
          template: (templates.get(agent) ?? template).version,
          workspace: workspace(agent, env, owner),
          owner,
          skills: skillsPatient(find(agent)),
          subagents: subagentsPatient(find(agent)),
          tools: offeredTools(find(agent), env),
        },
        env,
      ),
  };
}

/** What the object of a bucket works with, whoever's it is. */
const bucketParts = (bucket: Bucket, env: Env): Omit<BucketParts, "template"> => ({
  store: storeOf(env),
  shared: "user" in bucket ? sharedLayer(bucket.agent, env) : null,
  register: () => registerBucket(env, bucketPrefix(bucket), systemClock.now()),
  unregister: () => unregisterBucket(env, bucketPrefix(bucket)),
  tellDirty: (at) => markDirty(env, bucketPrefix(bucket), at),
  limits: workspaceLimits(env),
  ...settleTimes(env),
  ...sharedAge(env),
});

/** The agent as its subagent has it: narrowed, with its own files, and spoken to by its parent. */
function createChildHarness(parent: AgentDefinition, env: Env, role: Role): Harness {
  const { declaration } = role;
  const definition = childDefinition(parent, declaration);
  // Under SESSION too, the files are those of the session that it works for.
  const whole = () => workspaceFor(parent, role.parent, env);
  const harness = createHarness(definition, env);
  const { tools } = declaration;
  return {
    ...harness,
    capabilities: [
      ...childCapabilities(role, whole),
      ...harness.capabilities
        .filter(({ name }) => name !== SESSION_INDEX)
        .map((capability) => narrowed(withoutPlanTools(capability), tools)),
    ],
    workspace: () => childWorkspace(whole(), declaration),
    notify: childNotify(harness.notify, role),
    forget: (address) => forgetFiles(childWorkspace(whole(), declaration), address),
  };
}

/** The one list: an agent's capabilities in their order, its model and its limits. */
function createHarness(definition: AgentDefinition, env: Env): Harness {
  const { disableTranscript, disableSessionPersistence, dailyTokens } = definition;
  const hasLog = !disableTranscript && !disableSessionPersistence;
  const model = chooseModel(definition.model, env);
  const { spans = true, payloads = false } = definition.telemetry ?? {};
  const observed = { agent: definition.name ?? definition.id, model: model.id, payloads };
  const capabilities: Capability[] = [
    ...(spans ? [createTelemetry(consoleLog, observed)] : []),
    ...(dailyTokens === undefined ? [] : [createBudget(dailyTokens, ledgerOf(env))]),
    ...(definition.capabilities ?? []),
    ...toolCapabilities(definition, composeMemory(definition, env), composeSkills(definition, env)),
    ...(hasLog ? [sessionLog] : []),
    createSessionIndex((address, news) => indexSession(env, address, news)),
  ];
  return {
    model: withInactivityLimit(model, definition.modelInactivityMs, systemClock),
    capabilities,
    workspace: (address) => workspaceFor(definition, address, env),
    attachesFiles: definition.disableAtPathExpansion !== true,
    limits: { ...defaultLimits, ...definition.limits },
    ...(definition.asyncToolTimeoutMs === undefined
      ? {}
      : { asyncToolTimeoutMs: definition.asyncToolTimeoutMs }),
    ...(definition.disableToolResultEviction
      ? {}
      : { eviction: { ...defaultEviction, ...definition.toolResultEviction } }),
    context: contextOf(definition, env),
    retry: definition.modelRetry ?? {},
    hasAfterTurn: capabilities.some(
      (item) => item.afterTurns !== undefined || item.later !== undefined,
    ),
    permissions: { ...defaultPermissions, ...definition.permissions },
    hasPlanMode: definition.enablePlanMode === true,
    notify: createWebhook(env),
    forget: (address) => forgetSession(definition.isolationScope ?? "USER", address, env),
    prompt: { ...promptOptionsOf(definition), wants: allWants(capabilities) },
  };
}

/** How much of a conversation the model sees: without session persistence only the turn itself. */
function contextOf(definition: AgentDefinition, env: Env): ContextOptions {
  const compaction = compactionOf(definition);
  const model = compaction?.model ?? null;
  const { modelInactivityMs } = definition;
  return {
    isPerTurn: definition.disableSessionPersistence === true,
    compaction,
    summariser:
      model === null
        ? null
        : withInactivityLimit(chooseModel(model, env), modelInactivityMs, systemClock),
  };
}

/** The files of an owner, searched by meaning where that can be had. Makes no call. */
const workspaceFor = (definition: AgentDefinition, owner: WorkspaceOwner, env: Env): Workspace =>
  withMeanings(
    createWorkspace(definition.isolationScope ?? "USER", owner, callBucket(env)),
    definition,
    owner,
    env,
  );

/** Everything of a session that is not in its own tables; last its line in the list of what exists. */
async function forgetSession(
  scope: IsolationScope,
  address: SessionAddress,
  env: Env,
): Promise<void> {
  const call = callBucket(env);
  if (scope === "SESSION") await eraseBucket(bucketPrefix({ scope, ...address }), call);
  await forgetFiles(createWorkspace(scope, address, call), address);
  await unregisterSession(env, address);
}
