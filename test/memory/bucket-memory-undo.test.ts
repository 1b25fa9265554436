import { describe, expect, it } from "vitest";
import { entryId } from "../../src/shared/memory-entries.ts";
import {
  ANN,
  MemoryLab,
  NOW,
  add,
  drop,
  edit,
  noOf,
  takeAll,
  writeMark,
} from "./consolidation/memory-lab.ts";

const BEFORE = [
  "# Known",
  "",
  "* Ann likes tea   ",
  "- Bob is her",
  "  brother",
  '- Cleo is a cat <!-- carrel: {"session":"main/s1","turn":"t7"} -->',
  "",
  "## Work",
  "",
  "A paragraph about Heron.",
  "",
  "- four",
  "- five",
].join("\r\n");

/** A run that changed two entries, dropped two and added one. */
async function consolidated(): Promise<MemoryLab> {
  const lab = await MemoryLab.atNoon();
  await lab.write("MEMORY.md", BEFORE);
  await lab.flush("2026-11-30", ["Ann likes green tea", "Cleo the cat is black", "Dan sails"]);
  await lab.run(({ memory, fresh }) => [
    edit(noOf(memory, "likes tea"), "Ann likes green tea", [noOf(fresh, "green")]),
    { ...edit(noOf(memory, "Cleo"), "Cleo is a black cat", ["L2"]), section: "Pets" },
    drop(noOf(memory, "paragraph"), "over"),
    add("Dan sails", [noOf(fresh, "Dan")], "People"),
  ]);
  return lab;
}

const AFTER = [
  "Ann likes green tea",
  "Bob is her\n  brother",
  "four",
  "five",
  "Cleo is a black cat",
  "Dan sails",
];

