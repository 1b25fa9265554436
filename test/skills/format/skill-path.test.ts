import { describe, expect, it } from "vitest";
import { skillPath, supportPath } from "../../../src/skills/format/skill-path.ts";

describe("the path of a file in a skill", () => {
  it.each([
    ["scripts/run.py", "scripts/run.py"],
    ["./scripts//run.py", "scripts/run.py"],
    ["SKILL.md", "SKILL.md"],
    ["a b/%2e%2e/é.md", "a b/%2e%2e/é.md"],
  ])("[K1] of %j is %j", (path, canonical) => {
    expect(skillPath(path)).toBe(canonical);
    expect(skillPath(canonical)).toBe(canonical);
  });

  it.each([
    "",
    ".",
    "/",
    "/etc/passwd",
    "..",
    "../a",
    "a/../b",
    "a/",
    "a/.",
    "a\\b",
    "a\nb",
    "a\0",
    "\ud800",
    "a".repeat(361),
  ])("[K1] is refused: %j", (path) => {
    expect(() => skillPath(path)).toThrow(expect.objectContaining({ code: "invalid" }));
  });
});

describe("the path of a file beside SKILL.md", () => {
  it.each(["references/a.md", "templates/a", "scripts/a/b.py", "assets/a.png"])(
    "[K1] may be %j",
    (path) => {
      expect(supportPath(path)).toBe(path);
    },
  );

  it.each([
    "SKILL.md",
    "run.py",
    "scripts",
    "script/a",
    "Scripts/a",
    "skills/scripts/a",
    "../scripts/a",
  ])("[K1] may not be %j", (path) => {
    expect(() => supportPath(path)).toThrow(expect.objectContaining({ code: "invalid" }));
  });
});
