import { env, exports } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listSessions } from "../../src/bindings.ts";
import type { Env } from "../../src/env.ts";
import type { SessionApi } from "../../src/shared/session-api.ts";
import type { RegistryApi } from "../../src/shared/registry-api.ts";
import { bucketShard, userShard } from "../../src/shared/registry-shard.ts";
import { registryContract } from "../contracts/registry-contract.ts";
import { sessionListContract } from "../contracts/session-list-contract.ts";
import { settingsContract } from "../contracts/settings-contract.ts";
import { spentContract } from "../contracts/spent-contract.ts";
import { dirtyContract, passContract } from "../contracts/upkeep-contract.ts";
import { outside, resetOutside } from "../support/outside.ts";
import type { RegistryObject } from "../support/worker.ts";
import { breathe, clientOf, sessionStub, tablesOf } from "./session-object.ts";

declare global {
  namespace Cloudflare {
    interface Env {
      readonly REGISTRY: DurableObjectNamespace<RegistryObject>;
    }
  }
}

const open = (name: string) => env.REGISTRY.getByName(name);

/** The shard of the only user that there is here. */
async function sessionsOf(agent: string): Promise<string[]> {
  const { items } = await open(await userShard("local")).sessions("local", agent, null);
  return items.map(({ session }) => session);
}

/** What the shard of a user knows of buckets. */
async function bucketsOf(user: string): Promise<string[]> {
  const { items } = await open(await userShard(user)).buckets(null);
  return items.map(({ bucket }) => bucket);
}

const putAs = (user: string, path: string) =>
  exports.default.fetch(`http://localhost/v1/agents/${path}`, {
    method: "PUT",
    body: "x",
    headers: { "x-carrel-user": user },
  });

beforeEach(() => {
  resetOutside().pause = breathe;
});

describe("the registry's object", () => {
  const fresh = () => Promise.resolve(open(crypto.randomUUID()) as unknown as RegistryApi);
  registryContract(fresh);
  describe("with lists of sessions", () => sessionListContract(fresh));
  describe("with tokens", () => spentContract(fresh));
  describe("with dirty buckets", () => dirtyContract(fresh));
  describe("with upkeep's way", () => passContract(fresh));
  describe("with settings", () => settingsContract(fresh));

  it("keeps what it knows when it is evicted", async () => {
    const name = crypto.randomUUID();
    await open(name).registerBucket("v1/global/", 3);
    await evictDurableObject(open(name));
    expect((await open(name).buckets(null)).items).toEqual([
      { bucket: "v1/global/", createdAt: 3, dirtyAt: null },
    ]);
  });
});

/** What a call costs a registry's object, as the platform counts it. */
async function costOf(name: string, call: (registry: RegistryApi) => Promise<unknown>) {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  const counted = (_: unknown, { storage: { sql } }: DurableObjectState) => {
    const exec = sql.exec.bind(sql);
    sql.exec = ((query, ...bindings) => {
      const cursor = exec(query, ...bindings);
      cursors.push(cursor);
      return cursor;
    }) as typeof sql.exec;
  };
  await runInDurableObject(open(name), counted);
  await call(open(name) as unknown as RegistryApi);
  const sum = (of: "rowsRead" | "rowsWritten") =>
    runInDurableObject(open(name), () => cursors.reduce((total, cursor) => total + cursor[of], 0));
  const cost = { read: await sum("rowsRead"), written: await sum("rowsWritten") };
  await evictDurableObject(open(name));
  return cost;
}

