import { describe, expect, it } from "vitest";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { WorkspaceLab, type WorkspaceLabOptions } from "../support/workspace-lab.ts";

const ANN = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });
const MINUTE = 60_000;

function labWith(options: WorkspaceLabOptions = {}) {
  const lab = new WorkspaceLab(options);
  const append = (path: string, text = "- x\n") =>
    lab.workspace().change({ by: "agent", changes: [{ kind: "append", path, text }] });
  return { lab, append };
}

describe("a bucket whose memory changes", () => {
  it.each([
    "MEMORY.md",
    "memory/2026-11-30.md",
    "agents/main/sessions/s1.log.jsonl",
    "large_tool_results/s1/c1.txt",
    "skills/pdf/SKILL.md",
    "skills/_drafts/pdf/scripts/run.py",
    "skills/.usage.json",
    "skills/.drafts.json",
    "skills/.provenance.json",
  ])("[R3] tells the registry of %s once, when it settles, and then has no alarm", async (path) => {
    const { lab, append } = labWith();
    for (let no = 0; no < 5; no++) await append(path);
    expect(lab.dirty).toEqual([]);
    await lab.pass(MINUTE);
    expect(lab.dirty).toEqual([ANN]);
    lab.restart();
    await lab.workspace().tree({});
    await lab.pass(MINUTE);
    expect([...lab.alarms.values()].filter((at) => at < lab.clock.now() + 86_400_000)).toEqual([]);
    expect(lab.dirty).toEqual([ANN]);
    await append(path);
    await lab.pass(MINUTE);
    expect(lab.dirty).toEqual([ANN, ANN]);
  });

  it("tells of nothing that upkeep does not look at, or left there itself", async () => {
    const { lab, append } = labWith();
    for (const path of [
      "notes.md",
      "knowledge/memory/a.md",
      "MEMORY.md.bak",
      "memory/archive/2026-01-01.md",
      "memory/.consolidation/run.md",
      "memory/.forgotten.jsonl",
      "agents/main/tasks/s1.json",
      "skills/.audit/2026-11-30.jsonl",
      "skills/.curator_state.json",
      "skills/.curator_reports/20261130-000000/REPORT.md",
      "skills/.archive/pdf-20261130000000/SKILL.md",
      "skills/.archive.json",
      "skills/.usage.json.bak",
      ".skills-cache/hub/index.json",
    ])
      await append(path);
    await lab.pass(10 * MINUTE);
    expect(lab.dirty).toEqual([]);
  });

  it("tells of a change that is refused nothing", async () => {
    const { lab } = labWith();
    const changes = [
      { kind: "write", path: "MEMORY.md", content: { text: "x" }, expect: "9" },
    ] as const;
    await lab
      .workspace()
      .change({ by: "agent", changes })
      .catch(() => {});
    await lab.pass(10 * MINUTE);
    expect(lab.dirty).toEqual([]);
  });

  it("tells again of what changes while it tells", async () => {
    let times = 0;
    const { lab, append } = labWith({
      tellDirty: async () => {
        times += 1;
        if (times === 1) await append("MEMORY.md");
      },
    });
    await append("MEMORY.md");
    await lab.pass(MINUTE);
    expect(times).toBe(2);
  });

  it("[R4] tries again when it cannot tell, later each time and also after a restart, and tells in the end", async () => {
    const tries: number[] = [];
    let isDown = true;
    const { lab, append } = labWith({
      tellDirty: async () => {
        tries.push(lab.clock.now());
        if (isDown) throw new Error("down");
      },
    });
    await append("MEMORY.md");
    await lab.pass(25_000);
    lab.restart();
    await lab.pass(15 * MINUTE);
    const waits = tries.slice(1).map((at, no) => at - (tries[no] ?? 0));
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256].map((s) => s * 1_000));
    isDown = false;
    await lab.pass(11 * MINUTE);
    const { length } = tries;
    await lab.pass(60 * MINUTE);
    expect(tries).toHaveLength(length);
    expect(lab.sql(ANN).all("SELECT id FROM job WHERE id = 'tell'")).toEqual([]);
  });

  it("tells again when it ended before it had written down that it told", async () => {
    let isCrashing = true;
    let times = 0;
    const { lab, append } = labWith({
      tellDirty: async () => void (times += 1),
      point: (name) => {
        if (name === "commit:told:before" && isCrashing) throw new Error("crash");
      },
    });
    await append("MEMORY.md");
    await lab.pass(11_000);
    isCrashing = false;
    lab.restart();
    await lab.workspace().tree({});
    await lab.pass(MINUTE);
    expect(times).toBeGreaterThanOrEqual(2);
    const before = times;
    await lab.pass(10 * MINUTE);
    expect(times).toBe(before);
  });

  it("[W11] tells of what it finds at the store when its tables were lost", async () => {
    const { lab, append } = labWith();
    await append("MEMORY.md");
    await lab.pass(MINUTE);
    lab.restart({ loss: true });
    lab.dirty.length = 0;
    await lab.workspace().tree({});
    await lab.pass(MINUTE);
    expect(lab.dirty).toEqual([ANN]);
  });

  it("that never rests tells every five minutes all the same", async () => {
    const { lab, append } = labWith();
    for (let no = 0; no < 70; no++) {
      await append("MEMORY.md");
      await lab.pass(9_000);
    }
    expect(lab.dirty.length).toBeGreaterThanOrEqual(2);
    expect(lab.dirty.length).toBeLessThanOrEqual(3);
  });

  it("says nothing after it was erased", async () => {
    const { lab, append } = labWith();
    await append("MEMORY.md");
    await lab.bucket(ANN).erase();
    await lab.pass(10 * MINUTE);
    expect(lab.dirty).toEqual([]);
  });

  it("[T12] pays one row to have told, and none for a change", async () => {
    const costs: number[] = [];
    for (const told of [true, false]) {
      const { lab, append } = labWith(told ? {} : { tellDirty: undefined as never });
      await append("MEMORY.md");
      await lab.pass(MINUTE);
      const before = lab.written();
      for (let no = 0; no < 10; no++) await append("MEMORY.md");
      costs.push(lab.written() - before);
      await lab.pass(MINUTE);
      costs.push(lab.written() - before);
    }
    const [changed = 0, all = 0, changedUntold, allUntold = 0] = costs;
    expect(changed).toBe(changedUntold);
    expect(all - allUntold).toBeLessThanOrEqual(1);
  });
});
