import { describe, expect, it } from "vitest";
import { maintainBucket } from "../../src/maintenance/on-demand.ts";
import type { AgentUpkeep } from "../../src/maintenance/ports.ts";
import { runMaintenance, SLOT_MS } from "../../src/maintenance/run.ts";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { CarrelError } from "../../src/shared/errors.ts";
import { noUsage } from "../../src/shared/messages.ts";
import { bucketShard } from "../../src/shared/registry-shard.ts";
import type { CuratorRequest } from "../../src/shared/skill-upkeep.ts";
import type { Suggest } from "../../src/skills/curator/ask-model.ts";
import { defaultCurator } from "../../src/skills/config.ts";
import { curatedAgent, DAY, labWithAnn, UpkeepLab, userBucket } from "./upkeep-lab.ts";

const ann = userBucket("ann");

/** A lab in which ann's bucket is dirty, for an agent with a curator. */
async function curatedLab(agent: AgentUpkeep = curatedAgent) {
  const { lab, bucket } = await labWithAnn();
  lab.agents = [agent];
  return { lab, bucket };
}

describe("upkeep of skills", () => {
  it("[R1] comes after memory, and again when the curator has said so, with nobody's call in between", async () => {
    const { lab, bucket } = await curatedLab();
    const began = lab.now;
    const [first] = (await runMaintenance(lab.ports())).buckets;
    expect(bucket.asked).toEqual(["begin", "commit", "tidy", "curate"]);
    expect(first).toMatchObject({
      curated: { state: "done" },
      outcome: { lookAt: began + 7 * DAY },
    });
    const curated: number[] = [];
    for (let day = 1; day <= 30; day++) {
      lab.now = began + day * DAY;
      const before = bucket.curated;
      await runMaintenance(lab.ports());
      if (bucket.curated > before) curated.push(day);
    }
    expect(curated).toEqual([7, 14, 21, 28]);
    expect(bucket.asked.filter((what) => what === "curate")).toHaveLength(5);
  });

  it("[R3] ends when there is nothing left to look at", async () => {
    const { lab, bucket } = await curatedLab();
    bucket.run = { lookAt: null };
    const [done] = (await runMaintenance(lab.ports())).buckets;
    expect(done?.outcome).toMatchObject({ kind: "clean", lookAt: lab.now + 32 * DAY });
  });

  it("[R1] is asked as the curator, by its own rules, and never before its time", async () => {
    const { lab, bucket } = await curatedLab();
    const requests: CuratorRequest[] = [];
    const { curate } = bucket.skills;
    const watched = (request: CuratorRequest) => (requests.push(request), curate(request));
    Object.assign(bucket.skills, { curate: watched });
    await runMaintenance(lab.ports());
    await lab.remember(ann);
    await maintainBucket(lab.ports(), ann);
    const asked = { options: defaultCurator, dry: false, now: false, by: "job:curator" };
    expect(requests).toMatchObject([asked, asked]);
    expect(requests[0]?.op).not.toBe(requests[1]?.op);
    expect(bucket.curated).toBe(1);
  });

  it("[I4] is only of the buckets that hold the agent's skills", async () => {
    const lab = new UpkeepLab();
    lab.agents = [{ ...curatedAgent, scope: "AGENT" }];
    const shared = bucketPrefix({ scope: "AGENT", agent: "main" });
    for (const key of [ann, shared]) await lab.remember(key);
    await runMaintenance(lab.ports());
    expect(lab.bucket(ann).asked).not.toContain("curate");
    expect(lab.bucket(shared).curated).toBe(1);
  });

  it("[R4] that fails keeps no memory from being consolidated, says why, and is tried again", async () => {
    const { lab, bucket } = await curatedLab();
    const { curate } = bucket.skills;
    const why = '"skills/.usage.json" cannot be read: it is not a JSON object. Mend the file.';
    const broken = () => Promise.reject(new CarrelError("invalid", why));
    Object.assign(bucket.skills, { curate: broken });
    const [failed] = (await runMaintenance(lab.ports())).buckets;
    expect(failed).toMatchObject({ runs: [{ state: "applied" }], curated: null });
    expect(failed?.outcome).toEqual({ kind: "failed", why });
    const { troubled } = await lab.shard(await bucketShard(ann)).backlog();
    expect(troubled).toMatchObject([{ bucket: ann, attempts: 1, why }]);
    Object.assign(bucket.skills, { curate });
    lab.now += SLOT_MS;
    await runMaintenance(lab.ports());
    expect([bucket.curated, bucket.applied.length, await lab.waiting()]).toEqual([1, 1, 0]);
  });
});

