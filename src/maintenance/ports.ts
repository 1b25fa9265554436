import type { Bucket, BucketKey } from "../shared/bucket-key.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import type { CuratorOptions } from "../shared/skill-upkeep.ts";
import type { Begun, ConsolidationOptions } from "../shared/memory-api.ts";
import type { UpkeepApi } from "../shared/upkeep-api.ts";
import type { Proposed } from "../memory/consolidation/ask-model.ts";
import type { Memory } from "../memory/memory-client.ts";
import type { Count } from "../memory/semantic/keep-meanings.ts";
import type { Suggest } from "../skills/curator/ask-model.ts";
import type { Skills } from "../skills/skills-client.ts";
import type { Allowance } from "./meter.ts";

/** What upkeep asks of a bucket. */
export type UpkeepMemory = Pick<Memory, "beginRun" | "commitRun" | "abandonRun" | "tidy">;

/** What upkeep asks of a bucket's skills. */
export type UpkeepSkills = Pick<Skills, "curate" | "noteSuggestions">;

/** What there is to consolidate in a bucket. */
export type Work = Extract<Begun, { readonly state: "work" }>;

/**
 * Asks a model what to do with a bucket's entries: one call, without tools, given up when `signal` aborts. An answer that
 * cannot be used is a proposal; throws when the model does not answer.
 */
export type Consolidate = (work: Work, bucket: Bucket, signal: AbortSignal) => Promise<Proposed>;

/** What an agent's definition says about upkeep. */
export type AgentUpkeep = {
  readonly agent: string;
  readonly scope: Bucket["scope"];
  readonly options: ConsolidationOptions;
  /** `null`: this agent's memory is not consolidated. */
  readonly consolidate: Consolidate | null;
  /** Has what a bucket remembers found by its meaning, too; `null`: there is no index for that. */
  readonly keepMeanings:
    | ((bucket: BucketKey, count: Count) => Promise<{ readonly hasMore: boolean }>)
    | null;
  /** `null`: this agent's skills are not curated. `suggest` `null`: no model is asked what could be one skill. */
  readonly curator: { readonly options: CuratorOptions; readonly suggest: Suggest | null } | null;
};

/** Brings the skill repositories of an agent up to date, given up when `signal` aborts. May be repeated. */
export type RepositorySync = {
  readonly agent: string;
  readonly sync: (signal: AbortSignal) => Promise<void>;
};

/** What upkeep works with. */
export type MaintenancePorts = {
  readonly clock: Clock;
  readonly log: Log;
  /** Asks a shard of the registry by its name; what was lost on the way may be asked again. */
  readonly ask: <Answer>(
    shard: string,
    call: (shard: UpkeepApi) => Promise<Answer>,
  ) => Promise<Answer>;
  /** The memory of a bucket. Makes no call. */
  readonly memory: (bucket: BucketKey, agent: string) => UpkeepMemory;
  /** The skills of a bucket. Makes no call. */
  readonly skills: (bucket: BucketKey) => UpkeepSkills;
  readonly agents: readonly AgentUpkeep[];
  /** Of the agents that have any: each once whenever a pass begins. */
  readonly repositories: readonly RepositorySync[];
  /** What an invocation of the cron may use. */
  readonly allowance: Allowance;
  /** A new name, never used before. */
  readonly newId: () => string;
};

/**
 * Who is responsible for a bucket: the agent in its key, for the global one the first agent with that scope; `null` when
 * there is none. Only buckets of the agent's scope hold its memory and its skills: in all others there is nothing to
 * consolidate or to curate.
 */
export function responsibleFor(agents: readonly AgentUpkeep[], bucket: Bucket): AgentUpkeep | null {
  const isOf = ({ agent, scope }: AgentUpkeep) =>
    "agent" in bucket ? agent === bucket.agent : scope === bucket.scope;
  const found = agents.find(isOf);
  if (!found) return null;
  const nothing = { consolidate: null, keepMeanings: null, curator: null };
  return found.scope === bucket.scope ? found : { ...found, ...nothing };
}
