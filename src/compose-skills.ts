import { callBucket } from "./bindings.ts";
import { chooseModel } from "./choose-model.ts";
import { skillsOf, type AgentDefinition } from "./define-agent.ts";
import type { Section } from "./context/sections.ts";
import type { Env } from "./env.ts";
import type { AgentUpkeep, RepositorySync } from "./maintenance/ports.ts";
import { CarrelError, notFound } from "./shared/errors.ts";
import { createGuardedFetch } from "./shared/guarded-fetch.ts";
import { systemClock } from "./shared/clock.ts";
import { consoleLog } from "./shared/log.ts";
import type { CuratorRun } from "./shared/skill-upkeep.ts";
import type { RepositoryView } from "./shared/skills-views.ts";
import type { Snapshot } from "./shared/workspace-snapshot.ts";
import { createSkillsCapability } from "./skills/capability.ts";
import { createCatalogues, type Catalogues } from "./skills/catalogue/build.ts";
import { liveSkill } from "./skills/catalogue/live-skill.ts";
import type { Catalogue } from "./skills/catalogue/catalogue.ts";
import { catalogueSection } from "./skills/catalogue/section.ts";
import { createSuggest } from "./skills/curator/ask-model.ts";
import { applyGate } from "./skills/gates/apply-gate.ts";
import { gatedText } from "./skills/gates/gated-text.ts";
import { repositoryLimits, type SkillRepository } from "./skills/repositories/repository.ts";
import { createSync, type Sync } from "./skills/repositories/sync.ts";
import { createSkills, type Skills } from "./skills/skills-client.ts";
import type { SameTools, SnapshotWants } from "./turn/capability.ts";
import {
  bucketOf,
  createSharedWorkspace,
  createWorkspace,
  type Workspace,
  type WorkspaceOwner,
} from "./workspace/workspace.ts";

/** Whose skills: a user's, or those that an agent's users share. */
export type SkillsPlace = WorkspaceOwner | "shared";

/** The skills of one agent in one place, for people. Expected failures are thrown as `CarrelError`. */
export type AgentSkills = Omit<Skills, "curate" | "noteSuggestions" | "load"> & {
  /** What the agent can load there, and what is left out and why. */
  readonly catalogue: () => Promise<Catalogue>;
  readonly repositories: () => Promise<readonly RepositoryView[]>;
  /** Asks all repositories now. */
  readonly sync: (signal: AbortSignal) => Promise<void>;
  /** Runs the curator now; `dry`: only says what it would do. A first run never does more. */
  readonly curate: (how: {
    readonly dry: boolean;
    readonly by: string;
    readonly op: string;
  }) => Promise<CuratorRun>;
  readonly hasCurator: boolean;
  /** The report in that directory; `null`: it is not there any more. */
  readonly report: (directory: string) => Promise<string | null>;
  /** Asks the agent's gate about a draft, and gives what that has done, in words; `null`: it waits for a person. */
  readonly decideByGate: (name: string, op: string) => Promise<string | null>;
  /** For what a draft is promoted where nobody says. */
  readonly environments: readonly string[];
};

/** The skills of an agent as a doctor looks at them. */
export type SkillsPatient = {
  readonly wants: SnapshotWants;
  readonly of: (
    snapshot: Snapshot,
    owner: WorkspaceOwner,
  ) => Promise<{ readonly catalogue: Catalogue; readonly section: Section | null }>;
};

const scopeOf = ({ isolationScope = "USER" }: AgentDefinition) => isolationScope;

const repositoriesOf = ({ disableDynamicSkills, skillRepositories = [] }: AgentDefinition) =>
  disableDynamicSkills === true ? [] : skillRepositories;

const cataloguesOf = (definition: AgentDefinition) =>
  createCatalogues({
    config: skillsOf(definition),
    repositories: repositoriesOf(definition),
    sources: {
      own: definition.disableDefaultWorkspaceSkills !== true,
      dynamic: definition.disableDynamicSkills !== true,
    },
  });

/** What an agent's users share: repositories are kept there. Makes no call. */
const sharedOf = (definition: AgentDefinition, env: Env): Workspace =>
  createSharedWorkspace(definition.id, callBucket(env), scopeOf(definition));

/** What keeps the repositories of an agent up to date; `null` where it has none. Makes no call. */
function syncOf(definition: AgentDefinition, env: Env): Sync | null {
  const repositories = repositoriesOf(definition);
  if (definition.disableSkills === true || repositories.length === 0) return null;
  return createSync({
    repositories,
    workspace: sharedOf(definition, env),
    fetchOf: ({ origins }: SkillRepository) => createGuardedFetch({ trustedOrigins: origins }),
    binding: bindingOf(env),
    limits: repositoryLimits,
    clock: systemClock,
    log: consoleLog,
  });
}

const bindingOf =
  (env: Env) =>
  (name: string): unknown =>
    Object.hasOwn(env, name) ? env[name] : undefined;

