import { describe, expect, it } from "vitest";
import { Registry } from "../../src/maintenance/registry.ts";
import type { RegistryApi } from "../../src/shared/registry-api.ts";
import { registryContract } from "../contracts/registry-contract.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";

/** As the object answers, without the object. */
function api(registry: Registry): RegistryApi {
  return {
    registerSession: async (session) => registry.registerSession(session),
    registerBucket: async (bucket, at) => registry.registerBucket(bucket, at),
    updateSession: async (...args) => registry.updateSession(...args),
    removeSession: async (...args) => registry.removeSession(...args),
    listSessions: async (...args) => registry.listSessions(...args),
    recordSpent: async (...args) => registry.recordSpent(...args),
    spent: async (...args) => registry.spent(...args),
    markDirty: async (bucket, at) => registry.markDirty(bucket, at),
    sessions: async (user, agent, cursor) => registry.sessions(user, agent, cursor),
    buckets: async (cursor) => registry.buckets(cursor),
  };
}

describe("the registry", () => {
  registryContract(async () => api(new Registry(nodeSql(openDatabase()))));

  it("keeps what it knows over a restart", () => {
    const sql = nodeSql(openDatabase());
    new Registry(sql).registerBucket("v1/global/", 3);
    expect(new Registry(sql).buckets(null).items).toEqual([
      { bucket: "v1/global/", createdAt: 3, dirtyAt: null },
    ]);
  });
});
