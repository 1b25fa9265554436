import { describe, expect, it } from "vitest";
import type { CarrelError } from "../../../src/shared/errors.ts";
import { ANN, MemoryLab, NOW, OPTIONS, add } from "./memory-lab.ts";

describe("the lease of a run", () => {
  it("[R1] has one run at a time, for ten minutes, and one a slot", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", ["Ann likes tea"]);
    expect(await lab.begin({}, 7, "first")).toMatchObject({ state: "work", until: NOW + 600_000 });
    expect(await lab.begin({}, 7, "second")).toEqual({ state: "busy", retryAt: NOW + 600_000 });
    await lab.lab.clock.pass(600_000);
    expect((await lab.begin({}, 7, "second")).state).toBe("work");
    const said = { kind: "operations", operations: [add("Ann likes tea", ["L1"])] } as const;
    expect(await lab.memory.commitRun("first", said)).toMatchObject({ state: "lost" });
    expect(await lab.text()).toBeNull();
    expect((await lab.memory.commitRun("second", said)).state).toBe("applied");
    expect((await lab.begin({}, 6)).state).toBe("done");
    await lab.flush("2026-11-30", ["Ann likes cake"]);
    const at = NOW + 600_000;
    const early = await lab.begin({ minGapMs: 900_000 }, 8);
    expect(early).toEqual({ state: "early", retryAt: at + 900_000 });
    await lab.lab.clock.pass(900_000);
    expect((await lab.begin({ minGapMs: 900_000 }, 8)).state).toBe("work");
  });

  it("[R1] gives one of many who begin at once the lease", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", ["Ann likes tea"]);
    const all = await Promise.all(Array.from({ length: 10 }, () => lab.begin({}, 1)));
    expect(all.filter(({ state }) => state === "work")).toHaveLength(1);
    expect(all.filter(({ state }) => state === "busy")).toHaveLength(9);
  });

  it("gives the slot back when the model did not answer", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", ["Ann likes tea"]);
    await lab.begin({ minGapMs: 900_000 }, 7, "first");
    await lab.memory.abandonRun("other", "not mine");
    expect((await lab.begin({}, 7)).state).toBe("busy");
    await lab.memory.abandonRun("first", "down");
    expect(await lab.begin({ minGapMs: 900_000 }, 7, "second")).toMatchObject({
      fresh: [{ text: "Ann likes tea" }],
    });
  });

  it("answers gone once the bucket is erased, and leaves no row", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", ["Ann likes tea"]);
    await lab.begin({}, 1, "run");
    await lab.memory.claimSlot("flush:main", 1_000);
    await lab.lab.bucket(ANN).erase();
    const said = { kind: "operations", operations: [] } as const;
    for (const call of [
      () => lab.begin(),
      () => lab.memory.commitRun("run", said),
      () => lab.memory.abandonRun("run", "x"),
      () => lab.memory.claimSlot("flush:main", 1_000),
      () => lab.memory.releaseSlot("flush:main"),
      () => lab.memory.tidy(OPTIONS),
      () => lab.memory.overview(1),
      () => lab.memory.undo({ by: "user:ann", entry: "x" }, "op"),
      () => lab.memory.forget(["x"], "user:ann", "op"),
    ])
      await expect(call()).rejects.toMatchObject({ code: "gone" } satisfies Partial<CarrelError>);
    expect(lab.lab.sql(ANN).all("SELECT * FROM memory_fact")).toEqual([]);
  });
});

describe("slots", () => {
  it("[M3] are taken once in their time, separately by name and bucket, and survive restarts", async () => {
    const lab = await MemoryLab.atNoon();
    const bob = lab.lab.memory("bob");
    const claim = () => lab.memory.claimSlot("flush:main", 60_000);
    expect(await claim()).toMatchObject({ granted: true, retryAt: NOW + 60_000 });
    lab.lab.restart();
    const many = await Promise.all(Array.from({ length: 10 }, claim));
    expect(many.every(({ granted }) => !granted)).toBe(true);
    expect(await lab.memory.claimSlot("flush:other", 60_000)).toMatchObject({ granted: true });
    expect(await bob.claimSlot("flush:main", 60_000)).toMatchObject({ granted: true });
    await lab.lab.clock.pass(59_999);
    expect(await claim()).toMatchObject({ granted: false, retryAt: NOW + 60_000 });
    await lab.lab.clock.pass(1);
    expect(await claim()).toMatchObject({ granted: true });
    await lab.memory.releaseSlot("flush:main");
    expect(await claim()).toMatchObject({ granted: true });
  });
});
