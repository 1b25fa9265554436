import { consoleLog, errorFacts, type Log } from "../shared/log.ts";
import { passShard, registryShards } from "../shared/registry-shard.ts";
import type {
  DirtyBucket,
  PassClaim,
  PassCounts,
  PassPlace,
  UpkeepApi,
} from "../shared/upkeep-api.ts";
import { callsFor, keepUp, type BucketUpkeep, type UpkeepParts } from "./bucket-upkeep.ts";
import { Meter, type Allowance } from "./meter.ts";
import type { MaintenancePorts } from "./ports.ts";
import { syncRepositories } from "./sync-repositories.ts";

/** A bucket is consolidated at most once in a slot. */
export const SLOT_MS = 30 * 60_000;

export type MaintenanceOptions = {
  /** Default: that of the ports. */
  readonly allowance?: Allowance;
  /** Whether to go through all buckets again when the slot had its pass; default false. */
  readonly again?: boolean;
};

/**
 * What an invocation did. `finished`: nothing that was due is left; `paused`: its allowance is used up, and the next one
 * goes on; `busy`: another one is at it; `done`: the slot had its pass; `lost`: another one took over.
 */
export type MaintenanceReport = {
  readonly state: "finished" | "paused" | "busy" | "done" | "lost";
  readonly slot: number;
  /** Calls to other objects and to models. */
  readonly calls: number;
  readonly buckets: readonly BucketUpkeep[];
};

const PAGE = 100;
const AT_ONCE = 4;
/** Calls that end a page: its notes, its step, and leaving the pass; each may be tried twice. */
const CLOSING = 6;

type Pass = Extract<PassClaim, { readonly state: "go" }>;

/**
 * Goes on with the upkeep of all buckets: page by page through every shard of the registry, in the order of their keys,
 * from where the last invocation stopped. A pass of an earlier slot is finished before the new one begins, and each begins
 * with the skill repositories. Safe to run twice at once, late, or again: one invocation holds the pass, and each bucket
 * sees to it that a slot has one run.
 * Throws what the shard throws that keeps the pass; nothing is lost then, and the next invocation goes on.
 */
export async function runMaintenance(
  ports: MaintenancePorts,
  { allowance = ports.allowance, again = false }: MaintenanceOptions = {},
): Promise<MaintenanceReport> {
  const meter = new Meter(ports.clock, allowance);
  const holder = ports.newId();
  const now = Math.floor(ports.clock.now() / SLOT_MS);
  const buckets: BucketUpkeep[] = [];
  const report = (state: MaintenanceReport["state"], slot: number) => ({
    state,
    slot,
    calls: meter.calls,
    buckets,
  });
  for (let isFirst = true; ; isFirst = false) {
    const claim = await askPass(ports, meter, (shard) =>
      shard.claimPass({ slot: now, holder, now: ports.clock.now(), again }),
    );
    if (claim.state !== "go") return report(isFirst ? claim.state : "finished", now);
    if (claim.isNew) await syncRepositories(ports, meter, CLOSING);
    const round = new Round({ ...ports, meter, slot: claim.slot }, holder, claim, buckets);
    const state = await round.run();
    if (state !== "finished" || claim.slot >= now) return report(state, claim.slot);
  }
}

/** What the cron does: errors are logged, never thrown, also those of a deployment that is not set up. */
export async function scheduledMaintenance(
  connect: () => MaintenancePorts,
  log: Log = consoleLog,
): Promise<void> {
  try {
    const { buckets, ...report } = await runMaintenance(connect());
    log("info", "maintenance.ran", { ...report, counts: countsOf(buckets) });
  } catch (error) {
    log("error", "maintenance.failed", errorFacts(error));
  }
}

/** One invocation's part of a pass. */
class Round {
  readonly #parts: UpkeepParts;
  readonly #holder: string;
  readonly #buckets: BucketUpkeep[];
  readonly #shards = registryShards();
  /** Where the pass is, as its shard knows it. */
  #known: PassPlace;
  #counts = countsOf([]);

  constructor(parts: UpkeepParts, holder: string, { place }: Pass, buckets: BucketUpkeep[]) {
    this.#parts = parts;
    this.#holder = holder;
    this.#known = place;
    this.#buckets = buckets;
  }

