import type { Proposed } from "../../src/memory/consolidation/ask-model.ts";
import { bucketPrefix, type BucketKey } from "../../src/shared/bucket-key.ts";
import type { Proposal, RunRequest, RunResult } from "../../src/shared/memory-api.ts";
import { noUsage } from "../../src/shared/messages.ts";
import type { RegistryApi } from "../../src/shared/registry-api.ts";
import { bucketShard, passShard } from "../../src/shared/registry-shard.ts";
import type { CuratorRun } from "../../src/shared/skill-upkeep.ts";
import type {
  AgentUpkeep,
  MaintenancePorts,
  RepositorySync,
  UpkeepMemory,
  UpkeepSkills,
} from "../../src/maintenance/ports.ts";
import { defaultCurator } from "../../src/skills/config.ts";
import { openRegistry } from "../support/registry-in-node.ts";

export const MINUTE = 60_000;
export const DAY = 86_400_000;
const LEASE = 10 * MINUTE;

/** A bucket that does what `MemoryApi` says, over counts instead of entries; and remembers what was done to it. */
export class PlayedBucket {
  /** Entries that no run has read. */
  fresh = 0;
  /** Entries that a run reads at most. */
  most = 1_000;
  /** Old files that are left to tidy, and how many go in one call. */
  old = 0;
  oldAtOnce = 10;
  /** Every run that was applied: its slot, and what it read. */
  readonly applied: { readonly slot: number | null; readonly read: number }[] = [];
  readonly abandoned: string[] = [];
  /** What was asked, in order. */
  readonly asked: string[] = [];
  #lease:
    | (RunRequest & { readonly until: number; readonly read: number; readonly hasMore: boolean })
    | null = null;
  #lastAt = -Infinity;
  #lastSlot = -Infinity;
  /** When the curator may run again, and how often it did. */
  curateAt = -Infinity;
  curated = 0;
  /** What its next run comes to. */
  run: Partial<CuratorRun> = {};
  /** What was noted in reports. */
  readonly suggested: (readonly [report: string, text: string])[] = [];
  /** Whether what the last run left may be read in the same slot. */
  #isGoingOn = false;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  readonly skills: UpkeepSkills = {
    curate: async ({ options }) => {
      this.asked.push("curate");
      const [now, lookAt] = [this.#now(), this.curateAt];
      const nothing = { transitions: [], clusters: [], report: null } as const;
      if (now < lookAt) return { ...nothing, state: "early", lookAt };
      this.curated += 1;
      this.curateAt = now + options.intervalMs;
      return { ...nothing, state: "done", lookAt: this.curateAt, ...this.run };
    },
    noteSuggestions: async (...noted) => {
      this.asked.push("suggestions");
      this.suggested.push(noted);
    },
  };

