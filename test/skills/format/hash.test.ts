import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { SkillFile } from "../../../src/shared/skill-facts.ts";
import { hashSkill } from "../../../src/skills/format/hash.ts";

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

const files: readonly SkillFile[] = [
  { path: "scripts/a.sh", content: { text: "é" }, executable: true },
  { path: "SKILL.md", content: { text: "x" }, executable: false },
];

const changed = (change: Partial<SkillFile>): readonly SkillFile[] =>
  files.map((file, at) => (at === 0 ? { ...file, ...change } : file));

describe("the hash of a skill", () => {
  it("[K5] is of all paths, bytes and executable bits, whatever their order", async () => {
    const { hash, files: hashes } = await hashSkill(files);
    const rows = [
      ["SKILL.md", sha("x"), false],
      ["scripts/a.sh", sha("é"), true],
    ];
    expect(hash).toBe(sha(JSON.stringify(rows)));
    expect([...hashes]).toEqual(rows.map(([path, sha256]) => [path, sha256]));
    expect((await hashSkill(files.toReversed())).hash).toBe(hash);
    const bytes = { bytes: new TextEncoder().encode("é") };
    expect((await hashSkill(changed({ content: bytes }))).hash).toBe(hash);
  });

  it("[K5] is another one when anything is", async () => {
    const { hash } = await hashSkill(files);
    for (const others of [
      changed({ path: "scripts/b.sh" }),
      changed({ content: { text: "e" } }),
      changed({ executable: false }),
      files.slice(1),
      [],
    ])
      expect((await hashSkill(others)).hash).not.toBe(hash);
  });
});
