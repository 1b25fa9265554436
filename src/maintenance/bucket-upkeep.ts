import { parseBucketKey, type Bucket, type BucketKey } from "../shared/bucket-key.ts";
import { CarrelError } from "../shared/errors.ts";
import { errorFacts } from "../shared/log.ts";
import type { ConsolidationOptions, Proposal, RunResult } from "../shared/memory-api.ts";
import type { CuratorRun } from "../shared/skill-upkeep.ts";
import { MEANING_CALLS, type Count } from "../memory/semantic/keep-meanings.ts";
import type { UpkeepOutcome } from "../shared/upkeep-api.ts";
import { curateBucket, curatorCalls } from "./curate-bucket.ts";
import type { Meter } from "./meter.ts";
import {
  responsibleFor,
  type AgentUpkeep,
  type Consolidate,
  type MaintenancePorts,
  type UpkeepMemory,
  type Work,
} from "./ports.ts";
import { within } from "./within.ts";

/** What was done for one bucket. */
export type BucketUpkeep = {
  readonly bucket: string;
  readonly runs: readonly RunResult[];
  /** Files that were archived or deleted. */
  readonly removed: number;
  /** What the curator did to its skills; `null`: it had no run. */
  readonly curated: Pick<CuratorRun, "state" | "transitions" | "report"> | null;
  readonly outcome: UpkeepOutcome;
};

export type UpkeepParts = MaintenancePorts & {
  readonly meter: Meter;
  /** `null`: now, whatever ran before. */
  readonly slot: number | null;
};

/** Runs for one bucket at most, and calls that tidy it; the rest comes with the next slot. */
const MAX_RUNS = 4;
const MAX_TIDIES = 4;
/** Calls for one bucket at most. */
const MAX_CALLS = MAX_RUNS * 3 + MAX_TIDIES;

/** The same with what else these agents have: memory that is found by its meaning, a curator. */
export const callsFor = ({ agents }: Pick<MaintenancePorts, "agents">): number =>
  MAX_CALLS +
  (agents.some(({ keepMeanings }) => keepMeanings) ? MEANING_CALLS : 0) +
  curatorCalls(agents);

const MODEL_MS = 120_000;
/** Slots do not begin to the second: a gap that ends so soon after one began is over. */
const JITTER_MS = 5 * 60_000;
const DAY_MS = 86_400_000;
/** Evicted results are kept so long: `tidy` knows. */
const RESULTS_DAYS = 30;

/** Why what is left has to wait. */
const reasons = {
  busy: "Another run is at work on it.",
  early: "The last run was too short a time ago.",
  done: "It had its run in this half hour.",
  lost: "Another run took over.",
} as const;
const MORE_LEFT = { kind: "later", until: null, why: "There is more to do than fits in." } as const;

/** What is being done for one bucket. */
type Task = {
  readonly parts: UpkeepParts;
  readonly bucket: Bucket;
  readonly memory: UpkeepMemory;
  readonly agent: AgentUpkeep;
  readonly runs: RunResult[];
};

/**
 * Consolidates a bucket, tidies it, and then has its skills curated. Never throws: what failed is an outcome, and logged.
 * `changedAt`: when it last changed (ms).
 */
export async function keepUp(
  parts: UpkeepParts,
  key: string,
  changedAt: number,
): Promise<BucketUpkeep> {
  const runs: RunResult[] = [];
  let removed = 0;
  let curated: BucketUpkeep["curated"] = null;
  const done = (outcome: UpkeepOutcome) => ({ bucket: key, runs, removed, curated, outcome });
  try {
    const bucket = parseBucketKey(key);
    const agent = responsibleFor(parts.agents, bucket);
    if (!agent) return done({ kind: "unknown", why: nobody(bucket) });
    const memory = parts.memory(key as BucketKey, agent.agent);
    const task = { parts, bucket, memory, agent, runs };
    const left = agent.consolidate ? await consolidate(task, agent.consolidate) : null;
    if (left) return done(left);
    const tidied = await tidy(task);
    ({ removed } = tidied);
    const count: Count = (call) => parts.meter.count(call);
    const known = await agent.keepMeanings?.(key as BucketKey, count);
    if (tidied.hasMore || known?.hasMore) return done(MORE_LEFT);
    const looks = [nextLook(agent.options, changedAt, parts.clock.now())];
    if (agent.curator) {
      const { lookAt, ...run } = await curateBucket(parts, key as BucketKey, agent.curator);
      if (run.state !== "early") curated = run;
      looks.push(lookAt);
    }
    return done({ kind: "clean", lookAt: earliest(looks) });
  } catch (error) {
    if (error instanceof CarrelError && error.code === "gone") return done({ kind: "gone" });
    parts.log("error", "maintenance.bucket_failed", { bucket: key, ...errorFacts(error) });
    return done({ kind: "failed", why: whyOf(error) });
  }
}

