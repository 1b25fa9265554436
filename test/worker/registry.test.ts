import { env } from "cloudflare:workers";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import type { RegistryApi } from "../../src/shared/registry-api.ts";
import { userShard } from "../../src/shared/registry-shard.ts";
import { registryContract } from "../contracts/registry-contract.ts";
import { resetOutside } from "../support/outside.ts";
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