  async run(): Promise<"finished" | "paused" | "lost"> {
    let place = this.#known;
    while (place.shard < this.#shards.length) {
      if (!this.#parts.meter.has(2 + callsFor(this.#parts) + CLOSING)) return this.#pause(place);
      const { next, isWhole, isEmpty } = await this.#page(place);
      place = next;
      if (!isWhole) return this.#pause(place);
      // Empty pages are quick to go through again, so they are not worth a step.
      if (!isEmpty && place.shard < this.#shards.length && !(await this.#move(place)))
        return "lost";
    }
    return (await this.#move(null)) ? "finished" : "lost";
  }

  /** Does a page, or as much of it as there is allowance for. A shard that does not answer has its turn in the next slot. */
  async #page({ shard, cursor }: PassPlace) {
    const { meter, clock, log } = this.#parts;
    const name = this.#shards[shard] ?? "";
    const nextShard = { shard: shard + 1, cursor: null };
    try {
      const page = await this.#ask(name, (api) => api.dirtyBuckets(cursor, PAGE, clock.now()));
      const done = await this.#upkeep(page.items);
      const notes = done.map(([{ bucket, dirtyAt, attempts }, { outcome }]) => ({
        bucket,
        dirtyAt,
        attempts,
        outcome,
      }));
      if (notes.length > 0) await this.#ask(name, (api) => api.noteUpkeep(notes, clock.now()));
      const isWhole = done.length === page.items.length;
      const last = isWhole ? page.cursor : (done.at(-1)?.[0].bucket ?? cursor);
      const next = isWhole && page.cursor === null ? nextShard : { shard, cursor: last };
      return { next, isWhole, isEmpty: done.length === 0 };
    } catch (error) {
      log("error", "maintenance.shard_failed", { shard: name, ...errorFacts(error) });
      return { next: nextShard, isWhole: meter.hasTime, isEmpty: false };
    }
  }

  /** In order, a few at once; those that were begun are done, the others not. */
  async #upkeep(items: readonly DirtyBucket[]): Promise<[DirtyBucket, BucketUpkeep][]> {
    const { meter } = this.#parts;
    const calls = callsFor(this.#parts);
    const done: (readonly [DirtyBucket, Promise<BucketUpkeep>])[] = [];
    const line = async () => {
      for (;;) {
        const item = items[done.length];
        if (!item || !meter.has(calls + CLOSING)) return;
        const work = meter.reserve(calls, () => keepUp(this.#parts, item.bucket, item.changedAt));
        done.push([item, work]);
        await work;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, line));
    const results: [DirtyBucket, BucketUpkeep][] = [];
    for (const [item, work] of done) results.push([item, await work]);
    const upkeeps = results.map(([, upkeep]) => upkeep);
    this.#buckets.push(...upkeeps);
    this.#counts = sumOf(this.#counts, countsOf(upkeeps));
    return results;
  }

  async #move(to: PassPlace | null): Promise<boolean> {
    const { clock } = this.#parts;
    const [from, counts] = [this.#known, this.#counts];
    const step = { holder: this.#holder, from, to, counts, now: clock.now() };
    const isMine = await this.#ask(passShard(), (api) => api.movePass(step));
    this.#known = to ?? from;
    this.#counts = countsOf([]);
    return isMine;
  }

  async #pause(place: PassPlace): Promise<"paused" | "lost"> {
    const { shard, cursor } = this.#known;
    const isFurther = place.shard !== shard || place.cursor !== cursor;
    if (isFurther && !(await this.#move(place))) return "lost";
    await this.#ask(passShard(), (api) => api.leavePass(this.#holder));
    return "paused";
  }

  #ask<Answer>(shard: string, call: (api: UpkeepApi) => Promise<Answer>): Promise<Answer> {
    return twice(this.#parts.meter, () => this.#parts.ask(shard, call));
  }
}

const askPass = <Answer>(
  ports: MaintenancePorts,
  meter: Meter,
  call: (api: UpkeepApi) => Promise<Answer>,
): Promise<Answer> => twice(meter, () => ports.ask(passShard(), call));

/** Every call to the registry may be repeated, so one that failed is made once more. */
const twice = <Answer>(meter: Meter, call: () => Promise<Answer>): Promise<Answer> =>
  meter.count(call).catch(() => meter.count(call));

/** What was done for these buckets. */
export function countsOf(buckets: readonly BucketUpkeep[]): PassCounts {
  const runs = buckets.flatMap((one) => one.runs);
  const are = (kind: BucketUpkeep["outcome"]["kind"]) =>
    buckets.filter(({ outcome }) => outcome.kind === kind).length;
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  return {
    buckets: buckets.length,
    runs: runs.length,
    changed: sum(runs.map(({ changed, added, dropped }) => changed + added + dropped)),
    removed: sum(buckets.map((one) => one.removed)),
    later: are("later"),
    failed: are("failed"),
    skipped: are("unknown"),
  };
}

const sumOf = (a: PassCounts, b: PassCounts): PassCounts => ({
  buckets: a.buckets + b.buckets,
  runs: a.runs + b.runs,
  changed: a.changed + b.changed,
  removed: a.removed + b.removed,
  later: a.later + b.later,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});