describe("a model's suggestions about skills", () => {
  const clusters = [{ prefix: "pdf", names: ["pdf-a", "pdf-b"], descriptions: ["A.", "B."] }];
  const report = "skills/.curator_reports/20261130-120000";

  async function asked(suggest: Suggest, run: object = { report, clusters }) {
    const { lab, bucket } = await curatedLab({
      ...curatedAgent,
      curator: { options: defaultCurator, suggest },
    });
    bucket.run = run;
    const [upkeep] = (await runMaintenance(lab.ports())).buckets;
    expect(upkeep?.outcome.kind).toBe("clean");
    return { lab, bucket };
  }

  const answer = (text: string) => ({ text, usage: { ...noUsage, output: 9 }, model: "played" });

  it("[K7] go into the report of a run in which names begin alike, and what they cost into the log", async () => {
    const seen: unknown[] = [];
    const { lab, bucket } = await asked(
      async (given) => (seen.push(given), answer("One of them.")),
    );
    expect(seen).toEqual([clusters]);
    expect(bucket.suggested).toEqual([[report, "One of them."]]);
    expect(lab.notes).toMatchObject([
      { event: "memory.consolidated" },
      { event: "skills.curated", bucket: ann, state: "done", transitions: 0, report },
      { event: "skills.suggested", bucket: ann, usage: { output: 9 }, model: "played" },
    ]);
    lab.now += SLOT_MS;
    await lab.remember(ann);
    await runMaintenance(lab.ports());
    expect(seen).toHaveLength(1);
  });

  it("[K7] are not asked for where nothing is alike or nothing was reported, and a blank one is not noted", async () => {
    const never = () => Promise.reject(new Error("asked"));
    for (const run of [
      { report, clusters: [] },
      { report: null, clusters },
    ])
      expect((await asked(never, run)).lab.logged).toEqual([]);
    expect((await asked(async () => answer(" \n"))).bucket.suggested).toEqual([]);
  });

  it("[R4] that fail are only logged", async () => {
    const { lab, bucket } = await asked(() => Promise.reject(new Error("down")));
    expect([lab.logged, bucket.suggested]).toEqual([["skills.suggestions_failed"], []]);
  });

  it("are given up after two minutes", async () => {
    const { lab, bucket } = await curatedLab();
    let stopped = false;
    const suggest = (_: unknown, signal: AbortSignal) =>
      new Promise<never>(() => signal.addEventListener("abort", () => (stopped = true)));
    lab.agents = [
      { ...curatedAgent, consolidate: null, curator: { options: defaultCurator, suggest } },
    ];
    bucket.run = { report, clusters };
    const waits: number[] = [];
    const clock = { now: () => lab.now, sleep: async (ms: number) => void waits.push(ms) };
    await runMaintenance({ ...lab.ports(), clock });
    expect([waits, stopped, lab.logged]).toEqual([[120_000], true, ["skills.suggestions_failed"]]);
  });

  it("[R2] count as calls, and are begun only where they may be made", async () => {
    const { lab } = await curatedLab();
    const suggest = async () => answer("One.");
    lab.agents = [{ ...curatedAgent, curator: { options: defaultCurator, suggest } }];
    for (let no = 0; no < 40; no++) {
      await lab.remember(userBucket(`u${no}`));
      lab.bucket(userBucket(`u${no}`)).run = { report, clusters };
    }
    for (let pass = 0; pass < 20 && (await lab.waiting()) > 0; pass++) {
      const allowance = { calls: 150, ms: 60_000 };
      const { calls } = await runMaintenance(lab.ports(), { allowance });
      expect(calls).toBeLessThanOrEqual(150);
    }
    expect(await lab.waiting()).toBe(0);
    for (const [key, { suggested }] of lab.buckets)
      expect(suggested).toHaveLength(key === ann ? 0 : 1);
  });
});
