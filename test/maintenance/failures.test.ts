import { describe, expect, it } from "vitest";
import { runMaintenance, scheduledMaintenance, SLOT_MS } from "../../src/maintenance/run.ts";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { CarrelError } from "../../src/shared/errors.ts";
import { bucketShard, passShard } from "../../src/shared/registry-shard.ts";
import { DAY, labWithAnn, mainAgent, MINUTE, proposed, userBucket } from "./upkeep-lab.ts";

const ann = userBucket("ann");

describe("upkeep that fails", () => {
  const failing = (error: unknown) => ({ ...mainAgent, consolidate: () => Promise.reject(error) });

  it("[R4] gives up the run, keeps the bucket dirty, goes on with others, and tries again later", async () => {
    const { lab, bucket } = await labWithAnn();
    const bob = userBucket("bob", "other");
    await lab.remember(bob);
    const down = new CarrelError("unavailable", "The provider is down.");
    lab.agents = [failing(down), { ...mainAgent, agent: "other" }];
    const { buckets } = await runMaintenance(lab.ports());
    expect(buckets).toHaveLength(2);
    expect(bucket.abandoned).toEqual(["The provider is down."]);
    expect(lab.bucket(bob).applied).toHaveLength(1);
    expect(lab.logged).toEqual(["maintenance.bucket_failed"]);
    const { troubled } = await lab.shard(await bucketShard(ann)).backlog();
    expect(troubled).toMatchObject([{ bucket: ann, attempts: 1, why: "The provider is down." }]);
    lab.agents = [mainAgent];
    lab.now += SLOT_MS;
    await runMaintenance(lab.ports());
    expect(bucket.applied).toHaveLength(1);
    expect(await lab.waiting()).toBe(0);
  });

  it("[R4] asks less and less often, and in the end not at all, until the bucket changes", async () => {
    const { lab, bucket } = await labWithAnn();
    lab.agents = [failing(new Error("a secret"))];
    for (let time = 0; time < 60; time++) {
      await runMaintenance(lab.ports());
      lab.now += 4 * 60 * MINUTE;
    }
    expect(bucket.abandoned).toHaveLength(10);
    const { troubled } = await lab.shard(await bucketShard(ann)).backlog();
    expect(troubled).toMatchObject([{ attempts: 10, until: null }]);
    expect(JSON.stringify(troubled)).not.toContain("a secret");
    lab.agents = [mainAgent];
    await lab.remember(ann);
    lab.now += DAY;
    await runMaintenance(lab.ports());
    expect(await lab.waiting()).toBe(0);
  });

  it("gives up a model that does not answer within two minutes", async () => {
    const { lab, bucket } = await labWithAnn();
    let stopped = false;
    const consolidate = (_: unknown, __: unknown, signal: AbortSignal) =>
      new Promise<never>(() => signal.addEventListener("abort", () => (stopped = true)));
    lab.agents = [{ ...mainAgent, consolidate }];
    const waits: number[] = [];
    const clock = { now: () => lab.now, sleep: async (ms: number) => void waits.push(ms) };
    await runMaintenance({ ...lab.ports(), clock });
    expect([waits, stopped]).toEqual([[120_000], true]);
    expect(bucket.abandoned).toEqual(["The model did not answer within 120 seconds."]);
  });

  it("counts what the model said and nobody can use as a failure, and changes nothing", async () => {
    const { lab, bucket } = await labWithAnn();
    const proposal = { kind: "unusable", why: "It ends in the middle." } as const;
    lab.agents = [{ ...mainAgent, consolidate: async () => proposed(proposal) }];
    const { buckets } = await runMaintenance(lab.ports());
    const why = "What the model proposed was refused: It ends in the middle.";
    expect(buckets[0]?.outcome).toEqual({ kind: "failed", why });
    expect(bucket.fresh).toBe(1);
  });

  it("skips and shows the buckets of an agent that is not there any more, and asks them nothing", async () => {
    const { lab, bucket } = await labWithAnn();
    lab.agents = [];
    await lab.remember(bucketPrefix({ scope: "GLOBAL" }));
    const { buckets } = await runMaintenance(lab.ports());
    const whys = buckets.map(({ outcome }) => ("why" in outcome ? outcome.why : "")).toSorted();
    expect(whys).toEqual([
      "No agent in src/agent.ts has the scope GLOBAL.",
      'There is no agent "main" in src/agent.ts.',
    ]);
    expect(bucket.asked).toEqual([]);
    const [pass] = await lab.shard(passShard()).passes();
    expect(pass).toMatchObject({ buckets: 2, skipped: 2, failed: 0 });
  });

  it("forgets a bucket that was erased", async () => {
    const { lab, bucket } = await labWithAnn();
    const gone = () => Promise.reject(new CarrelError("gone", "These files were deleted."));
    Object.assign(bucket.memory, { beginRun: gone });
    await runMaintenance(lab.ports());
    expect((await lab.shard(await bucketShard(ann)).buckets(null)).items).toEqual([]);
  });

  it("goes on with the other shards when one does not answer", async () => {
    const { lab, bucket } = await labWithAnn();
    const bad = await bucketShard(userBucket("bob"));
    await lab.remember(userBucket("bob"));
    const ports = lab.ports();
    const ask: typeof ports.ask = (name, call) =>
      name === bad ? Promise.reject(new Error("down")) : ports.ask(name, call);
    expect(await bucketShard(ann)).not.toBe(bad);
    expect((await runMaintenance({ ...ports, ask })).state).toBe("finished");
    expect(lab.logged).toEqual(["maintenance.shard_failed"]);
    expect([bucket.fresh, lab.bucket(userBucket("bob")).fresh]).toEqual([0, 1]);
    lab.now += SLOT_MS;
    await runMaintenance(ports);
    expect(await lab.waiting()).toBe(0);
  });

  it("makes a call to the registry once more that was lost", async () => {
    const { lab, bucket } = await labWithAnn();
    const ports = lab.ports();
    const asked = new Map<string, number>();
    const ask: typeof ports.ask = async (name, call) => {
      const answer = await ports.ask(name, call);
      asked.set(name, (asked.get(name) ?? 0) + 1);
      if ((asked.get(name) ?? 0) % 2 === 1) throw new Error("lost on the way");
      return answer;
    };
    expect((await runMaintenance({ ...ports, ask })).state).toBe("finished");
    expect(lab.logged).toEqual([]);
    expect([bucket.applied.length, await lab.waiting()]).toEqual([1, 0]);
  });

  it("never shows in the cron, which logs it", async () => {
    const { lab } = await labWithAnn();
    const ask = () => Promise.reject(new Error("down"));
    const { log } = lab.ports();
    await scheduledMaintenance(() => ({ ...lab.ports(), ask }), log);
    await scheduledMaintenance(() => {
      throw new Error("MAINTENANCE_CALLS is wrong");
    }, log);
    expect(lab.logged).toEqual(["maintenance.failed", "maintenance.failed"]);
    await scheduledMaintenance(() => lab.ports(), log);
    expect(lab.notes.at(-1)).toMatchObject({ event: "maintenance.ran" });
    expect(await lab.waiting()).toBe(0);
  });
});
