import { askShard, callBucket } from "../bindings.ts";
import { maintenanceCalls, type Env } from "../env.ts";
import { createMemory } from "../memory/memory-client.ts";
import { systemClock } from "../shared/clock.ts";
import { consoleLog } from "../shared/log.ts";
import { createSkills } from "../skills/skills-client.ts";
import type { AgentUpkeep, MaintenancePorts, RepositorySync } from "./ports.ts";

/** Less than the platform gives an invocation of the cron, which is 15 minutes. */
const MS = 12 * 60_000;

/** Upkeep over the bindings of a deployment, for these agents. Makes no call. Throws as `maintenanceCalls` does. */
export function connectMaintenance(
  env: Env,
  agents: readonly AgentUpkeep[],
  repositories: readonly RepositorySync[] = [],
): MaintenancePorts {
  const call = callBucket(env);
  return {
    clock: systemClock,
    log: consoleLog,
    ask: (shard, work) => askShard(env, shard, work),
    memory: (bucket, agent) => createMemory({ home: bucket, records: bucket, agent }, call),
    skills: (bucket) => createSkills(bucket, call),
    agents,
    repositories,
    allowance: { calls: maintenanceCalls(env), ms: MS },
    newId: () => crypto.randomUUID().slice(0, 8),
  };
}