describe("undo", () => {
  it("[M7] takes back a whole run, byte for byte but for where entries stand", async () => {
    const lab = await consolidated();
    expect(await lab.entries()).toEqual(AFTER);
    expect(await lab.memory.undo({ by: "user:ann", run: "run-0001" }, "op")).toEqual({
      restored: 4,
      refused: [],
    });
    const text = (await lab.text()) ?? "";
    expect(text).toContain("* Ann likes tea   \r\n- Bob is her\r\n  brother\r\n");
    expect(text).toContain(
      '- Cleo is a cat <!-- carrel: {"session":"main/s1","turn":"t7"} -->\r\n',
    );
    expect((await lab.entries()).toSorted()).toEqual(
      [
        "Ann likes tea",
        "Bob is her\n  brother",
        "Cleo is a cat",
        "A paragraph about Heron.",
        "four",
        "five",
      ].toSorted(),
    );
    const record = await lab.record();
    expect(record).toContain(`4 by user:ann, ${new Date(NOW).toISOString()}`);
    expect((await lab.memory.overview(4_000)).runs).toMatchObject([{ undone: true }]);
    expect((await lab.workspace.history("MEMORY.md"))[0]?.by).toBe("user:ann");
  });

  it("[M7] takes back one entry: an edit, a new one, one that was dropped", async () => {
    const lab = await consolidated();
    const undo = (text: string) =>
      lab.memory.undo({ by: "user:ann", entry: entryId(text) }, `op-${entryId(text)}`);
    for (const text of ["Ann likes green tea", "Dan sails", "A paragraph about Heron."])
      expect(await undo(text)).toEqual({ restored: 1, refused: [] });
    expect(await lab.entries()).toEqual([
      "Ann likes tea",
      "Bob is her\n  brother",
      "four",
      "five",
      "A paragraph about Heron.",
      "Cleo is a black cat",
    ]);
    expect((await lab.memory.overview(4_000)).runs).toMatchObject([{ undone: false }]);
  });

  it("[M7] refuses singly what has changed since", async () => {
    const lab = await consolidated();
    const text = (await lab.text()) ?? "";
    await lab.write(
      "MEMORY.md",
      `${text.replace("Dan sails", "Dan rows")}- A paragraph about Heron.\n`,
    );
    const undone = await lab.memory.undo({ by: "user:ann", run: "run-0001" }, "op");
    expect(undone.restored).toBe(2);
    expect(undone.refused.toSorted((a, b) => (a.why < b.why ? -1 : 1))).toEqual([
      { id: entryId("Dan sails"), why: "It has changed or gone since." },
      { id: entryId("A paragraph about Heron."), why: "It is there again." },
    ]);
    expect(await lab.entries()).toContain("Dan rows");
    const again = await lab.memory.undo({ by: "user:ann", run: "run-0001" }, "op-2");
    expect(again).toMatchObject({ restored: 0 });
  });

  it("[M7] is done once with the same op, also after a restart", async () => {
    const lab = await consolidated();
    const request = { by: "user:ann", run: "run-0001", entry: entryId("Dan sails") };
    const first = await lab.memory.undo(request, "op");
    await lab.append("MEMORY.md", "- Dan sails\n");
    lab.lab.restart();
    expect(await lab.memory.undo(request, "op")).toEqual(first);
    expect(await lab.entries()).toContain("Dan sails");
  });

  it("[M7] removes an entry that no run made, once; its file's history has it", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.write("MEMORY.md", "- one\n- two\n");
    const request = { by: "user:ann", entry: entryId("one") };
    expect(await lab.memory.undo(request, "op")).toEqual({ restored: 1, refused: [] });
    expect(await lab.memory.undo(request, "op")).toEqual({ restored: 1, refused: [] });
    expect(await lab.text()).toBe("- two\n");
    await lab.workspace.change({ by: "user:ann", changes: [{ kind: "undo", path: "MEMORY.md" }] });
    expect(await lab.text()).toBe("- one\n- two\n");
    const missing = { by: "user:ann", entry: entryId("three") };
    await expect(lab.memory.undo(missing, "op-3")).rejects.toMatchObject({ code: "not_found" });
  });

  it("[M7] reaches what the newest run made of an entry, and then what the one before did", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-29", ["Ann likes tea"]);
    await lab.run(takeAll);
    await lab.flush("2026-11-30", ["Ann likes green tea"]);
    await lab.run(() => [edit("M1", "Ann likes green tea", ["L1"])]);
    const undo = (text: string, op: string) =>
      lab.memory.undo({ by: "user:ann", entry: entryId(text) }, op);
    await undo("Ann likes green tea", "op-1");
    expect(await lab.entries()).toEqual(["Ann likes tea"]);
    await undo("Ann likes tea", "op-2");
    expect(await lab.entries()).toEqual([]);
  });

  it("[M7] is not undone by the next run, nor when MEMORY.md is made anew", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", ["Ann likes tea", "Bob likes coffee"]);
    await lab.run(takeAll);
    await lab.memory.undo({ by: "user:ann", entry: entryId("Ann likes tea") }, "op");
    expect(await lab.run(takeAll)).toBeNull();
    await lab.write("MEMORY.md", "");
    await lab.run(takeAll);
    expect(await lab.entries()).toEqual(["Bob likes coffee"]);
  });

  it("says what cannot be undone", async () => {
    const lab = await consolidated();
    const undo = (request: object) => lab.memory.undo({ by: "user:ann", ...request }, "op");
    await expect(undo({})).rejects.toMatchObject({ code: "invalid" });
    await expect(undo({ run: "run-0009" })).rejects.toMatchObject({ code: "not_found" });
    await expect(undo({ run: "../../AGENTS" })).rejects.toMatchObject({ code: "not_found" });
    await expect(undo({ run: "run-0001", entry: "x" })).rejects.toMatchObject({
      code: "not_found",
    });
    await lab.write("memory/.consolidation/run-0001.md", "spoilt");
    await expect(undo({ run: "run-0001" })).rejects.toMatchObject({ code: "conflict" });
  });

  it("[M9] keeps what the agent saved and a person took back from coming again, also when something is forgotten", async () => {
    const lab = await MemoryLab.atNoon();
    const [tea, phone] = ["Ann likes tea", "Ann's phone number is 4711"];
    await lab.write("MEMORY.md", `- ${tea}\n`);
    await lab.flush("2026-12-01", [tea, phone, "Dan sails"]);
    const undone = await lab.memory.undo({ by: "user:ann", entry: entryId(tea) }, "undo");
    expect(undone).toMatchObject({ restored: 1 });
    await lab.run(takeAll);
    expect(await lab.entries()).toEqual([phone, "Dan sails"]);
    await lab.lab.pass(60_000);
    // Made of both: what is forgotten of it gives the other one to the next run.
    const refs = [tea, phone].map((text) => `2026-12-01#${entryId(text)}`);
    await lab.append("MEMORY.md", `- Both ${writeMark({ from: refs })}\n`);
    await lab.memory.forget([entryId(phone)], "user:ann", "forget");
    await lab.run(takeAll);
    expect(await lab.entries()).toEqual(["Dan sails"]);
    await lab.write("MEMORY.md", "");
    await lab.run(takeAll);
    expect(await lab.entries()).toEqual(["Dan sails"]);
  });

  it("[M9] leaves a record that a person can read", async () => {
    const lab = await consolidated();
    const [words] = (await lab.record()).split("\n## Data\n");
    expect(words).toBe(
      [
        "# Consolidation run-0001",
        "",
        "2026-12-01T12:00:00.000Z: 3 kept, 2 changed, 1 added, 1 dropped, 0 refused; 3 new entries of ledgers read.",
        "",
        "## Changed",
        "",
        "- was: Ann likes tea (Known)",
        "  is: Ann likes green tea (Known)",
        `  from: 2026-11-30#${entryId("Ann likes green tea")}`,
        "  because: better",
        "- was: Cleo is a cat (Known)",
        "  is: Cleo is a black cat (Pets)",
        `  from: 2026-11-30#${entryId("Cleo the cat is black")}`,
        "  because: better",
        "",
        "## Added",
        "",
        "- is: Dan sails (People)",
        `  from: 2026-11-30#${entryId("Dan sails")}`,
        "  because: new",
        "",
        "## Dropped",
        "",
        "- was: A paragraph about Heron. (Work)",
        "  because: over",
        "",
      ].join("\n"),
    );
    expect(await lab.lab.bucket(ANN).history("memory/.consolidation/run-0001.md")).toHaveLength(1);
  });
});
