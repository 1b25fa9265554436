import { describe, expect, it } from "vitest";
import type { DraftChange } from "../../../src/shared/skill-drafts.ts";
import {
  BINARY,
  document,
  NOW,
  shownFiles,
  SkillsLab,
  skillFiles,
  textFile,
} from "./skills-lab.ts";

const PDF = { directory: "skills/pdf" };
const LIVE = { live: PDF };
const DRAFT = "skills/_drafts/pdf";

const edit = (text: string): DraftChange => ({ kind: "edit", text });
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

describe("a draft", () => {
  it("[K5] of a new skill is beside what is in use, and known for what it is", async () => {
    const lab = await SkillsLab.of();
    const { draft, scan } = await lab.draft("pdf", { kind: "create", files: skillFiles("pdf") });
    expect(draft).toEqual({
      name: "pdf",
      action: "publish",
      absorbedInto: null,
      base: null,
      target: "skills/pdf",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      origin: "agent",
      trust: "agent",
      createdAt: NOW,
      changedAt: NOW,
      by: "agent:main/s1",
      session: "s1",
      deferredUntil: null,
      deferredWhy: null,
      description: "Works with pdf files.",
      verdict: "safe",
      files: 3,
      bytes: 7 + 20 + document("pdf").length,
    });
    expect(scan).toEqual({ verdict: "safe", findings: [] });
    expect(await lab.shown("skills/pdf")).toEqual({});
    expect(await lab.shown(DRAFT)).toEqual(shownFiles("pdf"));
    expect((await lab.skills.records()).drafts).toEqual([draft]);
    expect(await lab.audit()).toEqual([
      {
        ts: "2026-12-01T09:30:00.000Z",
        actor: "agent:main/s1",
        op: "propose",
        target: "pdf",
        decision: "created",
        scanVerdict: "safe",
        beforeHash: null,
        afterHash: draft?.hash,
        reason: null,
        session: "s1",
      },
    ]);
  });

  it("[K5] of a skill in use begins as its copy, whoever made that, and leaves it as it is", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    const { draft, matched } = await lab.draft("pdf", patch("Do it", "Do all of it"), LIVE);
    expect(matched).toBe("exact");
    expect(draft?.base).toMatch(/^[0-9a-f]{64}$/);
    expect(draft).toMatchObject({ target: "skills/pdf", files: 3 });
    expect(await lab.shown("skills/pdf")).toEqual(shownFiles("pdf"));
    expect(await lab.shown(DRAFT)).toEqual(shownFiles("pdf", "Do all of it well."));
    const again = await lab.draft("pdf", write("references/more.md", "More."), LIVE);
    expect(again.draft).toMatchObject({ base: draft?.base, files: 4, createdAt: NOW });
    const less = await lab.draft("pdf", { kind: "remove", path: "scripts/run.sh" }, LIVE);
    expect(less.draft).toMatchObject({ base: draft?.base, files: 3 });
    const whole = await lab.draft("pdf", edit(document("pdf", "Anew.")), LIVE);
    expect(await lab.shown(DRAFT)).toEqual({
      "SKILL.md": `- ${document("pdf", "Anew.")}`,
      "assets/logo.png": `- ${Buffer.from(BINARY).toString("hex")}`,
      "references/more.md": "- More.",
    });
    const [first] = await lab.audit();
    expect(first).toMatchObject({ beforeHash: less.draft?.hash, afterHash: whole.draft?.hash });
  });

  it.each([
    ["skills/pdf", "skills/pdf"],
    ["skills/papers", "skills/papers"],
    [".agents/skills/pdf", "skills/pdf"],
  ])("[K2] of what a template has in %s is to override it in %s", async (directory, target) => {
    const template = { [`${directory}/SKILL.md`]: document("pdf"), [`${directory}/x.bin`]: BINARY };
    const lab = await SkillsLab.of({ template });
    if (directory.startsWith(".")) await lab.live("pdf", directory);
    const changed = await lab.draft("pdf", patch("Do", "Redo"), { live: { directory } });
    expect(changed.draft?.target).toBe(directory.startsWith(".") ? directory : target);
  });

  it("[K2] of what users share takes all its files, those that are no text too", async () => {
    const lab = await SkillsLab.of();
    const shared = lab.workspaces.shared();
    const bytes = BINARY;
    for (const change of [
      { path: "SKILL.md", content: { text: document("pdf") } },
      { path: "scripts/run.sh", content: { text: "#!/bin/sh\n" }, executable: true },
      { path: "assets/a.png", content: { bytes } },
    ])
      await shared.change({
        by: "user:op",
        changes: [{ kind: "write", ...change, path: `skills/pdf/${change.path}` }],
      });
    const changed = await lab.draft("pdf", patch("Do", "Redo"), LIVE);
    expect(changed.draft).toMatchObject({ files: 3, target: "skills/pdf" });
    expect(await lab.shown(DRAFT)).toMatchObject({
      "scripts/run.sh": "x #!/bin/sh\n",
      "assets/a.png": `- ${Buffer.from(BINARY).toString("hex")}`,
    });
  });

  it("[K5] cannot be created where the name is taken; a person may put another one in its place", async () => {
    const lab = await SkillsLab.of();
    await lab.live("csv");
    const create = { kind: "create", files: skillFiles("csv"), over: true } as const;
    const taken = { code: "conflict", message: expect.stringContaining("Edit it instead") };
    await expect(lab.draft("csv", create)).rejects.toMatchObject(taken);
    const live = { directory: "skills/csv" };
    await expect(lab.draft("csv", create, { live })).rejects.toMatchObject(taken);
    await lab.drafted("pdf");
    const pdf = { kind: "create", files: skillFiles("pdf", "Mine."), over: true } as const;
    await expect(lab.draft("pdf", pdf)).rejects.toMatchObject(taken);
    const person = { origin: "upload", trust: "trusted", by: "user:ann" } as const;
    await expect(lab.draft("pdf", { ...pdf, over: false }, person)).rejects.toMatchObject({
      message: expect.stringContaining("say that it is to be replaced"),
    });
    const changed = await lab.draft("pdf", pdf, person);
    expect(changed.draft).toMatchObject({ origin: "upload", by: "user:ann" });
    const other = { ...create, files: skillFiles("csv", "Mine.") };
    expect((await lab.draft("csv", other, { ...person, live })).draft?.base).not.toBeNull();
  });

  it("[K5] that the agent has a part in is the agent's, and one that nobody vouches for is nobody's", async () => {
    const lab = await SkillsLab.of();
    const upload = { origin: "upload", trust: "community", by: "user:ann" } as const;
    await lab.drafted("pdf", upload);
    const changed = await lab.draft("pdf", patch("Do", "Redo"));
    expect(changed.draft).toMatchObject({ origin: "agent", trust: "community" });
    const back = await lab.draft("pdf", patch("Redo", "Do"), { ...upload, trust: "trusted" });
    expect(back.draft).toMatchObject({ origin: "agent", trust: "community" });
    const cron = write("scripts/a.sh", "ls | crontab -");
    await expect(lab.draft("pdf", cron)).rejects.toMatchObject({ code: "forbidden" });
  });

  it("[K5] that was laid there by hand counts as the agent's", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf", DRAFT);
    const { drafts } = await lab.skills.records();
    expect(drafts).toMatchObject([
      { name: "pdf", origin: "agent", by: "user:ann", createdAt: NOW, target: "skills/pdf" },
    ]);
    const hash = drafts[0]?.hash ?? "";
    const gate = lab.promote("pdf", hash, { by: "gate:all" });
    await expect(gate).rejects.toMatchObject({ code: "forbidden" });
    expect(await lab.promote("pdf", hash)).toMatchObject({ outcome: "promoted", hash });
  });

  it.each<[string, DraftChange, string]>([
    ["a name that goes up", { kind: "create", files: skillFiles("x") }, "../pdf"],
    ["capitals", { kind: "create", files: skillFiles("PDF") }, "PDF"],
    ["another name within", { kind: "create", files: skillFiles("csv") }, "pdf"],
    ["no SKILL.md", { kind: "create", files: [textFile("scripts/a", "")] }, "pdf"],
    [
      "a file elsewhere",
      { kind: "create", files: [...skillFiles("pdf"), textFile("b.md", "")] },
      "pdf",
    ],
    [
      "a file that goes up",
      { kind: "create", files: [...skillFiles("pdf"), textFile("scripts/../../x", "")] },
      "pdf",
    ],
    [
      "a file twice",
      { kind: "create", files: [...skillFiles("pdf"), ...skillFiles("pdf")] },
      "pdf",
    ],
    [
      "a log",
      { kind: "create", files: [...skillFiles("pdf"), textFile("scripts/a.log.jsonl", "")] },
      "pdf",
    ],
    ["no front matter", edit("Just do it."), "live"],
    ["the loss of its SKILL.md", { kind: "remove", path: "skill.md" }, "live"],
    ["words in what is no text", patch("a", "b", "assets/logo.png"), "live"],
    ["nothing new", patch("Do it well", "Do it well"), "live"],
    ["nothing new, byte for byte", write("scripts/run.sh", "#!/bin/sh\necho done\n"), "bare"],
    ["itself", gone("live"), "live"],
  ])("[K1] is refused with %s, and nothing is stored", async (_what, change, name) => {
    const lab = await SkillsLab.of();
    await lab.live("live");
    await lab.put("skills/bare/SKILL.md", document("bare"));
    await lab.put("skills/bare/scripts/run.sh", "#!/bin/sh\necho done\n");
    const live = ["live", "bare"].includes(name) ? { directory: `skills/${name}` } : null;
    const before = await lab.shown("skills");
    await expect(lab.draft(name, change, { live })).rejects.toMatchObject({ code: "invalid" });
    expect(await lab.shown("skills")).toEqual(before);
  });

  it.each<[DraftChange, string]>([
    [edit(document("pdf")), "Create it first"],
    [patch("a", "b"), "Create it first"],
    [{ kind: "remove", path: "scripts/a" }, "Create it first"],
    [gone(), "does not exist"],
  ])("[K5] is not begun of nothing: %j", async (change, words) => {
    const lab = await SkillsLab.of();
    const error = { code: "not_found", message: expect.stringContaining(words) };
    await expect(lab.draft("pdf", change)).rejects.toMatchObject(error);
  });

  it("[K9] of the agent that is dangerous is refused with what was found, and what was there stays", async () => {
    const lab = await SkillsLab.of();
    const hash = await lab.drafted("pdf");
    const error = { code: "forbidden", message: expect.stringContaining("scripts/a.sh, line 1") };
    const bad = lab.draft("pdf", write("scripts/a.sh", "rm -rf / --no-preserve-root"));
    await expect(bad).rejects.toMatchObject(error);
    expect((await lab.skills.records()).drafts).toMatchObject([{ hash }]);
    const cautious = await lab.draft("pdf", write("scripts/a.sh", "ls | crontab -"));
    expect(cautious.scan).toMatchObject({ verdict: "caution" });
    expect(cautious.draft).toMatchObject({ verdict: "caution" });
  });

  it("[K5] may have files anywhere when a person has sent it, up to what a skill may have", async () => {
    const lab = await SkillsLab.of();
    const upload = { origin: "upload", trust: "trusted" } as const;
    const many = Array.from({ length: 299 }, (_, no) => textFile(`x/${no}`, `${no}`));
    const main = textFile("SKILL.md", document("pdf"));
    const create = (files: typeof many) => ({ kind: "create", files }) as const;
    const more = create([main, ...many, textFile("y", "")]);
    await expect(lab.draft("pdf", more, upload)).rejects.toMatchObject({ code: "invalid" });
    const { draft } = await lab.draft("pdf", create([main, ...many]), upload);
    expect(draft).toMatchObject({ files: 300 });
    expect(await lab.promote("pdf", draft?.hash ?? "")).toMatchObject({ outcome: "promoted" });
    expect(Object.keys(await lab.shown("skills/pdf"))).toHaveLength(300);
    await lab.move("pdf", { kind: "archive" });
    expect(await lab.move("pdf", { kind: "restore" }, { live: null })).toBe(draft?.hash);
  });

  it("[K5] is one of fifty; those that are gone do not count", async () => {
    const lab = await SkillsLab.of();
    for (let no = 0; no < 50; no++)
      await lab.draft(`s-${no}`, {
        kind: "create",
        files: [textFile("SKILL.md", document(`s-${no}`))],
      });
    const full = { code: "quota_exceeded", message: expect.stringContaining("50 drafts") };
    await expect(lab.drafted("pdf")).rejects.toMatchObject(full);
    await lab.live("csv");
    const live = { directory: "skills/csv" };
    await expect(lab.draft("csv", gone(), { live })).rejects.toMatchObject(full);
    await lab.draft("s-7", write("scripts/a", "still"));
    await lab.change({ kind: "delete", path: "skills/_drafts/s-9" });
    expect((await lab.skills.records()).drafts).toHaveLength(49);
    await lab.drafted("pdf");
  });

  it("[W16] is refused whole by a bucket that is full", async () => {
    const lab = await SkillsLab.of({ limits: { files: 2 } });
    await expect(lab.drafted("pdf")).rejects.toMatchObject({ code: "quota_exceeded" });
    expect(await lab.shown("skills")).toEqual({});
  });
});
