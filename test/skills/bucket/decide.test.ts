import { describe, expect, it } from "vitest";
import type { DraftChange, DraftRequest } from "../../../src/shared/skill-drafts.ts";
import { BINARY, DAY, document, NOW, shownFiles, SkillsLab, textFile } from "./skills-lab.ts";

const PDF = { directory: "skills/pdf" };
const LIVE = { live: PDF };
const DRAFT = "skills/_drafts/pdf";

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

describe("a candidate", () => {
  it("[K5] shows every file in full beside what it replaces, and what would be gone", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    await lab.load("pdf");
    const hash = await revised(lab);
    const candidate = await lab.candidate("pdf", "skills/pdf");
    expect(candidate).toMatchObject({
      draft: { name: "pdf", hash, files: 3 },
      scan: { verdict: "safe" },
      conflict: null,
      usage: { useCount: 1 },
    });
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
    const [main, logo, reference] = candidate.files;
    expect(main).toMatchObject({
      path: "SKILL.md",
      text: document("pdf", "Anew."),
      sha256: digest,
    });
    expect(main?.live).toMatchObject({ text: document("pdf"), executable: false });
    expect(main?.live?.sha256).not.toBe(main?.sha256);
    expect(logo).toMatchObject({ path: "assets/logo.png", text: null, size: 7 });
    expect(logo?.live).toEqual({ sha256: logo?.sha256, size: 7, executable: false, text: null });
    expect(reference).toEqual({
      path: "references/a.md",
      text: "A",
      sha256: digest,
      size: 1,
      executable: false,
      live: null,
    });
    expect(candidate.removed).toEqual([
      {
        path: "scripts/run.sh",
        sha256: digest,
        size: 20,
        executable: true,
        text: "#!/bin/sh\necho done\n",
      },
    ]);
  });

  it("[K5] is not there without a draft", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    for (const name of ["pdf", "../pdf", "__proto__", ""])
      await expect(lab.candidate(name, "skills/pdf")).rejects.toMatchObject({ code: "not_found" });
  });

  it("[K9] is scanned as it is now, and says why it cannot be promoted", async () => {
    const lab = await SkillsLab.of();
    await lab.drafted("pdf");
    await lab.put(`${DRAFT}/scripts/run.sh`, "rm -rf /\n");
    const { conflict, scan, draft } = await lab.candidate("pdf");
    expect(scan).toMatchObject({ verdict: "dangerous", findings: [{ path: "scripts/run.sh" }] });
    expect(draft.verdict).toBe("dangerous");
    expect(conflict).toContain("dangerous");
    await expect(lab.promote("pdf", draft.hash)).rejects.toMatchObject({ code: "forbidden" });
    await lab.put(`${DRAFT}/scripts/run.sh`, "ls");
    await lab.put(`${DRAFT}/SKILL.md`, "Just do it.");
    const other = await lab.candidate("pdf");
    expect(other.conflict).toContain("Agent Skills");
    await expect(lab.promote("pdf", other.draft.hash)).rejects.toMatchObject({ code: "invalid" });
    expect(await lab.shown("skills/pdf")).toEqual({});
  });
});

describe("a promotion of what was looked at", () => {
  it.each<[string, (lab: SkillsLab) => Promise<unknown>]>([
    [
      "a file of the draft is another one",
      (lab) => lab.draft("pdf", write("scripts/b", "B"), LIVE),
    ],
    ["a file of it was changed by hand", (lab) => lab.put(`${DRAFT}/references/a.md`, "B")],
    ["a file of it can be run", (lab) => lab.put(`${DRAFT}/references/a.md`, "A", true)],
    ["a file came to it", (lab) => lab.put(`${DRAFT}/more`, "B")],
    ["the skill has changed", (lab) => lab.put("skills/pdf/scripts/run.sh", "#!/bin/sh\n", true)],
    ["the skill is gone", (lab) => lab.change({ kind: "delete", path: "skills/pdf" })],
    ["a file came to the skill", (lab) => lab.put("skills/pdf/scripts/b", "B")],
  ])("[K5] is refused when %s since it was looked at", async (_what, meanwhile) => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    const hash = await revised(lab);
    expect((await lab.candidate("pdf", "skills/pdf")).conflict).toBeNull();
    await meanwhile(lab);
    const before = await lab.shown("skills");
    await expect(lab.promote("pdf", hash, LIVE)).rejects.toMatchObject({ code: "conflict" });
    expect(await lab.shown("skills")).toEqual(before);
  });

  it.each(["the draft", "the skill"])(
    "[K5] is refused also when %s changes at the very moment of it",
    async (what) => {
      const lab = await SkillsLab.of();
      await lab.live("pdf");
      const hash = await revised(lab);
      const change = lab.bucket.change.bind(lab.bucket);
      let others = 1;
      lab.bucket.change = async (request) => {
        if (request.changes.length > 1 && others-- > 0) {
          const path = `${what === "the draft" ? DRAFT : "skills/pdf"}/SKILL.md`;
          const content = { text: document("pdf", "rm -rf /") };
          await change({ by: "x", changes: [{ kind: "write", path, content }] });
        }
        return change(request);
      };
      await expect(lab.promote("pdf", hash, LIVE)).rejects.toMatchObject({ code: "conflict" });
      expect(Object.keys(await lab.shown(DRAFT))).toHaveLength(3);
      expect(Object.keys(await lab.shown("skills/pdf"))).toEqual(Object.keys(shownFiles("pdf")));
    },
  );
});

