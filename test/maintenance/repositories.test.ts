import { describe, expect, it } from "vitest";
import type { RepositorySync } from "../../src/maintenance/ports.ts";
import { runMaintenance, SLOT_MS } from "../../src/maintenance/run.ts";
import { labWithAnn, MINUTE, UpkeepLab, userBucket } from "./upkeep-lab.ts";

/** A lab with the repositories of these agents, and which of them were asked, in order. */
async function syncedLab(sync: RepositorySync["sync"] = async () => {}) {
  const { lab, bucket } = await labWithAnn();
  const asked: string[] = [];
  lab.repositories = ["main", "other"].map((agent) => ({
    agent,
    sync: async (signal) => {
      asked.push(agent);
      await sync(signal);
    },
  }));
  return { lab, bucket, asked };
}

describe("the repositories of skills", () => {
  it("[R1] are brought up to date once a slot, however often and at once the cron fires", async () => {
    const { lab, asked } = await syncedLab();
    await Promise.all([1, 2, 3].map(() => runMaintenance(lab.ports())));
    await runMaintenance(lab.ports());
    expect(asked).toEqual(["main", "other"]);
    lab.now += SLOT_MS;
    const idle = await runMaintenance(lab.ports());
    expect(asked).toEqual(["main", "other", "main", "other"]);
    expect(idle.calls).toBe(64 + 2 + 2);
  });

  it("[R1] are left to who has begun a pass: whoever goes on with it asks none", async () => {
    const { lab, asked } = await syncedLab();
    for (let no = 0; no < 40; no++) await lab.remember(userBucket(`u${no}`));
    const allowance = { calls: 80, ms: 12 * MINUTE };
    const states: string[] = [];
    for (let no = 0; no < 20 && states.at(-1) !== "finished"; no++)
      states.push((await runMaintenance(lab.ports(), { allowance })).state);
    expect(states.length).toBeGreaterThan(2);
    expect(asked).toEqual(["main", "other"]);
  });

  it("[R4] that fail are logged, and stop neither the others nor the pass", async () => {
    const { lab, bucket, asked } = await syncedLab(() => Promise.reject(new Error("down")));
    expect((await runMaintenance(lab.ports())).state).toBe("finished");
    expect(asked).toEqual(["main", "other"]);
    expect(lab.logged).toEqual([
      "maintenance.repositories_failed",
      "maintenance.repositories_failed",
    ]);
    expect(bucket.applied).toHaveLength(1);
  });

  it("[R4] that do not answer are given up after a minute each", async () => {
    let stopped = 0;
    const { lab, bucket } = await syncedLab(
      (signal) => new Promise<never>(() => signal.addEventListener("abort", () => (stopped += 1))),
    );
    const waits: number[] = [];
    const clock = {
      now: () => lab.now,
      sleep: (ms: number, signal?: AbortSignal) => {
        if (ms !== 60_000) return lab.ports().clock.sleep(ms, signal);
        waits.push(ms);
        return Promise.resolve();
      },
    };
    await runMaintenance({ ...lab.ports(), clock });
    expect([waits, stopped]).toEqual([[60_000, 60_000], 2]);
    expect(bucket.applied).toHaveLength(1);
  });

  it("[R2] wait for the next slot when an invocation has no time or no calls left for them", async () => {
    const { lab, asked } = await syncedLab(async () => void (lab.now += 2 * MINUTE));
    const report = await runMaintenance(lab.ports(), { allowance: { calls: 400, ms: MINUTE } });
    expect([report.state, asked]).toEqual(["paused", ["main"]]);
    expect(lab.logged).toEqual(["maintenance.repositories_put_off"]);
    const few = new UpkeepLab();
    few.repositories = lab.repositories;
    await runMaintenance(few.ports(), { allowance: { calls: 7, ms: MINUTE } });
    expect(asked).toEqual(["main"]);
  });
});
