import { describe, expect, it } from "vitest";
import { maintainBucket } from "../../src/maintenance/on-demand.ts";
import { runMaintenance, SLOT_MS } from "../../src/maintenance/run.ts";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { passShard } from "../../src/shared/registry-shard.ts";
import {
  DAY,
  labWithAnn,
  mainAgent,
  MINUTE,
  nothing,
  UpkeepLab,
  userBucket,
} from "./upkeep-lab.ts";

const ann = userBucket("ann");

/** How many calls an invocation makes that finds nothing: to every shard, and two to the one that keeps the pass. */
const IDLE = 64 + 2;

describe("upkeep of a bucket", () => {
  it("[R1] consolidates it, tidies it, and has nothing to do with it until it changes", async () => {
    const { lab, bucket } = await labWithAnn();
    const report = await runMaintenance(lab.ports());
    expect(report).toMatchObject({ state: "finished", slot: Math.floor(lab.now / SLOT_MS) });
    expect(report.buckets).toMatchObject([{ bucket: ann, outcome: { kind: "clean" } }]);
    expect(bucket.asked).toEqual(["begin", "commit", "tidy"]);
    expect(await lab.waiting()).toBe(0);
    lab.now += SLOT_MS;
    expect(await runMaintenance(lab.ports())).toMatchObject({ calls: IDLE, buckets: [] });
  });

  it("[I4] asks the model for the agent that the bucket is of, and says which bucket it is", async () => {
    const lab = new UpkeepLab();
    const asked: unknown[] = [];
    const agent = (id: string, scope: "USER" | "AGENT" | "GLOBAL") => ({
      ...mainAgent,
      agent: id,
      scope,
      consolidate: async (_: unknown, bucket: unknown) => (asked.push([id, bucket]), nothing),
    });
    lab.agents = [agent("main", "USER"), agent("all", "GLOBAL"), agent("team", "AGENT")];
    const own = { scope: "USER", agent: "main", user: "ann" } as const;
    const team = { scope: "AGENT", agent: "team" } as const;
    const all = { scope: "GLOBAL" } as const;
    for (const bucket of [own, team, all]) await lab.remember(bucketPrefix(bucket));
    // Records of sessions, and a shared layer of definitions: nothing in them is the agent's memory.
    const others = [userBucket("ann", "team"), bucketPrefix({ scope: "AGENT", agent: "main" })];
    for (const bucket of others) await lab.remember(bucket);
    await runMaintenance(lab.ports());
    expect(asked).toHaveLength(3);
    expect(asked).toEqual(
      expect.arrayContaining([
        ["main", own],
        ["team", team],
        ["all", all],
      ]),
    );
    for (const bucket of others) expect(lab.bucket(bucket).asked).toEqual(["tidy"]);
    expect(await lab.waiting()).toBe(0);
  });

  it("leaves it dirty when something is written between its run and its note", async () => {
    const { lab, bucket } = await labWithAnn();
    const { tidy } = bucket.memory;
    Object.assign(bucket.memory, {
      tidy: async (...args: Parameters<typeof tidy>) => {
        await lab.remember(ann);
        return tidy(...args);
      },
    });
    await runMaintenance(lab.ports());
    expect(await lab.waiting()).toBe(1);
    Object.assign(bucket.memory, { tidy });
    lab.now += SLOT_MS;
    await runMaintenance(lab.ports());
    expect(bucket.applied.map(({ read }) => read)).toEqual([1, 1]);
    expect(await lab.waiting()).toBe(0);
  });

  it("reads on while there is more, four runs at most, and tidies when all is read", async () => {
    const lab = new UpkeepLab();
    await lab.remember(ann, 50);
    const bucket = lab.bucket(ann);
    Object.assign(bucket, { most: 10, old: 25 });
    const first = await runMaintenance(lab.ports());
    expect(bucket.applied.map(({ read }) => read)).toEqual([10, 10, 10, 10]);
    expect(bucket.asked).not.toContain("tidy");
    expect(first.buckets[0]?.outcome).toMatchObject({ kind: "later", until: null });
    lab.now += SLOT_MS;
    const [second] = (await runMaintenance(lab.ports())).buckets;
    expect(second).toMatchObject({ removed: 25, outcome: { kind: "clean" } });
    expect(await lab.waiting()).toBe(0);
  });

  it("tidies a part of what is very much, and the rest in the next slot", async () => {
    const { lab, bucket } = await labWithAnn();
    Object.assign(bucket, { old: 65, oldAtOnce: 10 });
    expect((await runMaintenance(lab.ports())).buckets).toMatchObject([
      { removed: 40, outcome: { kind: "later", until: null } },
    ]);
    lab.now += SLOT_MS;
    expect((await runMaintenance(lab.ports())).buckets).toMatchObject([
      { removed: 25, outcome: { kind: "clean" } },
    ]);
    expect(bucket.applied).toHaveLength(1);
  });

  it("comes back to what is early, when it is not any more, and asks no model before", async () => {
    const { lab, bucket } = await labWithAnn();
    lab.agents = [
      { ...mainAgent, options: { ...mainAgent.options, minGapMs: 60 * MINUTE + 5_000 } },
    ];
    await runMaintenance(lab.ports());
    const runs: number[] = [];
    for (let slot = 1; slot <= 6; slot++) {
      lab.now += SLOT_MS;
      await lab.remember(ann);
      await runMaintenance(lab.ports());
      runs.push(bucket.applied.length);
    }
    // Some seconds less than a slot's multiple are enough: no slot begins to the second.
    expect(runs).toEqual([1, 2, 2, 3, 3, 4]);
  });

  it("is done now when an admin asks, however short a time ago the last run was", async () => {
    const { lab, bucket } = await labWithAnn();
    await runMaintenance(lab.ports());
    await lab.remember(ann);
    const { buckets } = await runMaintenance(lab.ports(), { again: true });
    expect(buckets[0]?.outcome).toMatchObject({
      kind: "later",
      why: expect.stringMatching(/half hour/),
    });
    const upkeep = await maintainBucket(lab.ports(), ann);
    expect(upkeep).toMatchObject({ runs: [{ state: "applied" }], outcome: { kind: "clean" } });
    expect(bucket.applied).toHaveLength(2);
  });

  it("says in the log what the question to the model has cost", async () => {
    const { lab } = await labWithAnn();
    await runMaintenance(lab.ports());
    expect(lab.notes).toEqual([
      {
        event: "memory.consolidated",
        run: expect.any(String),
        entries: 0,
        usage: { input: 900, output: 30, cached: 0 },
        model: "played",
        ms: 0,
      },
    ]);
  });

  it("looks again when what it holds may be past its time, and then no more", async () => {
    const { lab, bucket } = await labWithAnn();
    lab.agents = [{ ...mainAgent, options: { ...mainAgent.options, sessionRetentionDays: 180 } }];
    const began = lab.now;
    const looks: number[] = [];
    for (const day of [0, 1, 31, 32, 33, 60, 91, 92, 93, 150, 181, 182, 183, 300, 400]) {
      const before = bucket.asked.length;
      lab.now = began + day * DAY;
      await runMaintenance(lab.ports());
      if (bucket.asked.length > before) looks.push(day);
    }
    expect(looks).toEqual([0, 32, 92, 182]);
  });
});

