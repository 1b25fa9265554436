import { describe, expect, it } from "vitest";
import { bundledSkills } from "../../../src/skills/repositories/bundled-skills.ts";
import { repositoryLimits } from "../../../src/skills/repositories/repository.ts";
import { describeSkillRepository } from "../../contracts/skill-repository-contract.ts";

const nothing = {
  fetch: () => Promise.reject(new Error("nothing is fetched")),
  binding: () => undefined,
};

describeSkillRepository(
  "skills of the deployment",
  async (skills) => {
    const files = skills.flatMap(({ directory, files: its }) =>
      its.map(({ path, content }) => {
        const data = "text" in content ? content.text : content.bytes;
        return [`${directory}/${path}`, data] as const;
      }),
    );
    const repository = bundledSkills({ label: "house", files: Object.fromEntries(files) });
    return { repository, ...nothing, put: null, break: null };
  },
  { keepsExecutable: true },
);

describe("skills of the deployment", () => {
  it("[K1] a label that no id can end with is refused at once", () => {
    for (const label of ["", "Own", "own", "shared", "template", "a_b", "-a", "x".repeat(65)])
      expect(() => bundledSkills({ label, files: {} })).toThrow("label");
  });

  it("[K2] other files are another revision, and the same key", () => {
    const one = bundledSkills({ label: "house", files: { "a/SKILL.md": "x" } });
    const revisions = [
      { "a/SKILL.md": "y" },
      { "b/SKILL.md": "x" },
      { "a/SKILL.md": Uint8Array.of(120) },
    ].map((files) => bundledSkills({ label: "house", files }));
    expect(new Set([one, ...revisions].map(({ revision }) => revision)).size).toBe(4);
    expect(new Set([one, ...revisions].map(({ key }) => key)).size).toBe(1);
  });

  it("[K1] a file in no directory is left out, and said", async () => {
    const files = { "SKILL.md": "x", "a/SKILL.md": "y" };
    const parts = { ...nothing, limits: repositoryLimits, signal: new AbortController().signal };
    expect(await bundledSkills({ label: "house", files }).take(null, parts)).toMatchObject({
      skills: [{ directory: "a" }],
      problems: [expect.stringContaining("SKILL.md")],
    });
  });
});