describe("a draft that is turned down or put off", () => {
  it("[K6] is in the archive with the reason, and comes back as it was", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    const hash = await revised(lab);
    const base = (await lab.candidate("pdf", "skills/pdf")).draft.base;
    const reject = (op?: string) =>
      lab.decide(
        "pdf",
        hash,
        { kind: "reject", reason: "too short" },
        { ...LIVE, op: op ?? lab.op() },
      );
    const rejected = { name: "pdf", outcome: "rejected", hash: base };
    expect(await reject("once")).toEqual(rejected);
    expect(await reject("once")).toEqual(rejected);
    expect(await reject()).toEqual(rejected);
    const archive = "skills/.archive/pdf-20261201093000";
    expect(await lab.shown(archive)).toEqual(REVISED);
    const { archived, drafts } = await lab.skills.records();
    expect(drafts).toEqual([]);
    expect(archived).toMatchObject([{ was: "draft", why: "rejected: too short", hash }]);
    expect(await lab.audit({ op: "reject" })).toMatchObject([
      { beforeHash: hash, afterHash: null, reason: "too short", scanVerdict: "safe" },
    ]);
    expect(await lab.move("pdf", { kind: "restore" }, LIVE)).toBe(hash);
    expect((await lab.candidate("pdf", "skills/pdf")).draft).toMatchObject({ hash, base });
    expect((await lab.promote("pdf", hash, LIVE)).outcome).toBe("promoted");
  });

  it("[K6] waits until then, unless it is changed", async () => {
    const lab = await SkillsLab.of();
    const hash = await lab.drafted("pdf");
    const defer = (until: number) =>
      lab.decide("pdf", hash, { kind: "defer", until, reason: "later" }, { op: `until-${until}` });
    for (const until of [NOW, NOW - 1, Infinity, Number.NaN, 9e15])
      await expect(defer(until)).rejects.toMatchObject({ code: "invalid" });
    const deferred = { name: "pdf", outcome: "deferred", hash: null };
    expect(await defer(NOW + DAY)).toEqual(deferred);
    await lab.pass(2 * DAY);
    expect(await defer(NOW + DAY)).toEqual(deferred);
    const { drafts } = await lab.skills.records();
    expect(drafts).toMatchObject([{ deferredUntil: NOW + DAY, deferredWhy: "later", hash }]);
    expect(await lab.audit({ op: "defer" })).toMatchObject([{ beforeHash: hash, afterHash: hash }]);
    const { draft } = await lab.draft("pdf", write("scripts/b", "B"));
    expect(draft).toMatchObject({ deferredUntil: null, deferredWhy: null });
    await expect(defer(NOW + 9 * DAY)).rejects.toMatchObject({ code: "conflict" });
  });

  it("[K5] that says that a skill is to be archived leaves it, when turned down", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    const gone = { kind: "delete", absorbedInto: null } as const;
    const { draft } = await lab.draft("pdf", gone, LIVE);
    const hash = draft?.hash ?? "";
    const decided = await lab.decide("pdf", hash, { kind: "reject", reason: "" }, LIVE);
    expect(decided).toEqual({ name: "pdf", outcome: "rejected", hash });
    expect(await lab.shown("skills/pdf")).toEqual(shownFiles("pdf"));
    const { archived, drafts } = await lab.skills.records();
    expect([archived, drafts]).toEqual([[], []]);
  });
});
