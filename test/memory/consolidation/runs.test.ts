import { describe, expect, it } from "vitest";
import { memoryEntries } from "../../../src/shared/memory-entries.ts";
import { ANN, MemoryLab, add, drop, edit, noOf } from "./memory-lab.ts";

const FILE = [
  "# What I know",
  "",
  "<!-- Ann: please keep this order -->",
  "",
  "## People",
  "",
  "- Ann lives in Oslo",
  "* Bob is her brother",
  "",
  "## Work",
  "",
  "The project is called Heron.",
  "",
].join("\r\n");

describe("a run of consolidation", () => {
  it("[M4] applies operations, each to its entry, and leaves every other byte as it was", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.write("MEMORY.md", FILE);
    await lab.flush("2026-11-30", ["Ann has moved to Bergen", "Bob plays chess", "The sun shone"]);
    const result = await lab.run(({ memory, fresh }) => [
      edit(noOf(memory, "Oslo"), "Ann lives in Bergen; before in Oslo", [noOf(fresh, "Bergen")]),
      add("Bob plays chess", [noOf(fresh, "chess")], "people"),
    ]);
    expect(result).toEqual({
      run: "run-0001",
      state: "applied",
      why: null,
      kept: 2,
      changed: 1,
      added: 1,
      dropped: 0,
      refused: 0,
    });
    expect(await lab.shown()).toBe(
      FILE.replace("Ann lives in Oslo", "Ann lives in Bergen; before in Oslo").replace(
        "* Bob is her brother\r\n",
        "* Bob is her brother\r\n- Bob plays chess\r\n",
      ),
    );
    const versions = await lab.workspace.history("MEMORY.md");
    expect(versions.map(({ by }) => by)).toEqual(["job:consolidation", "user:ann"]);
  });

  it("[M7] marks what it writes with its sources and itself, and keeps who said it first", async () => {
    const lab = await MemoryLab.atNoon();
    const saved = '- Ann likes tea <!-- carrel: {"session":"main/s0","turn":"t0"} -->\n';
    await lab.write("MEMORY.md", saved);
    await lab.flush("2026-11-29", ["Ann likes green tea"], { outside: true });
    await lab.run(() => [edit("M1", "Ann likes green tea", ["L1"])]);
    const [entry] = memoryEntries((await lab.text()) ?? "");
    const from = [`2026-11-29#${entry?.id}`];
    const mark = { session: "main/s0", turn: "t0", outside: true, from, run: "run-0001" };
    expect(entry?.mark).toEqual(mark);
  });

  it("begins new sections at the end, and an empty MEMORY.md", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", ["Ann likes tea", "Heron ships in May", "Ann owns a boat"]);
    await lab.run(() => [
      add("Ann likes tea", ["L1"]),
      add("Heron ships in May", ["L2"], "## Work\n- x"),
      add("Ann owns a boat", ["L3"], "Work x"),
    ]);
    expect(await lab.shown()).toBe(
      "- Ann likes tea\n\n## Work x\n\n- Heron ships in May\n- Ann owns a boat\n",
    );
  });

  it("[M5] leaves what came, changed or went while the model was thinking", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.write("MEMORY.md", "- a one\n- b two\n- c three\n- d four\n- e five\n");
    await lab.flush("2026-11-30", ["a uno", "b dos", "news"]);
    const begun = await lab.begin({}, null, "slow");
    await lab.write("MEMORY.md", "- a one\n- b changed\n- c three\n- e five\n");
    await lab.append("MEMORY.md", "- saved meanwhile\n");
    await lab.append("memory/2026-11-30.md", "- said meanwhile\n");
    expect(begun.state).toBe("work");
    const operations = [
      edit("M1", "a one and uno", ["L1"]),
      edit("M2", "b two and dos", ["L2"]),
      drop("M4"),
      add("news", ["L3"]),
    ];
    const result = await lab.memory.commitRun("slow", { kind: "operations", operations });
    expect(result).toMatchObject({
      state: "applied",
      changed: 1,
      added: 1,
      dropped: 0,
      refused: 2,
    });
    expect(await lab.entries()).toEqual([
      "a one and uno",
      "b changed",
      "c three",
      "e five",
      "saved meanwhile",
      "news",
    ]);
    expect(await lab.record()).toContain("refused: the entry has changed or gone meanwhile");
    expect(await lab.begin()).toMatchObject({ fresh: [{ text: "said meanwhile" }] });
  });

  it("[M5] applies anew when MEMORY.md changes between reading and writing", async () => {
    let late = 2;
    const lab: MemoryLab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", ["news"]);
    await lab.begin({}, null, "run");
    const bucket = lab.lab.bucket(ANN);
    const change = bucket.change.bind(bucket);
    bucket.change = async (request) => {
      if (request.by === "job:consolidation" && late-- > 0)
        await lab.append("MEMORY.md", `- late ${late}\n`);
      return change(request);
    };
    const operations = [add("news", ["L1"])];
    const result = await lab.memory.commitRun("run", { kind: "operations", operations });
    expect(result.state).toBe("applied");
    expect(await lab.entries()).toEqual(["late 1", "late 0", "news"]);
  });

  it("[M4] takes the same commit once, also after a restart, and says what came of it again", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", ["Ann likes tea"]);
    const begun = await lab.begin({}, 7, "run");
    lab.lab.restart();
    expect(await lab.begin({}, 7, "run")).toEqual(begun);
    const said = { kind: "operations", operations: [add("Ann likes tea", ["L1"])] } as const;
    const result = await lab.memory.commitRun("run", said);
    const text = await lab.text();
    lab.lab.restart();
    expect(await lab.memory.commitRun("run", said)).toEqual(result);
    expect(await lab.text()).toBe(text);
    expect((await lab.begin({}, 7, "run")).state).toBe("done");
    expect((await lab.begin({}, 7)).state).toBe("done");
    expect((await lab.begin({}, 8)).state).toBe("idle");
  });

  it("[R1] finds a run that was recorded and could not say so", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", ["Ann likes tea"]);
    await lab.begin({}, 7, "run");
    const bucket = lab.lab.bucket(ANN);
    const change = bucket.change.bind(bucket);
    bucket.change = async (request) => {
      await change(request);
      throw new Error("the object ended");
    };
    await expect(
      lab.memory.commitRun("run", { kind: "operations", operations: [] }),
    ).rejects.toThrow("the object ended");
    lab.lab.restart();
    expect((await lab.begin({}, 7)).state).toBe("done");
    expect((await lab.memory.commitRun("run", { kind: "operations", operations: [] })).state).toBe(
      "applied",
    );
  });
});
