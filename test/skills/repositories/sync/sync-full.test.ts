import { describe, expect, it } from "vitest";
import type { FetchedSkill } from "../../../../src/skills/repositories/repository.ts";
import { saying, ScriptedRepository, SyncBench } from "./bench.ts";

const HOUR = 3_600_000;
const never = new AbortController().signal;

/** A skill with so many files that say what version it is. */
const large = (directory: string, version: string, files: number): FetchedSkill => ({
  directory,
  files: [
    ...saying(directory, version).files,
    ...Array.from({ length: files - 1 }, (_, no) => ({
      path: `assets/${no}.txt`,
      content: { text: `${version} ${no}` },
      executable: false,
    })),
  ],
});

/** Puts that many files of their own among those that users share. */
async function fill(bench: SyncBench, count: number): Promise<void> {
  for (let from = 0; from < count; from += 900) {
    const changes = Array.from({ length: Math.min(900, count - from) }, (_, no) => {
      const path = `notes/${from + no}.md`;
      return { kind: "write", path, content: { text: "x" } } as const;
    });
    await bench.workspace.change({ by: "user:ann", changes });
  }
}

describe("a shared bucket that is full", () => {
  it("[K1] gets room from what nobody needs any more, so that a repository that changes often goes on", async () => {
    const bench = new SyncBench();
    const repository = new ScriptedRepository("house");
    for (let version = 1; version <= 12; version++) {
      repository.put(String(version), large("pdf", `v${version}`, 291));
      expect(await bench.run(repository)).toMatchObject({ outcome: "synced" });
      await bench.lab.clock.pass(HOUR);
    }
    expect((await bench.index(repository)).revision).toBe("12");
  });

  it("[K1] of a repository that does not fit keeps nothing, and says why; all others may write", async () => {
    const bench = new SyncBench();
    const skills = Array.from({ length: 100 }, (_, no) => large(`s${no}`, "one", 25));
    const repository = new ScriptedRepository("house").put("1", ...skills);
    const sync = bench.sync(repository);
    await sync.syncNow(never);
    const [status] = await sync.overview();
    expect(status).toMatchObject({ state: "failing", skills: 0, failure: { times: 1 } });
    expect(status?.failure?.why).toMatch(/files/);
    expect(await bench.kept()).toEqual(["index.json"]);
    await fill(bench, 1_000);
    await sync.syncIfDue();
    expect(repository.asked).toHaveLength(1);
  });

  it("[K1] keeps what there was, with why it is old", async () => {
    const bench = new SyncBench();
    const repository = new ScriptedRepository("house").put("1", saying("pdf", "one"));
    await bench.run(repository);
    await fill(bench, 1_998);
    await bench.lab.clock.pass(HOUR);
    repository.put("2", saying("pdf", "two"));
    const sync = bench.sync(repository);
    await sync.syncNow(never);
    expect(await sync.overview()).toMatchObject([{ state: "failing", revision: "1", skills: 1 }]);
    const [pdf] = (await bench.index(repository)).skills;
    expect(await bench.text(`${pdf?.directory}/SKILL.md`)).toContain("one");
  });
});

describe("many skills that change at once", () => {
  it("[K2] are there for a turn that began before, all of them", async () => {
    const bench = new SyncBench();
    const all = (version: string) =>
      Array.from({ length: 150 }, (_, no) => saying(`s${no}`, version));
    const repository = new ScriptedRepository("house").put("1", ...all("one"));
    await bench.run(repository);
    const before = await bench.index(repository);
    repository.put("2", ...all("two"));
    await bench.run(repository);
    for (const { directory } of before.skills)
      expect(await bench.text(`${directory}/SKILL.md`)).toContain("one");
    await bench.lab.clock.pass(2 * HOUR);
    repository.put("3", ...all("two"));
    await bench.run(repository);
    expect((await bench.index(repository)).retired).toHaveLength(100);
  });
});
