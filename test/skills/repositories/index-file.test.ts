import { describe, expect, it } from "vitest";
import {
  indexPath,
  indexText,
  namespaceOf,
  parseRepositoryIndex,
  type RepositoryIndex,
  type StagedSkill,
} from "../../../src/skills/repositories/index-file.ts";

const skill: StagedSkill = {
  name: "pdf",
  directory: ".skills-cache/house-1/0a1b",
  description: "What it is for.",
  warnings: ["It has no license."],
  verdict: "caution",
  quarantined: null,
  findings: [
    {
      rule: "r",
      category: "network",
      verdict: "caution",
      path: "a.sh",
      line: 1,
      excerpt: "curl",
      why: "It asks.",
    },
  ],
  hash: "0a1b",
};

const index: RepositoryIndex = {
  at: 1,
  checkedAt: 2,
  revision: "r",
  failure: { at: 3, why: "away", times: 1 },
  problems: ["p"],
  skills: [skill],
  retired: [{ directory: ".skills-cache/house-1/ff", at: 4 }],
};

const named = { label: "house", key: "k", trust: "community" } as const;

describe("the index of a repository", () => {
  it("[K2] is read as it was written", () => {
    expect(parseRepositoryIndex(indexText(index))).toEqual(index);
  });

  it("[K1] that is damaged is said to be, never empty", () => {
    const bad = [
      "",
      "{",
      "null",
      "[]",
      "{}",
      JSON.stringify({ ...index, version: 2 }),
      JSON.stringify({
        version: 1,
        ...index,
        skills: [{ ...skill, directory: "../../AGENTS.md" }],
      }),
      JSON.stringify({ version: 1, ...index, skills: [{ ...skill, verdict: "fine" }] }),
    ];
    for (const text of bad) expect(() => parseRepositoryIndex(text)).toThrow("cannot be read");
  });

  it("[K1] stays small whatever is in it, and keeps every skill", () => {
    const finding = skill.findings[0];
    const long = {
      ...skill,
      description: "字".repeat(5_000),
      warnings: Array.from({ length: 50 }, () => "\u0001".repeat(500)),
      findings: Array.from({ length: 100 }, () => ({ ...finding, excerpt: "字".repeat(200) })),
    };
    const text = indexText({
      ...index,
      problems: Array.from({ length: 1_000 }, () => "字".repeat(1_000)),
      skills: Array.from({ length: 200 }, () => long) as StagedSkill[],
    });
    expect(Buffer.byteLength(text)).toBeLessThan(400_000);
    const { skills, problems } = parseRepositoryIndex(text);
    expect(skills).toHaveLength(200);
    expect(problems.at(-1)).toContain("more problems");
  });

  it("[K9] is another one for another label, key or trust", () => {
    const others = [{ label: "home" }, { key: "l" }, { trust: "builtin" as const }];
    const all = [named, ...others.map((other) => ({ ...named, ...other }))].map(namespaceOf);
    expect(new Set(all).size).toBe(4);
    expect(indexPath(named)).toBe(`.skills-cache/${namespaceOf(named)}/index.json`);
    expect(namespaceOf(named)).toMatch(/^house-[0-9a-z]{11}$/);
  });
});
