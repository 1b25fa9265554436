import { describe, expect, it } from "vitest";
import type { DraftChange } from "../../../src/shared/skill-drafts.ts";
import { DAY, document, failing, NOW, shownFiles, SkillsLab, textFile } from "./skills-lab.ts";

const PDF = { directory: "skills/pdf" };
const LIVE = { live: PDF };
const DRAFT = "skills/_drafts/pdf";

const patch = (oldText: string, newText: string, path?: string): DraftChange => ({
  kind: "patch",
  oldText,
  newText,
  replaceAll: false,
  ...(path === undefined ? {} : { path }),
});
const write = (path: string, text: string): DraftChange => ({
  kind: "write",
  file: textFile(path, text),
});
const gone = (absorbedInto: string | null = null): DraftChange => ({
  kind: "delete",
  absorbedInto,
});

describe("a draft that is deleted", () => {
  it("[K8] is in the archive where it was of a new skill, and comes back as a draft", async () => {
    const lab = await SkillsLab.of();
    const hash = await lab.drafted("pdf");
    expect((await lab.draft("pdf", gone())).draft).toBeNull();
    const archive = "skills/.archive/pdf-20261201093000";
    expect(await lab.shown(archive)).toEqual(shownFiles("pdf"));
    const { drafts, archived } = await lab.skills.records();
    expect(drafts).toEqual([]);
    expect(archived).toEqual([
      {
        name: "pdf",
        directory: archive,
        at: NOW,
        was: "draft",
        why: "given up",
        hash,
        provenance: null,
      },
    ]);
    expect(await lab.move("pdf", { kind: "restore" }, { live: null })).toBe(hash);
    expect(await lab.shown("skills/pdf")).toEqual({});
    expect((await lab.skills.records()).drafts).toMatchObject([{ hash, origin: "agent" }]);
  });

  it("[K5] says that a skill in use is to be archived, which stays until a person agrees", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    await lab.drafted("papers");
    await lab.draft("pdf", patch("Do", "Redo"), LIVE);
    const nowhere = lab.draft("pdf", gone("nowhere"), LIVE);
    await expect(nowhere).rejects.toMatchObject({ code: "not_found" });
    const { draft } = await lab.draft("pdf", gone("papers"), LIVE);
    expect(draft).toMatchObject({
      action: "archive",
      absorbedInto: "papers",
      files: 0,
      hash: draft?.base,
      description: "Works with pdf files.",
    });
    // What was drafted before is not lost.
    expect((await lab.skills.records()).archived).toMatchObject([{ name: "pdf", was: "draft" }]);
    expect(await lab.shown("skills/pdf")).toEqual(shownFiles("pdf"));
    const early = await lab.candidate("pdf", "skills/pdf");
    expect(early.conflict).toContain("papers");
    await lab.promote("papers", (await lab.candidate("papers")).draft.hash);
    const candidate = await lab.candidate("pdf", "skills/pdf");
    expect(candidate).toMatchObject({ files: [], conflict: null });
    expect(candidate.removed.map(({ path }) => path)).toEqual(Object.keys(shownFiles("pdf")));
    const hash = draft?.hash ?? "";
    const promote = () => lab.promote("pdf", hash, { live: PDF });
    expect(await promote()).toEqual({ name: "pdf", outcome: "archived", hash: null });
    expect(await promote()).toEqual({ name: "pdf", outcome: "archived", hash: null });
    expect(await lab.shown("skills/pdf")).toEqual({});
    expect(await lab.usage("pdf")).toMatchObject({ state: "archived", archivedAt: NOW });
    const line = { op: "promote", decision: "archived", beforeHash: hash, afterHash: null };
    expect((await lab.audit({ target: "pdf" }))[0]).toMatchObject(line);
  });

  it("[K5] goes on as a new version when it is edited after all", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    await lab.draft("pdf", gone(), LIVE);
    const { draft } = await lab.draft("pdf", patch("Do", "Redo"), LIVE);
    expect(draft).toMatchObject({
      action: "publish",
      description: "Works with pdf files.",
      files: 3,
    });
  });

  it("[K2] of a lower layer can only be hidden, and the candidate says so", async () => {
    const lab = await SkillsLab.of({ template: { "skills/pdf/SKILL.md": document("pdf") } });
    const { draft } = await lab.draft("pdf", gone(), LIVE);
    const candidate = await lab.candidate("pdf", "skills/pdf");
    expect(candidate.conflict).toContain("To hide it, delete");
    const promote = lab.promote("pdf", draft?.hash ?? "", { live: PDF });
    await expect(promote).rejects.toMatchObject({ code: "conflict" });
  });

  it("[K5] may be asked for whatever the skill is called", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    for (const name of ["__proto__", "A skill / of ann's"]) {
      const { draft } = await lab.draft(name, gone(), LIVE);
      expect(draft).toMatchObject({ name, action: "archive" });
      const decided = await lab.promote(name, draft?.hash ?? "", { live: PDF });
      expect(decided.outcome).toBe("archived");
      expect(await lab.move(name, { kind: "restore" }, { live: null })).toBe(draft?.hash);
    }
  });
});