describe("an invocation", () => {
  /** A lab with 40 buckets that wait. */
  async function filled() {
    const lab = new UpkeepLab();
    for (let no = 0; no < 40; no++) await lab.remember(userBucket(`u${no}`));
    return lab;
  }

  it("[R2] makes no more calls than it may, and the next one goes on in the same slot", async () => {
    const lab = new UpkeepLab();
    lab.agents = [{ ...mainAgent, scope: "SESSION" }];
    // All in one shard, which is more than a page.
    for (let no = 0; no < 150; no++)
      await lab.remember(
        bucketPrefix({ scope: "SESSION", agent: "main", user: "ann", session: `s${100 + no}` }),
        3,
      );
    for (const bucket of lab.buckets.values()) bucket.most = 1;
    const allowance = { calls: 300, ms: 12 * MINUTE };
    const reports = [];
    for (;;) {
      const report = await runMaintenance(lab.ports(), { allowance });
      expect(report.calls).toBeLessThanOrEqual(300);
      reports.push(report);
      if (report.state !== "paused") break;
      expect(report.calls).toBeGreaterThan(300 - 4 * 17 - 6);
    }
    expect(reports.length).toBeGreaterThan(4);
    expect(reports.at(-1)?.state).toBe("finished");
    const keys = reports.flatMap(({ buckets }) => buckets.map(({ bucket }) => bucket));
    expect(keys).toEqual([...lab.buckets.keys()]);
    const [pass, ...others] = await lab.shard(passShard()).passes();
    expect([pass, others]).toMatchObject([{ buckets: 150, runs: 450, changed: 450 }, []]);
    expect(await runMaintenance(lab.ports())).toMatchObject({ state: "done", calls: 1 });
  });

  it("[R2] that may make few calls comes through all shards in the end", async () => {
    const { lab } = await labWithAnn();
    const allowance = { calls: 40, ms: 12 * MINUTE };
    const states: string[] = [];
    for (let no = 0; no < 9 && states.at(-1) !== "finished"; no++)
      states.push((await runMaintenance(lab.ports(), { allowance })).state);
    expect(states.at(-1)).toBe("finished");
    expect(await lab.waiting()).toBe(0);
  });

  it("begins nothing after its time", async () => {
    const lab = await filled();
    lab.agents = [{ ...mainAgent, consolidate: async () => ((lab.now += MINUTE), nothing) }];
    const report = await runMaintenance(lab.ports());
    expect(report.state).toBe("paused");
    expect(report.buckets.length).toBeGreaterThanOrEqual(12);
    expect(report.buckets.length).toBeLessThanOrEqual(12 + 3);
  });

  it("begins no further run of a bucket after its time", async () => {
    const { lab, bucket } = await labWithAnn();
    Object.assign(bucket, { fresh: 40, most: 10 });
    const consolidate = async () => ((lab.now += 7 * MINUTE), nothing);
    lab.agents = [{ ...mainAgent, consolidate }];
    const { buckets } = await runMaintenance(lab.ports());
    expect(buckets[0]?.runs).toHaveLength(2);
    expect(bucket.fresh).toBe(20);
  });

  it("[R1] finishes the pass of an earlier slot first, and then begins its own", async () => {
    const lab = await filled();
    const allowance = { calls: 150, ms: 12 * MINUTE };
    await runMaintenance(lab.ports(), { allowance });
    lab.now += SLOT_MS;
    await lab.remember(userBucket("u0"));
    const report = await runMaintenance(lab.ports());
    expect(report).toMatchObject({ state: "finished", slot: Math.floor(lab.now / SLOT_MS) });
    const passes = await lab.shard(passShard()).passes();
    expect(passes.map(({ slot }) => slot)).toEqual([report.slot, report.slot - 1]);
    expect(await lab.waiting()).toBe(0);
  });

  it("[R1] leaves the work to the one that is at it", async () => {
    const lab = await filled();
    const reports = await Promise.all([1, 2, 3].map(() => runMaintenance(lab.ports())));
    expect(reports.map(({ state }) => state).toSorted()).toEqual(["busy", "busy", "finished"]);
    for (const bucket of lab.buckets.values()) expect(bucket.applied).toHaveLength(1);
  });

  it("goes through everything again when an admin asks, and no bucket has two runs in a slot", async () => {
    const lab = await filled();
    await runMaintenance(lab.ports());
    await lab.remember(userBucket("u0"));
    await lab.remember(userBucket("new"));
    const report = await runMaintenance(lab.ports(), { again: true });
    expect(report.buckets).toHaveLength(2);
    expect(lab.bucket(userBucket("u0")).applied).toHaveLength(1);
    expect(lab.bucket(userBucket("new")).applied).toHaveLength(1);
  });
});
