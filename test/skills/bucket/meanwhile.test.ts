import { describe, expect, it } from "vitest";
import { document, SkillsLab } from "./skills-lab.ts";

const LIVE = { live: { directory: "skills/pdf" } };

/** Has a person write a file when a directory is about to be moved, once. */
function meanwhile(lab: SkillsLab, path: string): void {
  const { bucket } = lab;
  const change = bucket.change.bind(bucket);
  let isWaiting = true;
  bucket.change = async (request) => {
    const isMove = request.changes.some(({ kind }) => kind === "move");
    if (isWaiting && isMove) {
      isWaiting = false;
      await lab.put(path, "Mine.");
    }
    return change(request);
  };
}

const conflict = { code: "conflict" };

describe("a file that a person writes while a decision is made", () => {
  it("[K5] into the draft does not become part of the skill unseen", async () => {
    const lab = await SkillsLab.of();
    const hash = await lab.drafted("pdf");
    meanwhile(lab, "skills/_drafts/pdf/scripts/evil.sh");
    await expect(lab.promote("pdf", hash)).rejects.toMatchObject(conflict);
    expect(await lab.shown("skills/pdf")).toEqual({});
    expect(Object.keys(await lab.shown("skills/_drafts/pdf"))).toContain("scripts/evil.sh");
  });

  it("[K5] into the skill that would be replaced is not lost with it", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    const edit = { kind: "edit", text: document("pdf", "Better.") } as const;
    const { draft } = await lab.draft("pdf", edit, LIVE);
    meanwhile(lab, "skills/pdf/extra.md");
    await expect(lab.promote("pdf", draft?.hash ?? "", LIVE)).rejects.toMatchObject(conflict);
    expect(await lab.shown("skills/pdf")).toMatchObject({ "extra.md": "- Mine." });
  });

  it("[K8] into a skill that is put away goes with it, under the hash of both", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    meanwhile(lab, "skills/pdf/extra.md");
    await lab.move("pdf", { kind: "archive" }, LIVE);
    const [away] = (await lab.skills.records()).archived;
    const back = await lab.move("pdf", { kind: "restore" });
    expect(back).toBe(away?.hash);
    expect(await lab.shown("skills/pdf")).toMatchObject({ "extra.md": "- Mine." });
  });

  it("[K6] into a draft that is turned down is kept with it", async () => {
    const lab = await SkillsLab.of();
    const hash = await lab.drafted("pdf");
    meanwhile(lab, "skills/_drafts/pdf/references/extra.md");
    const reject = { kind: "reject", reason: "Too short." } as const;
    await expect(lab.decide("pdf", hash, reject)).rejects.toMatchObject(conflict);
    expect((await lab.skills.records()).drafts).toHaveLength(1);
  });
});

describe("a bucket that is full", () => {
  it("[K8] still has skills put away, and drafts turned down", async () => {
    const lab = await SkillsLab.of({ limits: { files: 20 } });
    await lab.live("pdf");
    const hash = await lab.drafted("csv");
    const { entries } = await lab.bucket.tree({ recursive: true, layer: "own" });
    for (let no = entries.length; no < 20; no++) await lab.put(`notes/${no}.md`, "x");
    await expect(lab.put("notes/more.md", "x")).rejects.toMatchObject({ code: "quota_exceeded" });
    await lab.move("pdf", { kind: "archive" });
    await lab.decide("csv", hash, { kind: "reject", reason: "No room." });
    const { archived } = await lab.skills.records();
    expect(Object.fromEntries(archived.map(({ name, was }) => [name, was]))).toEqual({
      csv: "draft",
      pdf: "skill",
    });
    await expect(lab.drafted("new")).rejects.toMatchObject({ code: "quota_exceeded" });
  });
});