describe("what the registry costs", () => {
  const name = crypto.randomUUID();
  const news = (at: number) => ({ title: "t", at, updatedAt: at, isWaiting: false });

  beforeAll(async () => {
    const numbers =
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 2000)";
    await open(name).spent("ann", "2026-11-30");
    await runInDurableObject(open(name), (_, { storage: { sql } }) => {
      sql.exec(
        `${numbers} INSERT INTO session(user, agent, session, created_at, updated_at)
         SELECT 'ann', 'main', 's' || x, x, x FROM n`,
      );
      sql.exec(`${numbers} INSERT INTO spent_turn SELECT '2026-11-30', 'ann', 't' || x, 1 FROM n`);
      sql.exec("INSERT INTO spent_day VALUES ('2026-11-30', 'ann', 2000)");
      sql.exec(
        `${numbers} INSERT INTO bucket(key, created_at, dirty_at, changed_at, look_at)
         SELECT 'v1/agents/a' || x || '/shared/', x, iif(x % 100, NULL, x), x, 9e12 + x FROM n`,
      );
    });
    await evictDurableObject(open(name));
  });

  it("[T12] is at most 3 rows written for news of a session among 2,000, and none for late ones", async () => {
    const update = (at: number) =>
      costOf(name, (registry) => registry.updateSession("main", "ann", "s7", news(at)));
    const first = await update(5_000);
    expect(first.written).toBeLessThanOrEqual(3);
    expect(first.read).toBeLessThanOrEqual(3);
    expect((await update(4_000)).written).toBe(0);
  });

  it("is about what a page shows, wherever it is among 2,000 sessions", async () => {
    for (const cursor of [null, "1000.s1000", "20.s20"]) {
      const { read } = await costOf(name, (registry) =>
        registry.listSessions("ann", "main", cursor, 10),
      );
      expect(read).toBeLessThanOrEqual(2 * 11 + 2);
    }
  });

  it("[T12] is at most 3 rows to mark a bucket, among 2,000, and what is dirty to find what is", async () => {
    for (const at of [5_000, 6_000]) {
      const marked = await costOf(name, (registry) =>
        registry.markDirty("v1/agents/a7/shared/", at),
      );
      expect(marked.written).toBeLessThanOrEqual(3);
      expect(marked.read).toBeLessThanOrEqual(4);
    }
    const found = await costOf(name, async (registry) => {
      expect((await registry.dirtyBuckets(null, 100, 9_000)).items).toHaveLength(21);
    });
    expect(found.written).toBe(0);
    expect(found.read).toBeLessThanOrEqual(2 * 21 + 2);
  });

  it("[R3] leaves no alarm", async () => {
    const alarm = (_: unknown, { storage }: DurableObjectState) => storage.getAlarm();
    expect(await runInDurableObject(open(name), alarm)).toBeNull();
  });

  it("is one row read to ask what was spent, and a few rows to add a turn", async () => {
    const asked = await costOf(name, (registry) => registry.spent("ann", "2026-11-30"));
    expect(asked).toEqual({ read: 1, written: 0 });
    const added = await costOf(name, (registry) =>
      registry.recordSpent("ann", "2026-11-30", [{ id: "new", tokens: 5 }]),
    );
    expect(added.written).toBeLessThanOrEqual(2);
    expect(added.read).toBeLessThanOrEqual(6);
    const again = await costOf(name, (registry) =>
      registry.recordSpent("ann", "2026-11-30", [{ id: "new", tokens: 5 }]),
    );
    expect(again.written).toBe(0);
  });
});

describe("a session", () => {
  it("is listed when its first message is answered, and only its own user's shard knows it", async () => {
    const client = clientOf("listed");
    await client.post("t1", { message: "hi" });
    expect(await sessionsOf("scripted")).toContain("listed");
    expect(await sessionsOf("main")).not.toContain("listed");
    const { jobs } = await tablesOf("listed");
    expect(jobs.filter(({ kind }) => kind === "register")).toEqual([]);
  });

  it("is listed before its stream opens", async () => {
    const client = clientOf("streamed");
    await client.talk("t1", { message: "hi" });
    expect(await sessionsOf("scripted")).toContain("streamed");
  });

  it("that was only asked about is not listed, and has no tables and no alarm", async () => {
    expect(await clientOf("asked").history()).toEqual([]);
    expect(await sessionsOf("scripted")).not.toContain("asked");
    const left = await runInDurableObject(sessionStub("asked"), async (_, { storage }) => ({
      tables: storage.sql.exec("SELECT name FROM sqlite_schema WHERE name = 'turn'").toArray(),
      alarm: await storage.getAlarm(),
    }));
    expect(left).toEqual({ tables: [], alarm: null });
  });
});