  readonly memory: UpkeepMemory = {
    beginRun: async (request) => {
      this.asked.push("begin");
      const now = this.#now();
      const { run, slot, options } = request;
      const lease = this.#lease;
      if (lease && lease.run !== run && lease.until > now)
        return { state: "busy", retryAt: lease.until };
      if (!this.#isGoingOn) {
        if (slot !== null && slot <= this.#lastSlot) return { state: "done", retryAt: null };
        const retryAt = this.#lastAt + options.minGapMs;
        if (retryAt > now) return { state: "early", retryAt };
      }
      if (this.fresh === 0) return { state: "idle", retryAt: null };
      const read = Math.min(this.fresh, this.most);
      const hasMore = read < this.fresh;
      this.#lease = { ...request, until: now + LEASE, read, hasMore };
      return { state: "work", until: now + LEASE, memory: [], fresh: [], hasMore };
    },
    commitRun: async (run, proposal) => {
      this.asked.push("commit");
      const lease = this.#lease;
      if (lease?.run !== run) return resultOf(run, "lost");
      this.#lease = null;
      if (proposal.kind === "unusable") return { ...resultOf(run, "refused"), why: proposal.why };
      this.applied.push({ slot: lease.slot, read: lease.read });
      this.fresh -= lease.read;
      this.#isGoingOn = lease.hasMore;
      this.#lastAt = this.#now();
      this.#lastSlot = lease.slot ?? this.#lastSlot;
      return { ...resultOf(run, "applied"), added: lease.read };
    },
    abandonRun: async (run, why) => {
      this.asked.push("abandon");
      this.abandoned.push(why);
      if (this.#lease?.run === run) this.#lease = null;
    },
    tidy: async () => {
      this.asked.push("tidy");
      const removed = Math.min(this.old, this.oldAtOnce);
      this.old -= removed;
      return { removed, hasMore: this.old > 0 };
    },
  };
}

const resultOf = (run: string, state: RunResult["state"]): RunResult => ({
  run,
  state,
  why: null,
  kept: 0,
  changed: 0,
  added: 0,
  dropped: 0,
  refused: 0,
});

/** What a model that was asked gives. */
export const proposed = (proposal: Proposal): Proposed => ({
  proposal,
  usage: { ...noUsage, input: 900, output: 30 },
  model: "played",
});

export const nothing = proposed({ kind: "operations", operations: [] });

export const mainAgent: AgentUpkeep = {
  agent: "main",
  scope: "USER",
  options: {
    maxTokens: 4_000,
    minGapMs: 30 * MINUTE,
    ledgerRetentionDays: 90,
    sessionRetentionDays: null,
  },
  consolidate: async () => nothing,
  keepMeanings: null,
  curator: null,
};

/** The same with a curator, that no model helps. */
export const curatedAgent = {
  ...mainAgent,
  curator: { options: defaultCurator, suggest: null },
} as const satisfies AgentUpkeep;

/** Real shards of the registry with played buckets. */
export class UpkeepLab {
  /** Noon of some day. */
  now = Date.UTC(2026, 10, 30, 12);
  readonly buckets = new Map<string, PlayedBucket>();
  /** Of what went wrong. */
  readonly logged: string[] = [];
  /** Of what was done. */
  readonly notes: unknown[] = [];
  agents: readonly AgentUpkeep[] = [mainAgent];
  repositories: readonly RepositorySync[] = [];
  /** Those that know of anything. All others answer alike, so one is enough for them. */
  readonly #shards = new Map([[passShard(), openRegistry()]]);
  readonly #emptyShard = openRegistry();
  #ids = 0;

  bucket(key: string): PlayedBucket {
    const known = this.buckets.get(key) ?? new PlayedBucket(() => this.now);
    this.buckets.set(key, known);
    return known;
  }

  /** Something is remembered there, and the registry is told. */
  async remember(key: string, entries = 1): Promise<void> {
    this.bucket(key).fresh += entries;
    const name = await bucketShard(key);
    const shard = this.#shards.get(name) ?? openRegistry();
    this.#shards.set(name, shard);
    await shard.markDirty(key, this.now);
  }

  shard(name: string): RegistryApi {
    return this.#shards.get(name) ?? this.#emptyShard;
  }

  /** How many buckets wait, in all shards. */
  async waiting(): Promise<number> {
    let dirty = 0;
    for (const shard of this.#shards.values()) dirty += (await shard.backlog()).dirty;
    return dirty;
  }

  ports(): MaintenancePorts {
    return {
      clock: { now: () => this.now, sleep: untilStopped },
      log: (level, event, facts) =>
        void (level === "info" ? this.notes.push({ event, ...facts }) : this.logged.push(event)),
      ask: (name, call) => call(this.shard(name)),
      memory: (key) => this.bucket(key).memory,
      skills: (key) => this.bucket(key).skills,
      agents: this.agents,
      repositories: this.repositories,
      allowance: { calls: 4_500, ms: 12 * MINUTE },
      newId: () => `id${(this.#ids += 1)}`,
    };
  }
}

/** Time only passes where a test says so. */
const untilStopped = (_ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));

export const userBucket = (user: string, agent = "main"): BucketKey =>
  bucketPrefix({ scope: "USER", agent, user });

/** A lab in which the bucket of ann has something to consolidate. */
export async function labWithAnn() {
  const lab = new UpkeepLab();
  await lab.remember(userBucket("ann"));
  return { lab, bucket: lab.bucket(userBucket("ann")) };
}
