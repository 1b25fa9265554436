import { describe, expect, it } from "vitest";
import { DAY, SkillsLab } from "./skills-lab.ts";

const FILES = [
  "skills/.usage.json",
  "skills/.provenance.json",
  "skills/.drafts.json",
  "skills/.archive.json",
];

describe("the records", () => {
  it("[K4] are all empty where there is nothing", async () => {
    const lab = await SkillsLab.of();
    expect(await lab.skills.records()).toEqual({
      usage: [],
      provenance: [],
      drafts: [],
      archived: [],
      curator: {
        seededAt: null,
        lastRunAt: null,
        runs: 0,
        lastSummary: null,
        lastReport: null,
      },
      problems: [],
    });
    expect(await lab.audit()).toEqual([]);
  });

  it.each(
    FILES.flatMap((path) =>
      ["{", "[]", `{"pdf":{"state":"odd","created_by":7}}`].map((text) => [path, text]),
    ),
  )("[K1] say which file is broken, %s, and write nothing over it: %s", async (path, text) => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    const hash = await lab.drafted("csv");
    await lab.move("pdf", { kind: "archive" });
    await lab.put(path, text);
    const broken = {
      code: "invalid",
      message: expect.stringContaining(`"${path}" cannot be read`),
    };
    const known = await lab.skills.records();
    expect(known.problems).toEqual([broken.message]);
    // What does not depend on it is there.
    if (path !== "skills/.drafts.json") expect(known.drafts).toHaveLength(1);
    const before = await lab.shown("skills");
    const tries = [
      () => lab.move("pdf", { kind: "restore" }, { live: null }),
      () => lab.promote("csv", hash),
      () => lab.drafted("other"),
    ];
    const failed = (await Promise.allSettled(tries.map((one) => one()))).filter(
      ({ status }) => status === "rejected",
    );
    for (const one of failed) expect(one).toMatchObject({ reason: broken });
    expect(failed.length).toBeGreaterThan(0);
    expect(await lab.text(path)).toBe(text);
    if (failed.length === tries.length) expect(await lab.shown("skills")).toEqual(before);
  });

  it("[K1] take what a person wrote there, as far as it says anything", async () => {
    const lab = await SkillsLab.of();
    await lab.put("skills/.usage.json", `\uFEFF{"pdf":{"pinned":true,"patch_count":3}}`);
    expect(await lab.usage("pdf")).toEqual({
      name: "pdf",
      state: "active",
      pinned: true,
      useCount: 0,
      viewCount: 0,
      lastUsedAt: null,
      lastViewedAt: null,
      archivedAt: null,
    });
  });
});

describe("the audit", () => {
  it("[K6] is asked for by day, target, actor and kind, the newest first", async () => {
    const lab = await SkillsLab.of();
    await lab.promoted("pdf");
    await lab.pass(DAY);
    await lab.promoted("csv");
    await lab.move("csv", { kind: "pin" }, { by: "user:bob" });
    const said = async (request = {}) =>
      (await lab.audit(request)).map(({ op, target }) => `${op} ${target}`);
    const all = ["pin csv", "promote csv", "propose csv", "promote pdf", "propose pdf"];
    expect(await said()).toEqual(all);
    expect(await said({ limit: 2 })).toEqual(all.slice(0, 2));
    expect(await said({ to: "2026-12-01" })).toEqual(all.slice(3));
    expect(await said({ from: "2026-12-02", to: "2026-12-02" })).toEqual(all.slice(0, 3));
    expect(await said({ target: "pdf", op: "promote" })).toEqual(["promote pdf"]);
    expect(await said({ actor: "user:bob" })).toEqual(["pin csv"]);
    expect(await said({ from: "2027-01-01", to: "2026-01-01" })).toEqual([]);
    await lab.pass(40 * DAY);
    expect(await said()).toEqual([]);
    expect(await said({ from: "2026-12-01" })).toEqual(all);
  });

  it.each([
    { from: "yesterday" },
    { to: "2026-13-01" },
    { to: "2026-02-30" },
    { from: "2020-01-01" },
    { limit: 0 },
    { limit: 1_001 },
    { limit: 1.5 },
  ])("[K6] is not given for %j", async (request) => {
    const lab = await SkillsLab.of();
    await expect(lab.audit(request)).rejects.toMatchObject({ code: "invalid" });
  });

  it("[K6] leaves out what is no line, and does not lose what comes after", async () => {
    const lab = await SkillsLab.of();
    await lab.promoted("pdf");
    const path = "skills/.audit/2026-12-01.jsonl";
    await lab.change({ kind: "append", path, text: `{"op":"promote"}\nnonsense\n[]\n\n` });
    await lab.move("pdf", { kind: "pin" });
    const kinds = (await lab.audit()).map(({ op }) => op);
    expect(kinds).toEqual(["pin", "promote", "propose"]);
  });

  it("[K6] goes on in another file when that of the day is full, and is read in order", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    const full = `${" ".repeat(899_900)}\n`;
    await lab.put("skills/.audit/2026-12-01.jsonl", full);
    for (let no = 2; no <= 11; no++) {
      await lab.move("pdf", { kind: "pin" }, { by: `user:u${no}` });
      const path = `skills/.audit/2026-12-01-${no}.jsonl`;
      await lab.change({ kind: "append", path, text: full });
    }
    const actors = (await lab.audit()).map(({ actor }) => actor);
    expect(actors).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((no) => `user:u${no}`));
    // The answer to an operation is in its file, wherever that is.
    await lab.move("pdf", { kind: "archive" }, { op: "once" });
    expect(await lab.move("pdf", { kind: "archive" }, { op: "once" })).toBeNull();
  });

  it("[K6] of an operation that was done is answered from what shows when its line is gone", async () => {
    const lab = await SkillsLab.of();
    const hash = await lab.drafted("pdf");
    const promote = (op: string) => lab.promote("pdf", hash, { op });
    await promote("once");
    await lab.change({ kind: "delete", path: "skills/.audit/2026-12-01.jsonl" });
    expect(await promote("once")).toEqual({ name: "pdf", outcome: "promoted", hash });
    await lab.put("skills/pdf/more", "more");
    await expect(promote("once")).rejects.toMatchObject({ code: "not_found" });
    expect(await lab.audit()).toEqual([]);
  });
});
