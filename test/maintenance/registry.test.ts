import { describe, expect, it } from "vitest";
import { Registry } from "../../src/maintenance/registry.ts";
import { registryContract } from "../contracts/registry-contract.ts";
import { sessionListContract } from "../contracts/session-list-contract.ts";
import { settingsContract } from "../contracts/settings-contract.ts";
import { spentContract } from "../contracts/spent-contract.ts";
import { dirtyContract, passContract } from "../contracts/upkeep-contract.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";
import { openRegistry } from "../support/registry-in-node.ts";

describe("the registry", () => {
  const open = async () => openRegistry();
  registryContract(open);
  describe("of sessions, as lists", () => sessionListContract(open));
  describe("of tokens", () => spentContract(open));
  describe("of dirty buckets", () => dirtyContract(open));
  describe("of upkeep's way", () => passContract(open));
  describe("of settings", () => settingsContract(open));

  it("keeps what it knows over a restart", () => {
    const sql = nodeSql(openDatabase());
    new Registry(sql).registerBucket("v1/global/", 3);
    expect(new Registry(sql).buckets(null).items).toEqual([
      { bucket: "v1/global/", createdAt: 3, dirtyAt: null },
    ]);
  });

  /** The tables of the first version. */
  function firstTables() {
    const sql = nodeSql(openDatabase());
    sql.run("CREATE TABLE schema_step(step INTEGER PRIMARY KEY)");
    sql.run("INSERT INTO schema_step(step) VALUES (1)");
    sql.run(
      `CREATE TABLE session(user TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL,
       created_at INTEGER NOT NULL, PRIMARY KEY(user, agent, session)) WITHOUT ROWID`,
    );
    sql.run(
      "CREATE TABLE bucket(key TEXT PRIMARY KEY, created_at INTEGER NOT NULL, dirty_at INTEGER) WITHOUT ROWID",
    );
    return sql;
  }

  it("[R2] has the buckets for upkeep that an earlier version was told of", () => {
    const sql = firstTables();
    sql.run("INSERT INTO bucket VALUES ('v1/agents/main/shared/', 3, NULL), ('v1/global/', 3, 5)");
    const registry = new Registry(sql);
    expect(registry.dirtyBuckets(null, 10, 9).items).toEqual([
      { bucket: "v1/global/", dirtyAt: 5, changedAt: 5, attempts: 0 },
    ]);
    expect(registry.backlog()).toEqual({ dirty: 1, since: 5, troubled: [] });
  });

  it("lists the sessions that an earlier version registered, by when that was", () => {
    const sql = firstTables();
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
