import { describe, expect, it } from "vitest";
import type { DraftChange, DraftRequest } from "../../../src/shared/skill-drafts.ts";
import { shortHash } from "../../../src/shared/short-hash.ts";
import {
  BINARY,
  DAY,
  document,
  failing,
  NOW,
  shownFiles,
  SkillsLab,
  skillFiles,
  textFile,
} from "./skills-lab.ts";

const PDF = { directory: "skills/pdf" };
const LIVE = { live: PDF };
const UPLOAD: Partial<DraftRequest> = { origin: "upload", trust: "trusted", by: "user:ann" };

const write = (path: string, text: string): DraftChange => ({
  kind: "write",
  file: textFile(path, text),
});

/** A new version of the skill in use: another SKILL.md, no script, and a reference. */
async function revised(lab: SkillsLab, more: Partial<DraftRequest> = {}): Promise<string> {
  const remove: DraftChange = { kind: "remove", path: "scripts/run.sh" };
  await lab.draft("pdf", remove, { ...LIVE, ...more });
  await lab.draft("pdf", { kind: "edit", text: document("pdf", "Anew.") }, { ...LIVE, ...more });
  const { draft } = await lab.draft("pdf", write("references/a.md", "A"), { ...LIVE, ...more });
  return draft?.hash ?? "";
}

const REVISED = {
  "SKILL.md": `- ${document("pdf", "Anew.")}`,
  "assets/logo.png": `- ${Buffer.from(BINARY).toString("hex")}`,
  "references/a.md": "- A",
};

