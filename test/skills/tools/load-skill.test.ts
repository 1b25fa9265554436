import { describe, expect, it } from "vitest";
import { decide } from "../../../src/permissions/decide.ts";
import type { PermissionMode } from "../../../src/shared/permissions.ts";
import { document, refusalOf, SkillsDesk } from "./skills-desk.ts";

const LOAD = "load_skill_through_path";

async function desk(): Promise<SkillsDesk> {
  const desk = new SkillsDesk({ template: { "skills/base/SKILL.md": document("base") } });
  await desk.put({
    "skills/pdf/SKILL.md": document("pdf"),
    "skills/pdf/scripts/run.py": "print(1)\n",
    "skills/pdf/references/deep/api.md": "# API\n",
    "skills/other-name/SKILL.md": document("forms"),
  });
  return desk;
}

/** What becomes of a call in a mode, without any rules. */
function kindIn(mode: PermissionMode, name: string, input: unknown) {
  const tool = new SkillsDesk().tool(name);
  const none = { allow: [], ask: [], deny: [] };
  const session = { ...none, mode };
  return decide({ tool, input, call: tool.prepare(input), operator: none, session, gate: null })
    .kind;
}

const usesOf = async (desk: SkillsDesk) =>
  (await desk.skills().records()).usage.map(({ name, useCount, viewCount }) => [
    name,
    useCount,
    viewCount,
  ]);

describe("load_skill_through_path", () => {
  it.each(["pdf", "pdf_own", " pdf "])("[K3] takes an id or a name: %j", async (skillId) => {
    const text = await (await desk()).use(LOAD, { skillId });
    expect(text).toContain(document("pdf"));
    expect(text).toContain("Id: pdf_own");
    expect(text).toContain("- references/deep/api.md\n- scripts/run.py");
  });

  it("[K2] finds a skill of any layer, by its name and not its directory's", async () => {
    const at = await desk();
    expect(await at.use(LOAD, { skillId: "base" })).toContain("Source: template");
    expect(await at.use(LOAD, { skillId: "forms" })).toContain(document("forms"));
    expect(await refusalOf(at.use(LOAD, { skillId: "other-name" }))).toContain("forms_own");
  });

  it("shows another file of it, in whatever spelling of its path", async () => {
    const at = await desk();
    for (const path of ["scripts/run.py", "./scripts/run.py", "scripts//run.py"])
      expect(await at.use(LOAD, { skillId: "pdf", path })).toContain("\nprint(1)\n");
  });

  it("[K3] names the real paths where there is no such file, and counts nothing", async () => {
    const at = await desk();
    const wrong = [".", "", "/", "scripts", "scripts/", "run.py", "../pdf/SKILL.md", "a\u0000b"];
    for (const path of [...wrong, "skills/pdf/SKILL.md", "x".repeat(10_000), "a\\b"]) {
      const refusal = await refusalOf(at.use(LOAD, { skillId: "pdf", path }));
      expect(refusal).toContain("SKILL.md, references/deep/api.md, scripts/run.py");
      expect(refusal.length).toBeLessThan(600);
    }
    expect(await usesOf(at)).toEqual([]);
  });

  it("[K3] names the skills there are where there is none of this name, the closest of many", async () => {
    const at = await desk();
    const few = await refusalOf(at.use(LOAD, { skillId: "pfd" }));
    expect(few).toContain("base_template, forms_own, pdf_own");
    const many = Array.from({ length: 60 }, (_, no) => `thing-number-${no}`);
    await at.put(
      Object.fromEntries(many.map((name) => [`skills/${name}/SKILL.md`, document(name)])),
    );
    const closest = await refusalOf(at.use(LOAD, { skillId: "thing-number-7x" }));
    expect(closest).toContain("The closest:");
    expect(closest).toContain("thing-number-7_own");
    for (const skillId of ["x".repeat(5_000), "../pdf", "__proto__", "skills/pdf"])
      expect((await refusalOf(at.use(LOAD, { skillId }))).length).toBeLessThan(3_500);
    const none = new SkillsDesk();
    expect(await refusalOf(none.use(LOAD, { skillId: "pdf" }))).toContain("you have none");
  });

  it("[I1] loads nothing of another user's", async () => {
    const at = await desk();
    const address = { agent: "main", user: "ben", session: "s1" };
    const workspace = at.lab.workspace({ user: "ben" });
    const refusal = await refusalOf(at.use(LOAD, { skillId: "pdf" }, { address, workspace }));
    expect(refusal).toContain("Your skills: base_template.");
  });

  it("[K4] counts each load once, however often its call is made again", async () => {
    const at = await desk();
    for (const op of ["a", "a", "b"]) await at.use(LOAD, { skillId: "pdf_own" }, { op });
    await at.use(LOAD, { skillId: "pdf", path: "scripts/run.py" }, { op: "c" });
    await at.use(LOAD, { skillId: "base" }, { op: "d" });
    expect(await usesOf(at)).toEqual(
      expect.arrayContaining([
        ["base", 1, 0],
        ["pdf", 2, 1],
      ]),
    );
  });

  it("[K1] opens a document that is written skill.md", async () => {
    const at = new SkillsDesk();
    await at.put({ "skills/low/skill.md": document("low") });
    expect(await at.use(LOAD, { skillId: "low" })).toContain(document("low"));
  });

  it("[P1] only reads, so that it runs where nothing else may", () => {
    expect(kindIn("EXPLORE", LOAD, { skillId: "pdf", path: "scripts/rm -rf /" })).toBe("allow");
    const draft = { action: "edit", name: "pdf", content: "x" };
    expect(kindIn("EXPLORE", "skill_manage", draft)).toBe("deny");
    expect(kindIn("DEFAULT", "skill_manage", draft)).toBe("allow");
  });

  it.each([
    [{}, "skillId"],
    [{ skillId: 7 }, "skillId"],
    [{ skillId: "pdf", file: "x" }, "file"],
  ])("[X5] says how to mend %j", async (input, field) => {
    const refusal = await refusalOf(() => new SkillsDesk().tool(LOAD).prepare(input));
    expect(refusal).toContain(field);
    expect(refusal).toContain("Call it again");
  });
});
