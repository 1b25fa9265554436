import { parseBucketKey, type BucketKey } from "../shared/bucket-key.ts";
import { bucketShard, passShard, registryShards } from "../shared/registry-shard.ts";
import type { Backlog, DirtyBucket, PassSummary } from "../shared/upkeep-api.ts";
import { callsFor, keepUp, type BucketUpkeep } from "./bucket-upkeep.ts";
import { Meter } from "./meter.ts";
import { responsibleFor, type MaintenancePorts } from "./ports.ts";

/** A bucket that waits for upkeep, and the agent that is responsible for it; `null`: there is none. */
export type WaitingBucket = DirtyBucket & { readonly agent: string | null };

/** All shards together. */
export type MaintenanceStatus = Omit<Backlog, "troubled"> & {
  /** Those in which something waits. */
  readonly shards: readonly ({ readonly shard: string } & Omit<Backlog, "troubled">)[];
  /** At most 100. */
  readonly troubled: Backlog["troubled"];
  /** The newest first, at most 20. */
  readonly passes: readonly PassSummary[];
};

const AT_ONCE = 8;
const MAX_TROUBLED = 100;
const MAX_WAITING = 100;
const MINUTE = 60_000;

/** Does one bucket's upkeep now, whatever slot it is and however often it failed. Throws what the registry throws. */
export async function maintainBucket(
  ports: MaintenancePorts,
  bucket: BucketKey,
): Promise<BucketUpkeep> {
  const { clock } = ports;
  const shard = await bucketShard(bucket);
  const read = await ports.ask(shard, (api) => api.dirtyBucket(bucket));
  const meter = new Meter(clock, { calls: callsFor(ports), ms: 5 * MINUTE });
  const changedAt = read?.changedAt ?? clock.now();
  const upkeep = await keepUp({ ...ports, meter, slot: null }, bucket, changedAt);
  // What nobody waits for cannot be late.
  if (read) {
    const notes = [{ ...read, outcome: upkeep.outcome }];
    await ports.ask(shard, (api) => api.noteUpkeep(notes, clock.now()));
  }
  return upkeep;
}

/** Buckets that the next pass would begin with, in its order; at most 100. Changes nothing. */
export async function waitingBuckets(ports: MaintenancePorts): Promise<readonly WaitingBucket[]> {
  const waiting: WaitingBucket[] = [];
  for (const shard of registryShards()) {
    const room = MAX_WAITING - waiting.length;
    if (room === 0) break;
    const page = await ports.ask(shard, (api) => api.dirtyBuckets(null, room, ports.clock.now()));
    waiting.push(...page.items.map((item) => ({ ...item, agent: agentOf(ports, item.bucket) })));
  }
  return waiting;
}

/** One bucket, if it waits. */
export async function waitingBucket(
  ports: MaintenancePorts,
  bucket: BucketKey,
): Promise<readonly WaitingBucket[]> {
  const read = await ports.ask(await bucketShard(bucket), (api) => api.dirtyBucket(bucket));
  return read ? [{ ...read, agent: agentOf(ports, bucket) }] : [];
}

const agentOf = ({ agents }: MaintenancePorts, key: string): string | null =>
  responsibleFor(agents, parseBucketKey(key))?.agent ?? null;

/** What waits in all shards, what does not get done, and what the last passes did. */
export async function maintenanceStatus(ports: MaintenancePorts): Promise<MaintenanceStatus> {
  const names = registryShards();
  const backlogs: (Backlog & { readonly shard: string })[] = [];
  for (let from = 0; from < names.length; from += AT_ONCE)
    backlogs.push(
      ...(await Promise.all(
        names.slice(from, from + AT_ONCE).map(async (shard) => ({
          shard,
          ...(await ports.ask(shard, (api) => api.backlog())),
        })),
      )),
    );
  const since = backlogs.flatMap((one) => one.since ?? []);
  return {
    dirty: backlogs.reduce((sum, { dirty }) => sum + dirty, 0),
    since: since.length === 0 ? null : Math.min(...since),
    shards: backlogs
      .filter(({ dirty }) => dirty > 0)
      .map(({ troubled: _troubled, ...shard }) => shard),
    troubled: backlogs.flatMap(({ troubled }) => troubled).slice(0, MAX_TROUBLED),
    passes: await ports.ask(passShard(), (api) => api.passes()),
  };
}
