import { describe, expect, it } from "vitest";
import { ledgerSection } from "../../src/memory/ledger.ts";
import { entryId } from "../../src/shared/memory-entries.ts";
import { latch } from "../turn/after-turn-lab.ts";
import { ANN, DAY, MemoryLab, NOW, OPTIONS } from "./consolidation/memory-lab.ts";

const CAT = "My cat is called Turing";
const OSLO = "Ann lives in Oslo";
const LEDGER = "memory/2026-12-01.md";

const section = (...bullets: readonly string[]) =>
  ledgerSection("Memory Flush", NOW, { session: "main/s1", turn: "t1", seq: [1, 3] }, bullets);

/** What a flush brings of something that was said at noon. */
const letter = (text: string, more: { op?: string; saidAt?: number } = {}) => ({
  path: LEDGER,
  text,
  op: "flush/1",
  saidAt: NOW,
  by: "job:flush",
  ...more,
});

/** A minute ago somebody forgot what was said at noon. */
async function forgotten(...texts: readonly string[]): Promise<MemoryLab> {
  const lab = await MemoryLab.atNoon();
  await lab.lab.clock.pass(60_000);
  await lab.append("MEMORY.md", texts.map((text) => `- ${text}\n`).join(""));
  await lab.memory.forget(texts.map(entryId), "user:ann", "op");
  await lab.lab.clock.pass(60_000);
  return lab;
}

describe("a section that is noted", () => {
  it("[M1] is appended as it is, once", async () => {
    const lab = await MemoryLab.atNoon();
    const text = section(CAT, OSLO);
    for (let time = 0; time < 2; time++) {
      expect(await lab.memory.note(letter(text))).toEqual({ noted: 2, leftOut: 0 });
      lab.lab.restart();
    }
    expect(await lab.text(LEDGER)).toBe(text);
    const [version] = await lab.workspace.history(LEDGER);
    expect(version?.by).toBe("job:flush");
  });

  it("[M7] leaves out what was forgotten after it was said, and nothing else", async () => {
    const lab = await forgotten(CAT);
    expect(await lab.memory.note(letter(section(CAT, OSLO)))).toEqual({ noted: 1, leftOut: 1 });
    expect(await lab.text(LEDGER)).toBe(section(OSLO));
    expect(await lab.memory.note(letter(section(CAT, OSLO)))).toEqual({ noted: 1, leftOut: 1 });
    expect(await lab.text(LEDGER)).toBe(section(OSLO));
  });

  it("[M7] is not there at all where nothing of it is left, however often it comes", async () => {
    const lab = await forgotten(CAT);
    for (let time = 0; time < 2; time++) {
      expect(await lab.memory.note(letter(section(CAT)))).toEqual({ noted: 0, leftOut: 1 });
      expect(await lab.text(LEDGER)).toBeNull();
      lab.lab.restart();
    }
  });

  it.each([
    [CAT, "The cat of Ann is called Turing.", true],
    [CAT, "Ann told of a cat", false],
    [CAT, "Ann's dog is called Ada", false],
    ["猫の名前はチューリング", "アンの猫の名前はチューリングです", true],
    ["It is me", "it is me", false],
    ["It is me", "It  is me", true],
  ])("[M7] says %j of what was forgotten with %j: %s", async (forgot, noted, isLeftOut) => {
    const lab = await forgotten(forgot);
    const answer = await lab.memory.note(letter(section(noted)));
    expect(answer.leftOut).toBe(isLeftOut ? 1 : 0);
  });

  it("[M7] is noted where it was said after the forgetting, for the bucket that forgot alone", async () => {
    const lab = await forgotten(CAT);
    const bob = lab.lab.memory("bob");
    expect(await bob.note(letter(section(CAT)))).toEqual({ noted: 1, leftOut: 0 });
    const again = letter(section(CAT), { op: "flush/2", saidAt: NOW + 60_001 });
    expect(await lab.memory.note(again)).toEqual({ noted: 1, leftOut: 0 });
    expect(await lab.entries(LEDGER)).toEqual([CAT]);
    // Forgetting once more with the same op is no new forgetting.
    await lab.memory.forget([entryId(CAT)], "user:ann", "op");
    const later = letter(section(CAT), { op: "flush/3", saidAt: NOW + 60_002 });
    expect(await lab.memory.note(later)).toEqual({ noted: 1, leftOut: 0 });
  });

  it("[M7] is left out also where the object ended while it was being forgotten", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.append("MEMORY.md", `- ${CAT}\n`);
    const bucket = lab.lab.bucket(ANN);
    bucket.change = () => Promise.reject(new Error("the object ended"));
    const forget = () => lab.memory.forget([entryId(CAT)], "user:ann", "op");
    await expect(forget()).rejects.toThrow("the object ended");
    lab.lab.restart();
    expect(await lab.memory.note(letter(section(CAT)))).toEqual({ noted: 0, leftOut: 1 });
    expect(await forget()).toMatchObject({ entries: 1 });
    expect(await lab.entries()).toEqual([]);
  });

  it("[M7] that comes while something is forgotten waits for that", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.append("MEMORY.md", `- ${CAT}\n`);
    const { opened, open } = latch();
    const bucket = lab.lab.bucket(ANN);
    const tree = bucket.tree.bind(bucket);
    bucket.tree = async (request) => {
      const answer = await tree(request);
      await opened;
      return answer;
    };
    const forgetting = lab.memory.forget([entryId(CAT)], "user:ann", "op");
    const noting = lab.memory.note(letter(section(CAT, OSLO)));
    await lab.lab.clock.pass(0);
    open();
    expect(await forgetting).toMatchObject({ entries: 1 });
    expect(await noting).toEqual({ noted: 1, leftOut: 1 });
    expect(await lab.entries(LEDGER)).toEqual([OSLO]);
  });

  it("[M7] is forgotten, too, where that comes while it is being noted", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.append("MEMORY.md", `- ${CAT}\n`);
    const { opened, open } = latch();
    const bucket = lab.lab.bucket(ANN);
    const change = bucket.change.bind(bucket);
    bucket.change = async (request) => {
      if (request.by === "job:flush") await opened;
      return change(request);
    };
    const noting = lab.memory.note(letter(section(CAT, OSLO)));
    const forgetting = lab.memory.forget([entryId(CAT)], "user:ann", "op");
    await lab.lab.clock.pass(0);
    open();
    expect(await noting).toEqual({ noted: 2, leftOut: 0 });
    expect(await forgetting).toMatchObject({ entries: 2, paths: ["MEMORY.md", LEDGER] });
    expect(await lab.entries(LEDGER)).toEqual([OSLO]);
  });

  it("goes on after something that failed before it", async () => {
    const lab = await MemoryLab.atNoon();
    await expect(lab.memory.note({ ...letter(section(CAT)), path: "../x" })).rejects.toThrow();
    expect(await lab.memory.note(letter(section(CAT)))).toMatchObject({ noted: 1 });
  });

  it("[I3] comes too late in a bucket that was erased", async () => {
    const lab = await forgotten(CAT);
    await lab.lab.bucket(ANN).erase();
    const note = lab.memory.note(letter(section(CAT)));
    await expect(note).rejects.toMatchObject({ code: "gone" });
    expect(lab.lab.sql(ANN).all("SELECT * FROM memory_forgotten")).toEqual([]);
  });
});

