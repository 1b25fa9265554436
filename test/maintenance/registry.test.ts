import { describe, expect, it } from "vitest";
import { Registry } from "../../src/maintenance/registry.ts";
import type { RegistryApi } from "../../src/shared/registry-api.ts";
import { registryContract } from "../contracts/registry-contract.ts";
import { sessionListContract } from "../contracts/session-list-contract.ts";
import { spentContract } from "../contracts/spent-contract.ts";
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
    removeBucket: async (bucket) => registry.removeBucket(bucket),
    markDirty: async (bucket, at) => registry.markDirty(bucket, at),
    sessions: async (user, agent, cursor) => registry.sessions(user, agent, cursor),
    buckets: async (cursor) => registry.buckets(cursor),
  };
}

describe("the registry", () => {
  const open = async () => api(new Registry(nodeSql(openDatabase())));
  registryContract(open);
  describe("of sessions, as lists", () => sessionListContract(open));
  describe("of tokens", () => spentContract(open));

  it("keeps what it knows over a restart", () => {
    const sql = nodeSql(openDatabase());
    new Registry(sql).registerBucket("v1/global/", 3);
    expect(new Registry(sql).buckets(null).items).toEqual([
      { bucket: "v1/global/", createdAt: 3, dirtyAt: null },
    ]);
  });

  it("lists the sessions that an earlier version registered, by when that was", () => {
    const sql = nodeSql(openDatabase());
    sql.run("CREATE TABLE schema_step(step INTEGER PRIMARY KEY)");
    sql.run("INSERT INTO schema_step(step) VALUES (1)");
    sql.run(
      `CREATE TABLE session(user TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL,
       created_at INTEGER NOT NULL, PRIMARY KEY(user, agent, session)) WITHOUT ROWID`,
    );
    for (const [id, at] of [
      ["old", 5],
      ["older", 3],
    ] as const)
      sql.run("INSERT INTO session VALUES ('ann', 'main', ?, ?)", id, at);
    const registry = new Registry(sql);
    registry.updateSession("main", "ann", "older", {
      title: "t",
      at: 4,
      updatedAt: 4,
      isWaiting: false,
    });
    const { items } = registry.listSessions("ann", "main", null, 10);
    expect(items.map(({ session, updatedAt }) => [session, updatedAt])).toEqual([
      ["old", 5],
      ["older", 4],
    ]);
  });

  it("forgets old tokens faster than new ones come", () => {
    const sql = nodeSql(openDatabase());
    const registry = new Registry(sql);
    for (let no = 0; no < 300; no++)
      registry.recordSpent(`u${no}`, "2026-11-30", [{ id: "t", tokens: 1 }]);
    for (let no = 0; no < 4; no++) registry.recordSpent("ann", "2026-12-09", []);
    expect(sql.all("SELECT * FROM spent_turn UNION ALL SELECT *, 0 FROM spent_day")).toEqual([]);
  });
});
