import { describe, expect, it } from "vitest";
import { writeMark } from "../../../src/shared/memory-marks.ts";
import { messageIn } from "../../../src/workspace/index/log-units.ts";
import { sourceOf } from "../../../src/workspace/index/sources.ts";
import { unitsOf } from "../../../src/workspace/index/units.ts";
import { workspacePath } from "../../../src/workspace/layers/path.ts";

const units = (path: string, text: string) => {
  const canonical = workspacePath(path);
  const source = sourceOf(canonical);
  if (source === null) throw new Error(`${path} is not searched`);
  return unitsOf(canonical, source, text, 7);
};

describe("what is searched", () => {
  it.each([
    ["MEMORY.md", "memory"],
    ["memory/2026-11-30.md", "ledger"],
    ["memory/people.md", "memory"],
    ["memory/archive/2026-01-01.md", "archive"],
    ["knowledge/a/b.md", "knowledge"],
    ["agents/main/sessions/s1.log.jsonl", "session"],
    ["agents/main/sessions/sessions.json", null],
    ["memory/.consolidation/run.md", null],
    ["memory/.forgotten.jsonl", null],
    ["knowledge/.drafts/a.md", null],
    ["notes/a.md", null],
    ["AGENTS.md", null],
  ])("[M8] %s is %s", (path, source) => {
    expect(sourceOf(workspacePath(path))).toBe(source);
  });
});

describe("the units of a text", () => {
  it("[M8] of a ledger are its entries, with their day and without marks and headings of flushes", () => {
    const text = `\n## Memory Flush — 2026-11-30T09:12:44.000Z\n<!-- carrel: {"session":"main/s1"} -->\n\n- Ann likes tea\n- and\n  coffee\n`;
    const at = Date.parse("2026-11-30");
    const said = null;
    expect(units("memory/2026-11-30.md", text)).toEqual([
      { line: 5, end: 5, at, text: "Ann likes tea", about: "", said },
      { line: 6, end: 7, at, text: "and\n  coffee", about: "", said },
    ]);
  });

  it("[M8] of MEMORY.md stand under a heading, and are as old as what they were made of", () => {
    const text = `# Memory\n\n## Pets\n- Two cats <!-- carrel: {"from":["2026-11-29#a","2026-11-30#b"],"run":"r"} -->\n`;
    expect(units("MEMORY.md", text)).toEqual([
      {
        line: 4,
        end: 4,
        at: Date.parse("2026-11-30"),
        text: "Two cats",
        about: "Pets",
        said: null,
      },
    ]);
  });

  it("[M8] of knowledge are blocks under their headings, cut where they are long", () => {
    const long = "word ".repeat(600).trim();
    const found = units("knowledge/guide.md", `# One\n\na\n\n## Two\nb\n\n${long}\n\nc\n`);
    expect(found.map(({ line, end, about }) => [line, end, about])).toEqual([
      [1, 3, "guide"],
      [5, 6, ""],
      [8, 8, "Two"],
      [8, 8, "Two"],
      [8, 8, "Two"],
      [10, 10, "Two"],
    ]);
    expect(found.every(({ text }) => text.length <= 1_200)).toBe(true);
    expect(
      found
        .slice(2)
        .map(({ text }) => text)
        .join(" "),
    ).toBe(`${long} c`);
  });
});

describe("a line of a session's log", () => {
  const said = (entry: object) => messageIn(JSON.stringify({ turn: "t", at: 5, ...entry }), 3);

  it("[M8] is a message of who spoke, or what a tool was asked and said", () => {
    const base = { line: 3, end: 3, at: 5, about: "" };
    const text = (spoken: string) => [{ type: "text", text: spoken }];
    expect(said({ kind: "user", content: text("hi") })).toEqual({
      ...base,
      text: "hi",
      said: { role: "user", turn: "t" },
    });
    const call = { type: "tool-call", call: "1", name: "grep", input: '{"pattern":"x"}' };
    const parts = [{ type: "reasoning", text: "hm" }, ...text("I look"), call];
    expect(said({ kind: "step", parts })?.text).toBe('I look\ngrep {"pattern":"x"}');
    const result = said({ kind: "result", name: "grep", content: text("y".repeat(5_000)) });
    expect(result?.text).toBe(`grep\n${"y".repeat(1_000)}`);
    expect(result?.said?.role).toBe("tool");
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["no object", "null"],
    ["an end", JSON.stringify({ kind: "end", turn: "t", at: 1 })],
    ["an image alone", JSON.stringify({ kind: "user", content: [{ type: "image", data: "AA" }] })],
    ["parts of another shape", JSON.stringify({ kind: "step", parts: [5] })],
  ])("[M8] with %s is none", (_, line) => {
    expect(messageIn(line, 1)).toBeNull();
  });

  it("[M7] no part of a mark is, where a tool's result is cut", () => {
    const mark = writeMark({ session: "main/secret-session", turn: "t9" });
    const content = [{ type: "text", text: `${"x".repeat(960)} ${mark} y` }];
    const line = JSON.stringify({ kind: "result", name: "t", at: 1, turn: "t", content });
    expect(messageIn(line, 1)?.text).toMatch(/x y$/);
  });
});