describe("a promotion", () => {
  it("[K5] makes the skill exactly what was looked at, once", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    const hash = await revised(lab);
    const { draft } = await lab.candidate("pdf", "skills/pdf");
    const promoted = { name: "pdf", outcome: "promoted", hash };
    expect(await lab.promote("pdf", hash, { ...LIVE, op: "once" })).toEqual(promoted);
    expect(await lab.shown("skills/pdf")).toEqual(REVISED);
    expect(await lab.shown("skills/_drafts")).toEqual({});
    await lab.pass(DAY);
    lab.restart();
    expect(await lab.promote("pdf", hash, { ...LIVE, op: "once" })).toEqual(promoted);
    expect(await lab.promote("pdf", hash, LIVE)).toEqual(promoted);
    const lines = await lab.audit({ op: "promote" });
    expect(lines).toEqual([
      {
        ts: "2026-12-01T09:30:00.000Z",
        actor: "user:ann",
        op: "promote",
        target: "pdf",
        decision: "promoted",
        scanVerdict: "safe",
        beforeHash: draft.base,
        afterHash: hash,
        reason: null,
        session: "s1",
      },
    ]);
    const other = lab.decide("pdf", hash, { kind: "reject", reason: "no" }, LIVE);
    const said = { code: "conflict", message: expect.stringContaining("promoted already") };
    await expect(other).rejects.toMatchObject(said);
    await expect(lab.promote("pdf", "0".repeat(64))).rejects.toMatchObject({ code: "not_found" });
    // What was there before is an earlier version of each file.
    expect(await lab.bucket.history("skills/pdf/SKILL.md")).toHaveLength(2);
  });

  it("[K5] notes what the agent wrote as the agent's, with where it shows", async () => {
    const lab = await SkillsLab.of();
    const hash = await lab.drafted("pdf");
    await lab.pass(DAY);
    const decision = { kind: "promote", environments: ["prod", "stage"] } as const;
    await lab.decide("pdf", hash, decision);
    const { provenance, usage } = await lab.skills.records();
    expect(provenance).toEqual([
      {
        name: "pdf",
        createdBy: "agent",
        createdAt: NOW,
        promotedAt: NOW + DAY,
        promotedBy: "user:ann",
        sourceSession: "s1",
        hash,
        head: shortHash(document("pdf")),
        environments: ["prod", "stage"],
      },
    ]);
    expect(usage).toMatchObject([{ name: "pdf", state: "active" }]);
    expect(JSON.parse(await lab.text("skills/.provenance.json"))).toMatchObject({
      pdf: { created_by: "agent", created_at: "2026-12-01T09:30:00.000Z" },
    });
    await lab.pass(DAY);
    await lab.promote("pdf", await revised(lab), LIVE);
    const again = (await lab.skills.records()).provenance;
    expect(again).toMatchObject([
      { createdBy: "agent", createdAt: NOW, promotedAt: NOW + 2 * DAY },
    ]);
    expect(again[0]?.environments).toEqual(["prod"]);
  });

  it("[K7] of a person's skill leaves it a person's, and so does what a person sends", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    await lab.pass(DAY);
    await lab.promote("pdf", await revised(lab), LIVE);
    const person = { createdBy: "person", createdAt: NOW, promotedAt: NOW + DAY };
    expect((await lab.skills.records()).provenance).toMatchObject([person]);
    await lab.promote("csv", await lab.drafted("csv"));
    await lab.promote("own", await lab.drafted("own", UPLOAD), { by: "gate:trusted" });
    const live = { directory: "skills/csv" };
    const create = { kind: "create", files: skillFiles("csv", "Mine."), over: true } as const;
    const { draft } = await lab.draft("csv", create, { ...UPLOAD, live });
    await lab.promote("csv", draft?.hash ?? "", { live });
    const made = (await lab.skills.records()).provenance.map(({ name, createdBy }) => [
      name,
      createdBy,
    ]);
    expect(made).toEqual([
      ["csv", "person"],
      ["own", "person"],
      ["pdf", "person"],
    ]);
  });

  it("[K7] of the agent's skill that a person has changed since makes it a person's", async () => {
    const lab = await SkillsLab.of();
    await lab.promote("pdf", await lab.drafted("pdf"));
    await lab.put("skills/pdf/references/mine.md", "Mine.");
    await lab.pass(DAY);
    await lab.promote("pdf", await revised(lab), LIVE);
    expect((await lab.skills.records()).provenance).toMatchObject([{ createdBy: "person" }]);
  });

  it("[K2] takes the place of a lower layer's skill with all its files, in its directory", async () => {
    const template = {
      "skills/papers/SKILL.md": document("pdf"),
      "skills/papers/references/old.md": "old",
    };
    const lab = await SkillsLab.of({ template });
    const live = { directory: "skills/papers" };
    const edit: DraftChange = { kind: "edit", text: document("pdf", "Anew.") };
    await lab.draft("pdf", edit, { live });
    const remove: DraftChange = { kind: "remove", path: "references/old.md" };
    const { draft } = await lab.draft("pdf", remove, { live });
    expect(await lab.promote("pdf", draft?.hash ?? "", { live })).toMatchObject({
      outcome: "promoted",
    });
    const shown = { "SKILL.md": `- ${document("pdf", "Anew.")}` };
    expect(await lab.shown("skills/papers")).toEqual(shown);
    expect((await lab.bucket.usage()).whiteouts).toBe(0);
    await lab.move("pdf", { kind: "archive" }, { live });
    expect(Object.keys(await lab.shown("skills/papers"))).toEqual([
      "SKILL.md",
      "references/old.md",
    ]);
    expect((await lab.bucket.usage()).whiteouts).toBe(0);
    expect(await lab.move("pdf", { kind: "restore" }, { live })).toBe(draft?.hash);
    expect(await lab.shown("skills/papers")).toEqual(shown);
  });

  it("[K5] is never a gate's of what the agent wrote; a gate may turn it down", async () => {
    const lab = await SkillsLab.of();
    const hash = await lab.drafted("pdf");
    const by = "gate:all";
    await expect(lab.promote("pdf", hash, { by })).rejects.toMatchObject({ code: "forbidden" });
    expect(await lab.shown("skills/pdf")).toEqual({});
    await lab.live("csv");
    const live = { directory: "skills/csv" };
    const gone = { kind: "delete", absorbedInto: null } as const;
    const { draft } = await lab.draft("csv", gone, { live });
    const archive = lab.promote("csv", draft?.hash ?? "", { by, live });
    await expect(archive).rejects.toMatchObject({ code: "forbidden" });
    const reject = { kind: "reject", reason: "spam" } as const;
    expect(await lab.decide("pdf", hash, reject, { by })).toMatchObject({ outcome: "rejected" });
  });

  it("[K8] of a new skill is refused when there is one of its name, or in its directory, by now", async () => {
    const lab = await SkillsLab.of();
    const hash = await lab.drafted("pdf");
    await lab.live("pdf", "skills/papers");
    const live = { directory: "skills/papers" };
    expect((await lab.candidate("pdf", live.directory)).conflict).toContain("by now");
    await expect(lab.promote("pdf", hash, { live })).rejects.toMatchObject({ code: "conflict" });
    await lab.live("other", "skills/pdf");
    expect((await lab.candidate("pdf")).conflict).toContain("holds another skill");
    await expect(lab.promote("pdf", hash)).rejects.toMatchObject({ code: "conflict" });
    expect(await lab.shown("skills/pdf")).toEqual(shownFiles("other"));
  });

  it.each(["memory", "AGENTS.md", "skills/_drafts", ".skills-cache/x/y", "../x", "skills/a/b"])(
    "[K5] never goes to %j, whatever the record says",
    async (target) => {
      const lab = await SkillsLab.of();
      const hash = await lab.drafted("pdf");
      await lab.put("memory/a.md", "mine");
      const patch = { pdf: { target } };
      await lab.change({ kind: "merge", path: "skills/.drafts.json", patch });
      await expect(lab.promote("pdf", hash)).rejects.toMatchObject({
        code: expect.stringMatching(/^(not_found|invalid)$/),
      });
      expect(await lab.text("memory/a.md")).toBe("mine");
    },
  );

  it.each([
    [["a b"]],
    [[""]],
    [Array.from({ length: 21 }, (_, no) => `e${no}`)],
    [["x".repeat(65)]],
  ])("[K5] is for environments that have names: %j", async (environments) => {
    const lab = await SkillsLab.of();
    const hash = await lab.drafted("pdf");
    const promote = lab.decide("pdf", hash, { kind: "promote", environments });
    await expect(promote).rejects.toMatchObject({ code: "invalid" });
  });

  it("[K5] of two at once is one", async () => {
    const lab = await SkillsLab.of();
    const hash = await lab.drafted("pdf");
    const reject = { kind: "reject", reason: "no" } as const;
    const [first, second, third] = await Promise.allSettled([
      lab.promote("pdf", hash),
      lab.promote("pdf", hash, { by: "user:bob" }),
      lab.decide("pdf", hash, reject),
    ]);
    expect(first).toMatchObject({ value: { outcome: "promoted", hash } });
    expect(second).toMatchObject({ value: { outcome: "promoted", hash } });
    expect(third).toMatchObject({ reason: { code: "conflict" } });
    expect(await lab.audit({ op: "promote" })).toMatchObject([{ actor: "user:ann" }]);
  });

  it.each([false, true])(
    "[K5] is whole or not there where the object ended, after it: %s",
    async (isAfter) => {
      const lab = await SkillsLab.of();
      await lab.live("pdf");
      const hash = await revised(lab);
      failing(lab.bucket, isAfter);
      const promote = () => lab.promote("pdf", hash, { ...LIVE, op: "once" });
      await expect(promote()).rejects.toThrow("the object ended");
      expect(await lab.shown("skills/pdf")).toEqual(isAfter ? REVISED : shownFiles("pdf"));
      lab.restart();
      expect(await promote()).toEqual({ name: "pdf", outcome: "promoted", hash });
      expect(await lab.audit({ op: "promote" })).toHaveLength(1);
    },
  );
});