/** The skills of an agent as its turns have them; `null` with `disableSkills`. Makes no call. */
export function composeSkills(definition: AgentDefinition, env: Env): SameTools | null {
  if (definition.disableSkills === true) return null;
  const config = skillsOf(definition);
  const sync = syncOf(definition, env);
  return createSkillsCapability({
    catalogues: cataloguesOf(definition),
    config,
    skillsOf: (address) => createSkills(bucketOf(scopeOf(definition), address), callBucket(env)),
    canAuthor: definition.enableSkillManageTool === true,
    groups: definition.toolGroups ?? [],
    gate: config.gate,
    binding: bindingOf(env),
    ...(sync ? { refresh: () => sync.syncIfDue() } : {}),
  });
}

/** What doctors say of an agent's skills; `null` with `disableSkills`. Makes no call. */
export function skillsPatient(definition: AgentDefinition): SkillsPatient | null {
  if (definition.disableSkills === true) return null;
  const catalogues = cataloguesOf(definition);
  const { catalogueChars } = skillsOf(definition);
  return {
    wants: catalogues.wants,
    async of(snapshot, owner) {
      const catalogue = await catalogues.of(snapshot, owner);
      return { catalogue, section: catalogueSection(catalogue, catalogueChars) };
    },
  };
}

/** The skills of an agent in a place. Throws `CarrelError('not_found')` where it has none. Makes no call. */
export function agentSkills(
  definition: AgentDefinition,
  env: Env,
  place: SkillsPlace,
): AgentSkills {
  if (definition.disableSkills === true) throw notFound("An agent with skills by that name");
  const config = skillsOf(definition);
  const { owner, bucket, workspace } = homeOf(definition, env, place);
  const client = createSkills(bucket, callBucket(env));
  const { load: _load, curate, noteSuggestions: _note, ...skills } = client;
  const sync = syncOf(definition, env);
  const catalogue = () => catalogueIn(workspace, cataloguesOf(definition), owner);
  return {
    ...skills,
    catalogue,
    repositories: async () => (await sync?.overview()) ?? [],
    sync: async (signal) => sync?.syncNow(signal),
    curate: ({ dry, by, op }) => curate({ options: config.curator, dry, now: true, by, op }),
    hasCurator: definition.enableSkillCurator === true,
    async report(directory) {
      const { files } = await workspace.readMany({ paths: [`${directory}/REPORT.md`] });
      const content = files[0]?.content;
      return content && "text" in content ? content.text : null;
    },
    async decideByGate(name, op) {
      const { gate, environments } = config;
      if (!gate) return null;
      const live = liveSkill(await catalogue(), name);
      const candidate = await skills.candidate(name, live).catch(unlessMissing);
      // The same was sent before, or somebody was quicker.
      if (!candidate) return "It was decided about already.";
      const run = { viewer: owner, binding: bindingOf(env), live, environments, op };
      const parts = { clock: systemClock, log: consoleLog };
      return gatedText(await applyGate(gate, skills, candidate, { ...run, ...parts }));
    },
    environments: config.environments,
  };
}

function unlessMissing(error: unknown): null {
  if (error instanceof CarrelError && error.code === "not_found") return null;
  throw error;
}

/** Where the skills of a place are kept, and whose they are. */
function homeOf(definition: AgentDefinition, env: Env, place: SkillsPlace) {
  const { id: agent } = definition;
  const scope = scopeOf(definition);
  if (place !== "shared") {
    const workspace = createWorkspace(scope, place, callBucket(env));
    return { owner: place, bucket: bucketOf(scope, place), workspace };
  }
  const owner = { agent, user: "", session: null };
  const common = scope === "GLOBAL" ? "GLOBAL" : "AGENT";
  return { owner, bucket: bucketOf(common, owner), workspace: sharedOf(definition, env) };
}

/** What an owner's agent can load now. */
async function catalogueIn(
  workspace: Workspace,
  { wants, of }: Catalogues,
  owner: WorkspaceOwner,
): Promise<Catalogue> {
  const { files = [], skills = [] } = wants;
  const snapshot = await workspace.snapshot({ known: null, files, lists: [], skills });
  if (snapshot === "unchanged") throw new Error("a snapshot is unchanged that nobody has");
  return of(snapshot, owner);
}

/** How an agent's skills are kept up; `null`: nobody does. */
export function curatorOf(definition: AgentDefinition, env: Env): AgentUpkeep["curator"] {
  if (definition.enableSkillCurator !== true || definition.disableSkills === true) return null;
  const { curator: options, mergeModel } = skillsOf(definition);
  return {
    options,
    // The model is made when it is needed, as for memory.
    suggest:
      mergeModel === null
        ? null
        : (clusters, signal) => createSuggest(chooseModel(mergeModel, env))(clusters, signal),
  };
}

/** What brings the repositories of these agents up to date. */
export const repositorySyncs = (
  definitions: readonly AgentDefinition[],
  env: Env,
): readonly RepositorySync[] =>
  definitions.flatMap((definition) => {
    const sync = syncOf(definition, env);
    return sync ? [{ agent: definition.id, sync: (signal) => sync.syncNow(signal) }] : [];
  });
