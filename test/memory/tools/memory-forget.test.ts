import { describe, expect, it } from "vitest";
import { decide } from "../../../src/permissions/decide.ts";
import { entryId } from "../../../src/shared/memory-entries.ts";
import { permissionModes } from "../../../src/shared/permissions.ts";
import { MemoryDesk } from "./desk.ts";

const MARK = '<!-- carrel: {"session":"main/s1","turn":"t"} -->';
const LONG =
  "The budget for the Vienna trip is 500 euros, to be spent on trains, two museums and dinner.";

async function deskWith(): Promise<MemoryDesk> {
  const desk = new MemoryDesk();
  const { put } = desk.workspace;
  await put("MEMORY.md", `# Facts\n\n- Likes tea. ${MARK}\n- I like C++\n- I like C\n`);
  await put("memory/2026-11-30.md", `\n## Memory Save — x\n${MARK}\n\n- ${LONG}\n- Two\n  lines\n`);
  await put("memory/archive/2026-01-01.md", "- 喜欢喝绿茶\n- 1. April is a birthday\n");
  await put("memory/.consolidation/run.md", "- Dropped thing\n");
  await put("notes/plan.md", "- Not memory\n");
  return desk;
}

const MEMORY_IDS = ["Likes tea.", "I like C++", "I like C", LONG, "Two lines", "喜欢喝绿茶"].map(
  entryId,
);

/** The ids that a call gives on, of entries that are there. */
async function idsFor(...entries: string[]): Promise<readonly string[]> {
  const desk = await deskWith();
  await desk.use("memory_forget", { entries });
  return (desk.forgets[0]?.ids ?? []).filter((id) => MEMORY_IDS.includes(id));
}

describe("memory_forget", () => {
  it("[M7] forgets in the caller's bucket, in the name of its session, under an id of the call", async () => {
    const desk = await deskWith();
    desk.forgotten = { entries: 3, paths: ["MEMORY.md", "memory/2026-11-30.md"], said: [] };
    const answer = await desk.use("memory_forget", { entries: ["Likes tea."] }, { call: "c" });
    expect(answer).toBe(
      "3 entries are gone, from MEMORY.md, memory/2026-11-30.md. Search and earlier versions do not have them any more.",
    );
    expect(desk.forgets).toEqual([
      { bucketOf: "main/ann", ids: [entryId("Likes tea.")], by: "agent:main/s1", op: "s/c:forget" },
    ]);
  });

  it.each([
    ["Likes tea.", "Likes tea."],
    ["- likes  tea", "Likes tea."],
    ["4|- Likes tea.", "Likes tea."],
    [`- Likes tea. ${MARK}`, "Likes tea."],
    ["“Likes tea”", "Likes tea."],
    ["Source: MEMORY.md#3: Likes tea. (0.93, 2026-11-30)", "Likes tea."],
    ["Two lines", "Two lines"],
    ["6|- Two\n7|  lines", "Two lines"],
    ["I like C++", "I like C++"],
    ["i like c", "I like C"],
    ["喜欢喝绿茶。".replace("。", ""), "喜欢喝绿茶"],
    ["…Vienna trip is 500 euros, to be spent…", LONG],
  ])("[M7] knows %j", async (text, said) => {
    expect(await idsFor(text)).toEqual([entryId(said)]);
  });

  it.each(["Not memory", "Dropped thing", "…I like…", "Vienna trip", "tea"])(
    "[M7] takes no other entry for %j",
    async (text) => {
      expect(await idsFor(text)).toEqual([]);
    },
  );

  it("finds an entry whose text begins as a list does", async () => {
    const desk = await deskWith();
    await desk.use("memory_forget", { entries: ["1. April is a birthday"] });
    expect(desk.forgets[0]?.ids).toContain(entryId("1. April is a birthday"));
  });

  it("shows the nearest entries for what it does not find, and how to go on", async () => {
    const desk = await deskWith();
    const answer = await desk.use("memory_forget", { entries: ["the Vienna budget", "xyz"] });
    expect(answer).toBe(
      `Nothing was forgotten.
No entry says “the Vienna budget”. The nearest:
- ${LONG} (memory/2026-11-30.md#5)
No entry says “xyz”.
Call it again with the whole text of an entry, as it is shown here or by memory_get.`,
    );
  });

  it("says the same when the call is made again after it was done", async () => {
    const desk = await deskWith();
    const call = { call: "same" };
    desk.forgotten = { entries: 1, paths: ["MEMORY.md"], said: [] };
    const first = await desk.use("memory_forget", { entries: ["Likes tea."] }, call);
    await desk.workspace.put("MEMORY.md", "# Facts\n");
    expect(await desk.use("memory_forget", { entries: ["Likes tea."] }, call)).toBe(first);
    expect(new Set(desk.forgets.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it("works where nothing is remembered", async () => {
    const desk = new MemoryDesk();
    expect(await desk.use("memory_forget", { entries: ["tea"] })).toMatch(/^Nothing was forgotten/);
  });

  it("asks a person with the texts, in every mode that asks at all, and no rule spares it", () => {
    const call = new MemoryDesk().prepare("memory_forget", {
      entries: ["Likes\ntea.", "x".repeat(900)],
    });
    const operator = { allow: [{ tool: "*" }], ask: [], deny: [] };
    const decisions = permissionModes.map((mode) =>
      decide({
        tool: { name: "memory_forget", effect: "write" },
        input: {},
        call,
        operator,
        session: { ...operator, mode },
        gate: null,
      }),
    );
    expect(decisions.map(({ kind }) => kind)).toEqual(["ask", "ask", "deny", "ask", "deny"]);
    expect(decisions[0]).toMatchObject({
      reason: `It forgets for good: “Likes tea.”; “${"x".repeat(300)}…”`,
      suggested: [],
    });
  });

  it.each([
    [{ entries: [] }, /entries: /],
    [{ entries: Array.from({ length: 21 }, () => "x") }, /entries: .*20/],
    [{ entries: [" - "] }, /entries\[0\]: it is blank\. Give the text of an entry/],
    [{ entries: "tea" }, /entries: /],
    [{}, /entries: /],
  ])("refuses %j and says how to mend it", (input, words) => {
    expect(() => new MemoryDesk().prepare("memory_forget", input)).toThrow(words);
  });

  it("looks through 10,000 entries for 20 texts within a moment", async () => {
    const desk = new MemoryDesk();
    for (let file = 0; file < 10; file += 1) {
      const lines = Array.from(
        { length: 1_000 },
        (_, at) => `- Fact ${file}-${at} about the garden, the boat and the house.`,
      );
      await desk.workspace.put(`memory/2026-10-1${file}.md`, lines.join("\n"));
    }
    const entries = Array.from({ length: 20 }, (_, at) => `Fact ${at} about a garden and a house`);
    expect(await desk.use("memory_forget", { entries })).toContain("The nearest:");
  });
});
