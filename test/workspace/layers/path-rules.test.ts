import { describe, expect, it } from "vitest";
import { workspacePath } from "../../../src/workspace/layers/path.ts";
import { isHideable, ruleOf, unitOf } from "../../../src/workspace/layers/path-rules.ts";

describe("ruleOf", () => {
  it.each([
    ["AGENTS.md", "definition", "all"],
    ["tools.json", "definition", "all"],
    ["knowledge/KNOWLEDGE.md", "definition", "all"],
    ["knowledge/deep/a.pdf", "definition", "all"],
    ["skills/x/SKILL.md", "definition", "all"],
    ["skills/x/.hidden/a", "definition", "all"],
    ["skills/README.md", "definition", "all"],
    ["subagents/critic.md", "definition", "all"],
    ["skills/_drafts/x/SKILL.md", "runtime", "own"],
    ["skills/.archive/x/SKILL.md", "runtime", "own"],
    ["skills/.usage.json", "runtime", "own"],
    ["skills/.audit/1.json", "runtime", "own"],
    ["MEMORY.md", "memory", "own"],
    ["memory/2026-11-30.md", "memory", "own"],
    ["memory/archive/2025-01-01.md", "memory", "own"],
    ["memory/.consolidation/state.json", "runtime", "own"],
    ["memory/.forgotten.jsonl", "runtime", "own"],
    ["plans/s1/PLAN.md", "runtime", "own"],
    ["large_tool_results/1.txt", "runtime", "own"],
    ["agents/main/sessions/sessions.json", "runtime", "own"],
    [".index/a", "runtime", "own"],
    [".agents/skills/x/SKILL.md", "definition", "all"],
    [".agents/skills/x/.hidden/a", "definition", "all"],
    [".agents/skills/x", "definition", "all"],
    [".agents/skills/_drafts/x/SKILL.md", "runtime", "own"],
    [".agents/skills/.archive/x", "runtime", "own"],
    [".agents/skills", "runtime", "own"],
    [".agents/notes.md", "runtime", "own"],
    [".skills-cache/hub/index.json", "runtime", "all"],
    [".skills-cache/hub/0a1b/SKILL.md", "runtime", "all"],
    [".skills-cached/a", "runtime", "own"],
    ["docs/.agents/skills/x/SKILL.md", "working", "all"],
    ["notes.md", "working", "all"],
    ["agents.md", "working", "all"],
    ["docs/AGENTS.md", "working", "all"],
    ["docs/MEMORY.md", "working", "all"],
    ["knowledge.md", "working", "all"],
    ["memory-of-elephants/a", "working", "all"],
    [".gitignore", "working", "all"],
  ])("[W4] %s is %s and shows from %s layers", (path, kind, layers) => {
    expect(ruleOf(workspacePath(path))).toMatchObject({ kind, layers });
  });
});

describe("unitOf", () => {
  it.each([
    ["skills/x/SKILL.md", "skills/x"],
    ["skills/x/references/a/b.md", "skills/x"],
    ["skills/README.md", "skills/README.md"],
    ["skills/_drafts/x/SKILL.md", "skills/_drafts/x/SKILL.md"],
    [".agents/skills/x/SKILL.md", ".agents/skills/x"],
    [".agents/skills/x/a/b.md", ".agents/skills/x"],
    [".agents/skills/README.md", ".agents/skills/README.md"],
    [".agents/skills/_x/SKILL.md", ".agents/skills/_x/SKILL.md"],
    [".skills-cache/hub/0a1b/SKILL.md", ".skills-cache/hub/0a1b/SKILL.md"],
    ["subagents/critic.md", "subagents/critic.md"],
    ["knowledge/deep/a.md", "knowledge/deep/a.md"],
    ["AGENTS.md", "AGENTS.md"],
  ])("[W4] %s belongs to %s", (path, unit) => {
    expect(unitOf(workspacePath(path))).toBe(unit);
  });
});

describe("isHideable", () => {
  it.each([
    ["skills/x", true],
    [".agents/skills/x", true],
    [".skills-cache/hub/index.json", true],
    ["skills/x/SKILL.md", false],
    [".agents/skills/x/SKILL.md", false],
    ["skills", false],
  ])("[W6] %s: %s", (path, expected) => {
    expect(isHideable(workspacePath(path))).toBe(expected);
  });
});
