import { Registry } from "../../src/maintenance/registry.ts";
import type { RegistryApi } from "../../src/shared/registry-api.ts";
import { nodeSql, openDatabase } from "./node-sql.ts";

/** A shard of the registry over new tables, which answers as the object does. */
export const openRegistry = (): RegistryApi => answering(new Registry(nodeSql(openDatabase())));

function answering(registry: Registry): RegistryApi {
  return {
    registerSession: async (session) => registry.registerSession(session),
    registerBucket: async (bucket, at) => registry.registerBucket(bucket, at),
    updateSession: async (...args) => registry.updateSession(...args),
    removeSession: async (...args) => registry.removeSession(...args),
    listSessions: async (...args) => registry.listSessions(...args),
    settings: async (user) => registry.settings(user),
    setSettings: async (...args) => registry.setSettings(...args),
    recordSpent: async (...args) => registry.recordSpent(...args),
    spent: async (...args) => registry.spent(...args),
    removeBucket: async (bucket) => registry.removeBucket(bucket),
    markDirty: async (bucket, at) => registry.markDirty(bucket, at),
    dirtyBuckets: async (...args) => registry.dirtyBuckets(...args),
    dirtyBucket: async (bucket) => registry.dirtyBucket(bucket),
    noteUpkeep: async (...args) => registry.noteUpkeep(...args),
    backlog: async () => registry.backlog(),
    claimPass: async (request) => registry.claimPass(request),
    movePass: async (step) => registry.movePass(step),
    leavePass: async (holder) => registry.leavePass(holder),
    passes: async () => registry.passes(),
    sessions: async (user, agent, cursor) => registry.sessions(user, agent, cursor),
    buckets: async (cursor) => registry.buckets(cursor),
  };
}
