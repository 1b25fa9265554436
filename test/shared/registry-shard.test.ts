import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { bucketShard, registryShards, userShard } from "../../src/shared/registry-shard.ts";
import { buckets } from "../support/buckets.ts";

describe("the shards of the registry", () => {
  it("are 64, with names of their own", () => {
    const names = registryShards();
    expect(new Set(names).size).toBe(64);
    expect([names[0], names[9], names[63]]).toEqual([
      "v1/registry/00",
      "v1/registry/09",
      "v1/registry/63",
    ]);
  });

  it("are where they have always been: what is registered would not be found elsewhere", async () => {
    expect(await userShard("ann")).toBe("v1/registry/13");
    expect(await userShard("local")).toBe("v1/registry/26");
    expect(await bucketShard(bucketPrefix({ scope: "GLOBAL" }))).toBe("v1/registry/14");
    const main = bucketPrefix({ scope: "AGENT", agent: "main" });
    expect(await bucketShard(main)).toBe("v1/registry/34");
  });

  it("hold a user's buckets beside that user's sessions, under every agent and in every scope", async () => {
    await fc.assert(
      fc.asyncProperty(buckets, async (bucket) => {
        const shard = await bucketShard(bucketPrefix(bucket));
        expect(registryShards()).toContain(shard);
        if ("user" in bucket) expect(shard).toBe(await userShard(bucket.user));
      }),
      { numRuns: 300 },
    );
  });

  it("are all used, and none by far more than the others", async () => {
    const counts = new Map<string, number>();
    for (let no = 0; no < 6_400; no++) {
      const shard = await userShard(`user-${no}`);
      counts.set(shard, (counts.get(shard) ?? 0) + 1);
    }
    expect(counts.size).toBe(64);
    for (const [shard, count] of counts) expect(count, shard).toBeLessThan(150);
  });

  it("[I2] are asked for by ids and keys only", async () => {
    for (const bad of ["", "a/b", "..", "é"]) await expect(userShard(bad)).rejects.toThrow();
    for (const bad of ["", "ann", "v1/global", "v1/agents/a/users/b/files/"])
      await expect(bucketShard(bad)).rejects.toThrow();
  });
});
