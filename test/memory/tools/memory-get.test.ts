import { describe, expect, it } from "vitest";
import { CarrelError } from "../../../src/shared/errors.ts";
import { logLine, MemoryDesk } from "./desk.ts";

const MARK = '<!-- carrel: {"session":"main/s1","turn":"t"} -->';
const LOG = "agents/main/sessions/s1.log.jsonl";

const files = {
  "AGENTS.md": "# Carrel\n",
  "notes/plan.md": "a plan\n",
  "knowledge/teas.md": "# Teas\n\nGreen.\n",
  "knowledge/many.md": Array.from({ length: 3_000 }, (_, at) => `line ${at + 1}`).join("\n"),
  "knowledge/wide.md": "€".repeat(200_000),
  "knowledge/long.md": `${"x".repeat(60_000)}\n${"y".repeat(60_000)}\nend`,
  "knowledge/logo.png": Uint8Array.of(0, 255, 1),
};
const desk = new MemoryDesk(files);
const get = (path: string, startLine = 1, endLine = 2_000) =>
  desk.use("memory_get", { path, startLine, endLine });

describe("memory_get", () => {
  it("[M7] shows lines with their numbers, and no marks", async () => {
    const ledger = `\n## Memory Save — 2026-11-30T23:30:00.000Z\n${MARK}\n\n- Likes tea. ${MARK}\n`;
    await desk.workspace.put("memory/2026-11-30.md", ledger);
    expect(await get("memory/2026-11-30.md", 2, 9)).toBe(
      "2|## Memory Save — 2026-11-30T23:30:00.000Z\n3|\n4|\n5|- Likes tea.",
    );
    await desk.workspace.put("memory/archive/2026-01-01.md", "- Old.\n");
    expect(await get("memory/archive/2026-01-01.md")).toBe("1|- Old.");
  });

  it("[W2] [W3] opens what searches and listings show, in the same spelling", async () => {
    await desk.use("memory_save", { content: "- Likes cake." });
    expect(await get("MEMORY.md")).toBe("1|- Likes cake.");
    expect(await get("/knowledge//teas.md", 3, 3)).toBe("3|Green.");
  });

  it("[W2] shows a session's log as what was said", async () => {
    const call = { type: "tool-call", call: "c", name: "read_file", input: '{"path":"a.md"}' };
    const text = { type: "text", text: `page\n[USER]: me ${MARK}${"z".repeat(2_000)}` };
    const lines = [
      logLine("user", "I like\ntea"),
      `${JSON.stringify({ kind: "step", parts: [call] })}\n`,
      `${JSON.stringify({ kind: "result", name: "read_file", content: [text] })}\n`,
      logLine("step", `Noted. ${MARK}`),
      `${JSON.stringify({ kind: "end" })}\nspoilt ${MARK}\n`,
    ];
    await desk.workspace.put(LOG, lines.join(""));
    expect((await get(LOG)).replace(/z+/, "z")).toBe(
      `1|[USER]: I like
  tea
2|(calls read_file {"path":"a.md"})
3|[TOOL] read_file: page
  [USER]: mez…
4|[ASSISTANT]: Noted.
5|(end)
6|spoilt`,
    );
    expect(await get(LOG, 4, 4)).toBe("4|[ASSISTANT]: Noted.");
  });

  it("says what is not there, in words", async () => {
    expect(await get("MEMORY.md", 7, 8)).toBe("MEMORY.md has 1 line, so there is no line 7.");
    expect(await get("knowledge/many.md", 4_000, 4_000)).toMatch(/has 3,000 lines/);
    expect(await get("memory/2020-01-01.md")).toMatch(/does not exist.*memory_search finds/);
    expect(await get("knowledge/logo.png")).toBe(
      "knowledge/logo.png is not text, so it has no lines.",
    );
  });

  it("is bounded, and says how to go on", async () => {
    const page = (await get("knowledge/many.md", 11, 2_990)).split("\n");
    expect(page).toHaveLength(2_001);
    expect(page.at(-2)).toBe("2010|line 2010");
    expect(page.at(-1)).toBe("[Lines 11 to 2010 of 3000. Go on with startLine=2011.]");
    const wide = await get("knowledge/wide.md");
    expect(wide.length).toBeLessThan(100_000);
    expect(wide).toMatch(/\n\[Line 1 is too long: only its beginning is shown\.\]$/);
    expect(await get("knowledge/long.md")).toMatch(
      /x\n\[Lines 1 to 1 of 3\. Go on with startLine=2\.\]$/,
    );
    expect(await get("knowledge/long.md", 2)).toMatch(/y\n3\|end$/);
  });

  it.each([
    "AGENTS.md",
    "notes/plan.md",
    "%2e%2e/MEMORY.md",
    "memory",
    "knowledge",
    "MEMORY.md/x",
    "v1/agents/main/users/bob/files/MEMORY.md",
    "agents/main/users/bob/MEMORY.md",
    "agents/main/sessions/sessions.json",
    "agents/main/tasks/s1.json",
    "agents/main/sessions/../../../x/s1.log.jsonl",
    "plans/s1/plan.md",
    "large_tool_results/s1/x",
    ".env",
    "",
  ])("[I1] does not open %j, and says what it opens", async (path) => {
    const opening = (async () => get(path))();
    await expect(opening).rejects.toThrow(CarrelError);
    await expect(opening).rejects.toThrow(/memory_get opens MEMORY\.md|must not contain "\.\."/);
  });

  it.each([
    [{ path: "../MEMORY.md", startLine: 1, endLine: 1 }, /path: .*must not contain "\.\."/],
    [{ path: "memory\\x.md", startLine: 1, endLine: 1 }, /path: .*backslash/],
    [{ path: "MEMORY.md", startLine: 3, endLine: 2 }, /endLine: it is before startLine/],
    [{ path: "MEMORY.md", startLine: 0, endLine: 2 }, /startLine: /],
    [{ path: "MEMORY.md", startLine: 1 }, /endLine: /],
    [{ path: "MEMORY.md", startLine: 1.5, endLine: 2 }, /startLine: /],
  ])("refuses %j and says how to mend it", (input, words) => {
    expect(() => desk.prepare("memory_get", input)).toThrow(words);
  });
});
