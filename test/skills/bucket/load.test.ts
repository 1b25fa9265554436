import { describe, expect, it } from "vitest";
import { ANN, DAY, document, failing, NOW, SkillsLab } from "./skills-lab.ts";

describe("a skill that is loaded", () => {
  it("[K3] is read by any spelling of SKILL.md, with what else there is", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    const paths = ["SKILL.md", "assets/logo.png", "scripts/run.sh"];
    for (const path of ["SKILL.md", "skill.md", "./Skill.MD"]) {
      const { file, paths: there } = await lab.load("pdf", path);
      expect(file).toMatchObject({ path: "SKILL.md", content: { text: document("pdf") } });
      expect(there).toEqual(paths);
    }
    const script = await lab.load("pdf", "scripts/run.sh");
    expect(script.file).toMatchObject({ executable: true, size: 20 });
  });

  it.each(["", ".", "scripts", "/", "../memory/x.md", "no.md", "a\\b"])(
    "[K3] answers %j with the right paths, and counts nothing",
    async (path) => {
      const lab = await SkillsLab.of();
      await lab.live("pdf");
      const answer = await lab.load("pdf", path);
      expect(answer.file).toBeNull();
      expect(answer.paths).toContain("SKILL.md");
      expect(await lab.usage("pdf")).toBeNull();
    },
  );

  it.each([
    "memory",
    "skills",
    "skills/_drafts/pdf",
    "skills/.archive/pdf-20261201093000",
    "skills/pdf/scripts",
    "agents/main",
    "skills/nothing",
  ])("[K3] is not found in %j", async (directory) => {
    const lab = await SkillsLab.of();
    await lab.drafted("pdf");
    await lab.put(`memory/SKILL.md`, document("pdf"));
    await lab.live("pdf");
    const request = { name: "pdf", directory, path: "SKILL.md", op: "op" };
    await expect(lab.skills.load(request)).rejects.toMatchObject({ code: "not_found" });
  });

  it("[K4] counts, once an operation: SKILL.md as use, anything else as view", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    for (let time = 0; time < 2; time++) {
      await lab.load("pdf", "SKILL.md", "s1/t1/c1");
      lab.restart();
    }
    await lab.pass(60_000);
    await lab.load("pdf", "scripts/run.sh");
    await lab.load("pdf", "scripts/run.sh");
    expect(await lab.usage("pdf")).toMatchObject({
      state: "active",
      useCount: 1,
      viewCount: 2,
      lastUsedAt: NOW,
      lastViewedAt: NOW + 6e4,
    });
  });

  it("[K4] counts whichever of many come at once, also for names that objects have", async () => {
    const lab = await SkillsLab.of();
    for (const name of ["pdf", "__proto__", "constructor"]) await lab.live(name, `skills/x${name}`);
    const loads = ["pdf", "__proto__", "constructor", "pdf", "__proto__"].map((name) =>
      lab.skills.load({ name, directory: `skills/x${name}`, path: "SKILL.md", op: lab.op() }),
    );
    await Promise.all(loads);
    const { usage } = await lab.skills.records();
    const counts = usage.map(({ name, useCount }) => `${name} ${useCount}`);
    expect(counts.toSorted()).toEqual(["__proto__ 2", "constructor 1", "pdf 2"]);
  });

  it("[K4] is counted although its record is written by others again and again", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    const change = lab.bucket.change.bind(lab.bucket);
    let others = 3;
    lab.bucket.change = async (request) => {
      if (request.op && others-- > 0)
        await change({
          by: "user:ann",
          changes: [
            { kind: "merge", path: "skills/.usage.json", patch: { x: { use_count: others } } },
          ],
        });
      return change(request);
    };
    await lab.load("pdf");
    expect(await lab.usage("pdf")).toMatchObject({ useCount: 1 });
    expect(await lab.usage("x")).toMatchObject({ useCount: 0 });
  });

  it.each(["stale", "archived"])("[K4] is active again where it was %s", async (state) => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    const usage = { pdf: { state, use_count: 7, archived_at: "2026-11-01T00:00:00.000Z" } };
    await lab.put("skills/.usage.json", JSON.stringify(usage));
    await lab.load("pdf");
    await lab.load("pdf");
    expect(await lab.usage("pdf")).toMatchObject({
      state: "active",
      useCount: 9,
      archivedAt: null,
      pinned: false,
    });
    const lines = await lab.audit();
    expect(lines).toEqual([
      expect.objectContaining({ op: "curate", decision: "reactivated", target: "pdf" }),
    ]);
    expect(lines[0]?.beforeHash).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(["{", "[]", "null", `{"pdf":3}`, `{"pdf":{"use_count":"many"}}`])(
    "[K1] is there also where the record of use is %j, which no one takes for an empty one",
    async (text) => {
      const lab = await SkillsLab.of();
      await lab.live("pdf");
      await lab.put("skills/.usage.json", text);
      expect((await lab.load("pdf")).file).not.toBeNull();
      expect(lab.logged).toEqual(["skills.use_not_counted"]);
      expect(await lab.text("skills/.usage.json")).toBe(text);
      const { problems } = await lab.skills.records();
      expect(problems).toEqual([expect.stringContaining("skills/.usage.json")]);
    },
  );

  it("[K4] is there also in a bucket that is full", async () => {
    const lab = await SkillsLab.of({ limits: { files: 3 } });
    await lab.live("pdf");
    expect((await lab.load("pdf")).file).not.toBeNull();
    expect(lab.logged).toEqual(["skills.use_not_counted"]);
  });

  it("[K4] is counted once where the object ended before or after it was", async () => {
    for (const isAfter of [false, true]) {
      const lab = await SkillsLab.of();
      await lab.live("pdf");
      failing(lab.bucket, isAfter);
      await expect(lab.load("pdf", "SKILL.md", "c1")).rejects.toThrow("the object ended");
      lab.restart();
      await lab.load("pdf", "SKILL.md", "c1");
      expect(await lab.usage("pdf")).toMatchObject({ useCount: 1 });
    }
  });

  it("[K2] comes whole from the layer that shows, and is counted in the user's bucket", async () => {
    const template = { "skills/csv/SKILL.md": document("csv") };
    const lab = await SkillsLab.of({ template });
    expect((await lab.load("csv")).paths).toEqual(["SKILL.md"]);
    await lab.pass(DAY);
    await lab.load("csv");
    expect(await lab.usage("csv")).toMatchObject({ useCount: 2, lastUsedAt: NOW + DAY });
    const shared = await lab.workspaces.shared().tree({ directory: "" });
    expect(shared.entries.filter(({ layer }) => layer !== "template")).toEqual([]);
  });

  it("[I3] is gone with its bucket", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    await lab.bucket.erase();
    await expect(lab.load("pdf")).rejects.toMatchObject({ code: "gone" });
    await expect(lab.skills.records()).rejects.toMatchObject({ code: "gone" });
    await expect(lab.drafted("csv")).rejects.toMatchObject({ code: "gone" });
    await expect(lab.audit()).rejects.toMatchObject({ code: "gone" });
    expect(lab.workspaces.sql(ANN).all("SELECT * FROM file")).toEqual([]);
  });
});
