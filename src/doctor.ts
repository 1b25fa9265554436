import { storeKind } from "./bindings.ts";
import { describePrompt } from "./context/prompt.ts";
import type { PromptReport } from "./context/prompt-report.ts";
import { snapshotRequest } from "./context/prompt-sources.ts";
import { estimateToolTokens } from "./context/tokens.ts";
import { promptOptionsOf, type AgentDefinition } from "./define-agent.ts";
import type { SkillsPatient } from "./compose-skills.ts";
import type { SubagentsPatient } from "./compose-subagents.ts";
import type { Env } from "./env.ts";
import type { Declaration } from "./shared/subagents.ts";
import type { Roster } from "./subagents/catalogue.ts";
import { systemClock } from "./shared/clock.ts";
import type { Usage } from "./shared/workspace-api.ts";
import type { Catalogue, CatalogueSkill } from "./skills/catalogue/catalogue.ts";
import type { Tool } from "./tools/tool.ts";
import type { Capability } from "./turn/capability.ts";
import { allWants } from "./turn/wants.ts";
import type { IsolationScope, Workspace, WorkspaceOwner } from "./workspace/workspace.ts";

/** What the next turn's requests are made of, and the state of the buckets that it comes from (promise C9). */
export type Doctor = {
  readonly agent: {
    readonly id: string;
    readonly name: string;
    readonly description: string | null;
  };
  readonly scope: IsolationScope;
  readonly store: "r2" | "kv";
  /** Version of the template that this agent's users start from. */
  readonly template: string;
  /** Of the bucket that the scope gives. */
  readonly usage: Usage;
  /** Of the user's bucket, where the records of sessions lie; `null` when that is the same one. */
  readonly records: Usage | null;
  readonly prompt: PromptReport & { readonly version: string | null };
  /** Which skills it can load, which are left out and why; `null`: the agent has none. */
  readonly skills: {
    readonly loaded: readonly Pick<CatalogueSkill, "name" | "id" | "directory" | "warnings">[];
    readonly leftOut: Catalogue["leftOut"];
  } | null;
  /** Which subagents it can hand work to, and what of their declarations is left out and why; `null`: it has none. */
  readonly subagents: {
    readonly declared: readonly Pick<Declaration, "id" | "description" | "mode" | "hidden">[];
    readonly problems: Roster["problems"];
  } | null;
  /** What is offered in every turn, and what the schemas cost in each request, estimated. */
  readonly tools: { readonly tokens: number; readonly offered: readonly OfferedTool[] };
  /** What capabilities decide only when a turn asks them: it is in none of these figures. */
  readonly perTurn: readonly PerTurn[];
};

type OfferedTool = { readonly name: string; readonly tokens: number };

type PerTurn = { readonly capability: string; readonly adds: readonly ("sections" | "tools")[] };

/** What a deployment says of one agent for one caller. */
export type Patient = {
  readonly definition: AgentDefinition;
  readonly scope: IsolationScope;
  readonly template: string;
  readonly workspace: Workspace;
  readonly owner: WorkspaceOwner;
  /** `null`: the agent has no skills. */
  readonly skills: SkillsPatient | null;
  /** `null`: the agent has no subagents. */
  readonly subagents: SubagentsPatient | null;
  /** Those that need no turn to be known, the ones that win first. */
  readonly tools: readonly Tool[];
};

/** Asks the caller's buckets and makes the report. Runs no hook of a capability. */
export async function examine(patient: Patient, env: Env): Promise<Doctor> {
  const { definition, workspace, scope, template, owner, skills, subagents } = patient;
  const wants = allWants([skills ?? [], subagents ?? []].flat());
  const options = { ...promptOptionsOf(definition), wants };
  const request = snapshotRequest(options, null);
  const [{ records, ...usage }, answer] = await Promise.all([
    workspace.usage(),
    request ? workspace.snapshot(request) : null,
  ]);
  const snapshot = answer === "unchanged" ? null : answer;
  const described = skills && snapshot && (await skills.of(snapshot, owner));
  const helpers = subagents && (await subagents.of(workspace, snapshot));
  const session = {
    sessionId: owner.session ?? "",
    date: systemClock.now(),
    sections: [described?.section ?? [], helpers?.section ?? []].flat(),
  };
  const { id, description = null } = definition;
  return {
    agent: { id, name: options.agentName, description },
    scope,
    store: storeKind(env),
    template,
    usage,
    records,
    prompt: describePrompt(options, options.hasWorkspace ? snapshot : null, session),
    skills: described && skillsOf(described.catalogue),
    subagents: helpers && subagentsOf(helpers.roster),
    tools: costOf(patient.tools),
    perTurn: (definition.capabilities ?? []).flatMap(perTurn),
  };
}

const skillsOf = ({ skills, leftOut }: Catalogue): Doctor["skills"] => ({
  loaded: skills.map(({ name, id, directory, warnings }) => ({ name, id, directory, warnings })),
  leftOut,
});

const subagentsOf = ({ declarations, problems }: Roster): Doctor["subagents"] => ({
  declared: declarations.map(({ id, description, mode, hidden }) => ({
    id,
    description,
    mode,
    hidden,
  })),
  problems,
});

function costOf(tools: readonly Tool[]): Doctor["tools"] {
  const byName = new Map<string, number>();
  for (const tool of tools)
    if (tool.group === undefined && !byName.has(tool.name))
      byName.set(tool.name, estimateToolTokens(tool));
  const offered = [...byName].map(([name, tokens]) => ({ name, tokens }));
  return { tokens: offered.reduce((sum, { tokens }) => sum + tokens, 0), offered };
}

function perTurn(capability: Capability): PerTurn[] {
  const adds = (["sections", "tools"] as const).filter((hook) => capability[hook] !== undefined);
  return adds.length === 0 ? [] : [{ capability: capability.name, adds }];
}