describe("the list of a user's sessions", () => {
  const listed = async (session: string) => {
    const { items } = await open(await userShard("local")).listSessions(
      "local",
      "scripted",
      null,
      100,
    );
    return items.find((item) => item.session === session);
  };

  it("[T11] has a session's title and time soon after its turn, and a new name at once", async () => {
    const client = clientOf("named");
    const before = Date.now();
    await client.talk("t1", { message: "What is a carrel?" });
    await waitFor(async () => (await listed("named"))?.title === "What is a carrel?");
    const summary = await listed("named");
    expect(summary).toMatchObject({ session: "named", isWaiting: false });
    expect(summary?.updatedAt).toBeGreaterThanOrEqual(before);
    const address = { agent: "scripted", user: "local", session: "named" };
    const api = sessionStub("named") as unknown as SessionApi;
    expect(await api.rename(address, "Desks")).toEqual({ ok: true, title: "Desks" });
    await waitFor(async () => (await listed("named"))?.title === "Desks");
    expect(await listed("named")).toEqual({ ...summary, title: "Desks" });
    const { jobs } = await tablesOf("named");
    expect(jobs.filter(({ kind }) => kind === "index")).toEqual([]);
  });

  it("[H1] refuses a cursor that no page gave as invalid, before anyone is asked", async () => {
    const list = listSessions(env as unknown as Env, "local", "scripted", "nonsense", 5);
    await expect(list).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("a bucket", () => {
  it("is listed when its first write is answered, and was before anything was written", async () => {
    const key = "v1/agents/by-user/users/first/";
    const points: string[] = [];
    outside().onPoint = (name, object) => {
      if (object === key) points.push(name);
      return false;
    };
    expect((await putAs("first", "by-user/files/a.md")).status).toBeLessThan(300);
    expect(await bucketsOf("first")).toEqual([key]);
    const isChange = (name: string) => /^commit:(?!rebuild:)/.test(name);
    const commits = points.filter(isChange);
    expect(commits.slice(0, 2)).toEqual(["commit:register:before", "commit:register:after"]);
    expect(commits.length).toBeGreaterThan(2);
  });

  it("is not listed for having been looked at", async () => {
    const read = { headers: { "x-carrel-user": "watcher" } };
    const response = await exports.default.fetch(
      "http://localhost/v1/agents/by-user/files?recursive",
      read,
    );
    expect(response.status).toBeLessThan(300);
    expect(await bucketsOf("watcher")).toEqual([]);
  });

  it("of a session is listed with its user, and one that users share by its own key", async () => {
    expect((await putAs("owner", "by-session/files/a.md?session=s1")).status).toBeLessThan(300);
    expect(await bucketsOf("owner")).toEqual(["v1/agents/by-session/users/owner/sessions/s1/"]);
    for (const [agent, key] of [
      ["by-agent", "v1/agents/by-agent/shared/"],
      ["global", "v1/global/"],
    ] as const) {
      expect((await putAs("owner", `${agent}/files/a.md`)).status).toBeLessThan(300);
      const { items } = await open(await bucketShard(key)).buckets(null);
      expect(items.map(({ bucket }) => bucket)).toContain(key);
    }
  });

  it("is listed with a user who has only said something, since the log is a file", async () => {
    const client = clientOf("talker", "by-user");
    await client.talk("t1", { message: "hi" });
    await waitFor(async () =>
      (await bucketsOf("local")).includes("v1/agents/by-user/users/local/"),
    );
  });
});

/** Asks until it is so; the suite's own limit ends what never is. */
async function waitFor(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await breathe();
}