describe("what is kept of what was forgotten", () => {
  it("[M7] is no word of it, and that for seven days", async () => {
    const lab = await forgotten(CAT);
    const kept = () => lab.lab.sql(ANN).all("SELECT * FROM memory_forgotten");
    expect(kept()).toEqual([
      { id: entryId(CAT), at: NOW + 60_000, op: expect.any(String), words: expect.any(String) },
    ]);
    expect(JSON.stringify(kept())).not.toMatch(/turing|\bcat\b/i);
    await lab.lab.clock.pass(7 * DAY);
    await lab.memory.tidy(OPTIONS);
    expect(kept()).toEqual([]);
  });

  it("is about the newest 1,000 entries", async () => {
    const lab = await MemoryLab.atNoon();
    for (const half of [0, 1]) {
      const texts = Array.from({ length: 600 }, (_, no) => `thing ${half * 600 + no}`);
      await lab.write("MEMORY.md", texts.map((text) => `- ${text}\n`).join(""));
      await lab.memory.forget(texts.map(entryId), "user:ann", `op-${half}`);
      await lab.lab.clock.pass(1_000);
    }
    const query = "SELECT count(*) AS count FROM memory_forgotten WHERE at = ?";
    const counts = [NOW, NOW + 1_000].map((at) => lab.lab.sql(ANN).all(query, at)[0]);
    expect(counts).toEqual([{ count: 400 }, { count: 600 }]);
  });
});
