import { env, exports } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import type { RegistryApi } from "../../src/shared/registry-api.ts";
import { bucketShard, userShard } from "../../src/shared/registry-shard.ts";
import { registryContract } from "../contracts/registry-contract.ts";
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
  registryContract(() => Promise.resolve(open(crypto.randomUUID()) as unknown as RegistryApi));

  it("keeps what it knows when it is evicted", async () => {
    const name = crypto.randomUUID();
    await open(name).registerBucket("v1/global/", 3);
    await evictDurableObject(open(name));
    expect((await open(name).buckets(null)).items).toEqual([
      { bucket: "v1/global/", createdAt: 3, dirtyAt: null },
    ]);
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
