import { describe, expect, it } from "vitest";
import type { Section } from "../../src/context/sections.ts";
import { writeMark } from "../../src/shared/memory-marks.ts";
import { workspacePath } from "../../src/workspace/layers/path.ts";
import { promptOf, section, small } from "./prompt-lab.ts";

/** How much two prompts have in common from their beginning. */
const common = (a: string, b: string): string => {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
};

describe("assemblePrompt", () => {
  it("[C1] is complete without any file, section or persona", () => {
    const prompt = promptOf({}, { persona: "" });
    expect(prompt).toMatch(/^## Domain Knowledge\n/);
    expect(prompt).toContain(
      "<loaded_context>\n  <agents_context></agents_context>\n  <domain_knowledge_context></domain_knowledge_context>\n  <memory_context></memory_context>\n</loaded_context>",
    );
  });

  it("[C1] orders sections by layer, and keeps their order inside one", () => {
    const sections = [
      section("s", "session"),
      section("u", "user"),
      section("b", "shared"),
      section("a", "shared"),
    ];
    const prompt = promptOf({ template: small }, { sections });
    const order = ["</loaded_context>", "<b>", "<a>", "<u>", "<s>", "## Session Context"].map(
      (text) => prompt.indexOf(text),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  it("[C1] names nothing of the machine it runs on", () => {
    const prompt = promptOf({ template: small });
    expect(prompt).not.toContain(process.cwd());
    expect(prompt).not.toMatch(/\/(home|root|tmp|usr|work)\b|linux|darwin|windows/i);
  });

  it("[C1] leaves out additional files that are missing or blank", () => {
    const additionalFiles = ["SOUL.md", "gone.md", "blank.md"].map(workspacePath);
    const prompt = promptOf(
      { template: { "SOUL.md": "Kind.", "blank.md": " \n" } },
      { additionalFiles },
    );
    expect(prompt).toContain("  <soul_md>\n    Kind.\n  </soul_md>");
    expect(prompt).not.toMatch(/<gone_md|<blank_md/);
  });

  it("[C1, W6] a blank override really is blank", () => {
    const prompt = promptOf({ template: small, own: { "AGENTS.md": "\n" } });
    expect(prompt).toContain("<agents_context></agents_context>");
    expect(prompt).not.toContain("You are Carrel.\n  ");
  });

  it("[C3] is the same bytes for the same sources, whatever the hour or the order of files", () => {
    const first = promptOf({ template: small });
    const reversed = Object.fromEntries(Object.entries(small).toReversed());
    expect(promptOf({ template: reversed }, { date: Date.UTC(2026, 10, 30) })).toBe(first);
    expect(promptOf({ template: small }, { date: Date.UTC(2026, 11, 1) })).not.toBe(first);
  });

  it("[C3] begins the same for every user and session of an agent, up to what they remember", () => {
    const own = (user: string) => ({ "MEMORY.md": `- I am ${user}.` });
    const sections = [section("skills_note", "shared"), section("user_note", "user", "u")];
    const more = { sections, additionalFiles: [workspacePath("notes.md")] };
    const ann = promptOf({ template: small, own: own("Ann") }, { ...more, sessionId: "a1" });
    const ben = promptOf({ template: small, own: own("Ben") }, { ...more, sessionId: "b1" });
    const eve = promptOf({ template: small }, { ...more, sessionId: "e1", date: 0 });
    expect(common(ann, ben)).toMatch(/<\/notes_md>\n {2}<memory_context>\n {4}- I am $/);
    expect(common(ann, eve)).toMatch(/<\/notes_md>\n {2}<memory_context>$/);
  });

  it("[C3] has what is one user's after what all share, also when it overrides a shared file", () => {
    const own = { "AGENTS.md": "Mine.", "MEMORY.md": "- tea" };
    const mine = promptOf({ template: small, own });
    const theirs = promptOf({ template: small, own: { ...own, "AGENTS.md": "Theirs." } });
    expect(common(mine, theirs)).toMatch(
      /<\/domain_knowledge_context>\n {2}<agents_context>\n {4}$/,
    );
    const order = [
      "<domain_knowledge_context>",
      "<agents_context>",
      "<memory_context>",
      "</loaded",
    ].map((tag) => mine.indexOf(tag));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it("[C3] cuts a long memory at the same place in every session and on every day", () => {
    const own = { "MEMORY.md": "- an entry of some length\n".repeat(5_000) };
    const one = promptOf({ own }, { sessionId: "a", date: 0 });
    const other = promptOf({ own }, { sessionId: "b".repeat(128), date: Date.UTC(2026, 8, 30) });
    expect(common(one, other)).toMatch(/## Session Context\n\nYou are Carrel\.\nToday's date: $/);
  });

  it.each([
    ["UTC", "Mon, Nov 30, 2026 (UTC)"],
    ["Europe/Berlin", "Tue, Dec 1, 2026 (Europe/Berlin)"],
    ["America/Los_Angeles", "Mon, Nov 30, 2026 (America/Los_Angeles)"],
    ["Pacific/Kiritimati", "Tue, Dec 1, 2026 (Pacific/Kiritimati)"],
  ])("[C1] says which day it is in %s", (zone, day) => {
    expect(promptOf({ template: small }, { zone })).toContain(`\nToday's date: ${day}\n`);
  });

  it("[C1, M7] shows what is remembered without the marks that say where it comes from", () => {
    const mark = writeMark({ session: "main/s1", turn: "t1", from: ["2026-11-30#abc"] });
    const own = { "MEMORY.md": `## Facts\n\n- Ann likes tea. ${mark}\n- <!-- a remark -->\n` };
    const prompt = promptOf({ own });
    expect(prompt).toContain("    - Ann likes tea.\n    - <!-- a remark -->\n");
    expect(prompt).not.toContain("carrel:");
    const additionalFiles = [workspacePath("memory/team.md"), workspacePath("SOUL.md")];
    const files = { "memory/team.md": `- Tea. ${mark}\n`, "SOUL.md": `Soul. ${mark}\n` };
    const added = promptOf({ own: files }, { additionalFiles });
    expect(added).toMatch(/ {4}- Tea\.\n[^]* {4}Soul\. <!-- carrel:/);
  });

  it("refuses sections that are a mistake in code", () => {
    const build = (sections: readonly Section[]) => () =>
      promptOf({ template: small }, { sections });
    expect(build([section("Bad", "user")])).toThrow(/not a tag name/);
    expect(build([section("a", "user"), section("a", "shared")])).toThrow(/two sections/);
    expect(build(Array.from({ length: 33 }, (_, at) => section(`s${at}`, "user")))).toThrow(/32/);
  });

  it("says that a file which is not text is left out", () => {
    const prompt = promptOf({ template: { "AGENTS.md": null }, own: { "MEMORY.md": null } });
    expect(prompt).toContain("[AGENTS.md is not UTF-8 text, so it is left out.]");
    expect(prompt).toContain("[MEMORY.md is not UTF-8 text, so it is left out.]");
  });
});
