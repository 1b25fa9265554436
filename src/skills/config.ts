import type { Candidate } from "../shared/skill-drafts.ts";
import type { CuratorOptions } from "../shared/skill-upkeep.ts";
import type { Model } from "../model/model.ts";
import type { Tool } from "../tools/tool.ts";
import type { CatalogueSkill } from "./catalogue/catalogue.ts";

/** Which skills an agent has at all, by name. */
export type SkillFilter =
  | "all"
  | "none"
  | { readonly only: readonly string[] }
  | { readonly except: readonly string[] };

/** Whose catalogue it is. */
export type SkillViewer = {
  readonly agent: string;
  readonly user: string;
  readonly session: string | null;
};

/** What code decides about a draft as soon as it is there. `ask`: a person has to look at it. */
export type GateDecision =
  | { readonly kind: "ask" }
  | { readonly kind: "approve"; readonly environments?: readonly string[] }
  | { readonly kind: "reject"; readonly reason: string }
  | { readonly kind: "defer"; readonly afterMs: number; readonly reason?: string };

/** What a gate is told beside the draft. */
export type GateContext = {
  readonly viewer: SkillViewer;
  /** A binding or variable of the deployment by its name. */
  readonly binding: (name: string) => unknown;
};

/**
 * Looks at every draft once it was made or changed. It may reject and defer whatever it likes; `approve` counts for what a
 * person has sent, never for what the agent wrote: that is a person's to promote. One that throws is a person's, too.
 */
export type SkillGate = {
  readonly name: string;
  readonly decide: (candidate: Candidate, context: GateContext) => Promise<GateDecision>;
};

export type SkillsConfig = {
  /** Default `all`. */
  readonly filter: SkillFilter;
  /** What this deployment is: a promoted skill shows where it was promoted for. Default `prod`. */
  readonly environment: string;
  /** Of the agent's own, promoted skills: to how many of a hundred users each shows, 0 to 100; default 100. */
  readonly canaryPercent: number;
  /** Whether a skill shows to this caller, beside all that; default: it does. One that throws hides it. */
  readonly isVisible:
    | ((skill: CatalogueSkill, viewer: SkillViewer) => boolean | Promise<boolean>)
    | null;
  /** The list of skills in the prompt has at most so many characters, 500 to 15,000; default 12,000. */
  readonly catalogueChars: number;
  /** Default `null`: every draft waits for a person. */
  readonly gate: SkillGate | null;
  /** For what the agent's drafts become visible when a person does not say; default `["prod"]`. */
  readonly environments: readonly string[];
  readonly curator: CuratorOptions;
  /** Suggests in the curator's report which skills could be one; nothing of it is ever done. Default `null`: nobody does. */
  readonly mergeModel: Model | string | null;
};

const DAY_MS = 86_400_000;

/** AgentScope's intervals; its drafts never expire. */
export const defaultCurator: CuratorOptions = {
  intervalMs: 7 * DAY_MS,
  staleAfterMs: 30 * DAY_MS,
  archiveAfterMs: 90 * DAY_MS,
  draftExpiresMs: 30 * DAY_MS,
};

export const defaultSkills: SkillsConfig = {
  filter: "all",
  environment: "prod",
  canaryPercent: 100,
  isVisible: null,
  catalogueChars: 12_000,
  gate: null,
  environments: ["prod"],
  curator: defaultCurator,
  mergeModel: null,
};

/** Tools that a session has once one of these skills was loaded in it. */
export type ToolGroup = {
  /** Unique in an agent: letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  readonly tools: readonly Tool[];
  /** Names of skills. */
  readonly skills: readonly string[];
};