describe("a change of a draft that comes again", () => {
  it.each([false, true])(
    "[C2] is done once where the object ended, after it: %s",
    async (isAfter) => {
      const lab = await SkillsLab.of();
      await lab.live("pdf");
      const change = patch("Do it well", "Do it  now");
      failing(lab.bucket, isAfter);
      const ask = () => lab.draft("pdf", change, { ...LIVE, op: "s1/t1/c1" });
      await expect(ask()).rejects.toThrow("the object ended");
      expect(Object.keys(await lab.shown(DRAFT))).toHaveLength(isAfter ? 3 : 0);
      lab.restart();
      const first = await ask();
      expect(first).toMatchObject({ matched: "exact", draft: { files: 3 } });
      await lab.pass(DAY);
      expect(await ask()).toEqual(first);
      expect(await lab.audit()).toHaveLength(1);
      await lab.draft("pdf", gone(), { op: "s1/t1/c2" });
      expect((await lab.draft("pdf", gone(), { op: "s1/t1/c2" })).draft).toBeNull();
    },
  );

  it("[C3] of two at once each finds what the one before left", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    const changes = [patch("Do", "Now do"), write("references/a.md", "A"), write("scripts/b", "B")];
    await Promise.all(changes.map((change) => lab.draft("pdf", change, LIVE)));
    const failed = lab.draft("pdf", patch("nowhere", "x"), LIVE);
    const after = lab.draft("pdf", patch("Now do", "Then do"), LIVE);
    await expect(failed).rejects.toMatchObject({ code: "invalid" });
    expect((await after).draft).toMatchObject({ files: 5 });
    expect((await lab.shown(DRAFT))["SKILL.md"]).toContain("Then do it well.");
    expect(await lab.audit()).toHaveLength(4);
  });

  it("[C3] writes over nothing that somebody else wrote meanwhile", async () => {
    const lab = await SkillsLab.of();
    await lab.drafted("pdf");
    const change = lab.bucket.change.bind(lab.bucket);
    let others = 1;
    lab.bucket.change = async (request) => {
      const isOurs = request.op !== undefined && request.changes.length > 1;
      if (isOurs && others-- > 0) {
        const text = "#!/bin/sh\necho theirs\n";
        const path = `${DRAFT}/scripts/run.sh`;
        const theirs = { kind: "write", path, content: { text } } as const;
        await change({ by: "user:ann", changes: [theirs] });
      }
      return change(request);
    };
    const { draft } = await lab.draft("pdf", patch("Do", "Redo"));
    expect(await lab.shown(DRAFT)).toMatchObject({
      "SKILL.md": expect.stringContaining("Redo"),
      "scripts/run.sh": expect.stringContaining("theirs"),
    });
    expect((await lab.candidate("pdf")).draft.hash).toBe(draft?.hash);
  });
});