/** What is left to do afterwards; `null`: nothing. */
async function consolidate(task: Task, ask: Consolidate): Promise<UpkeepOutcome | null> {
  const { parts, memory, runs } = task;
  const { meter, slot, clock } = parts;
  for (let no = 0; no < MAX_RUNS && (no === 0 || meter.hasTime); no++) {
    const run = nameOf(clock.now(), parts.newId());
    const request = { run, slot, options: optionsOf(task) };
    const begun = await meter.count(() => memory.beginRun(request));
    if (begun.state === "idle") return null;
    if (begun.state !== "work")
      return { kind: "later", until: begun.retryAt, why: reasons[begun.state] };
    const proposal = await propose(task, ask, run, begun);
    const result = await meter.count(() => memory.commitRun(run, proposal));
    runs.push(result);
    if (result.state === "lost") return { kind: "later", until: null, why: reasons.lost };
    if (result.state === "refused") return { kind: "failed", why: refusal(result) };
    if (!begun.hasMore) return null;
  }
  return MORE_LEFT;
}

/** What the model says, in time, logged with its cost; a run without an answer is given up before the error is thrown on. */
async function propose(
  { parts, bucket, memory }: Task,
  ask: Consolidate,
  run: string,
  work: Work,
): Promise<Proposal> {
  const { meter, clock } = parts;
  const begunAt = clock.now();
  try {
    const call = () => within(clock, MODEL_MS, "The model", (stop) => ask(work, bucket, stop));
    const { proposal, usage, model } = await meter.count(call);
    const facts = { run, entries: work.fresh.length, usage, model, ms: clock.now() - begunAt };
    parts.log("info", "memory.consolidated", facts);
    return proposal;
  } catch (error) {
    await meter.count(() => memory.abandonRun(run, whyOf(error)));
    throw error;
  }
}

async function tidy({ parts, memory, agent }: Task) {
  let removed = 0;
  for (let no = 0; no < MAX_TIDIES; no++) {
    const tidied = await parts.meter.count(() => memory.tidy(agent.options));
    removed += tidied.removed;
    if (!tidied.hasMore) return { removed, hasMore: false };
  }
  return { removed, hasMore: true };
}

const optionsOf = ({ parts, agent }: Task): ConsolidationOptions =>
  parts.slot === null
    ? { ...agent.options, minGapMs: 0 }
    : { ...agent.options, minGapMs: Math.max(0, agent.options.minGapMs - JITTER_MS) };

/** When the next of what it holds is past its time, a day later to be sure; `null` when all that was changed until then is. */
function nextLook(
  { ledgerRetentionDays, sessionRetentionDays }: ConsolidationOptions,
  changedAt: number,
  now: number,
): number | null {
  const days = [RESULTS_DAYS, ledgerRetentionDays, sessionRetentionDays].flatMap(
    (one) => one ?? [],
  );
  return earliest(days.map((one) => changedAt + (one + 2) * DAY_MS).filter((at) => at > now));
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.flatMap((at) => at ?? []);
  return known.length === 0 ? null : Math.min(...known);
}

/** `2026-12-01T09-30-00Z-<id>`. */
const nameOf = (now: number, id: string): string =>
  `${new Date(now).toISOString().slice(0, 19).replaceAll(":", "-")}Z-${id}`;

const nobody = (bucket: Bucket): string =>
  "agent" in bucket
    ? `There is no agent "${bucket.agent}" in src/agent.ts.`
    : "No agent in src/agent.ts has the scope GLOBAL.";

const refusal = ({ why }: RunResult): string =>
  `What the model proposed was refused${why === null ? "" : `: ${why}`}`;

/** Only what is meant to be shown; anything else is in the log. */
const whyOf = (error: unknown): string =>
  error instanceof CarrelError
    ? error.message
    : 'It failed. The log has the reason, as "maintenance.bucket_failed".';
