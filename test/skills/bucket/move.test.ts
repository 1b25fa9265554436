import { describe, expect, it } from "vitest";
import type { SkillMove } from "../../../src/shared/skills-api.ts";
import { BY } from "../../support/bucket-parts.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { DAY, document, failing, NOW, shownFiles, SkillsLab, skillFiles } from "./skills-lab.ts";

const ARCHIVED = "skills/.archive/pdf-20261201093000";
const archive: SkillMove = { kind: "archive" };
const restore: SkillMove = { kind: "restore" };

describe("a skill that is archived", () => {
  it("[K8] comes back byte for byte, with its bits, what is no text, and all that was known of it", async () => {
    const store = createMemoryStore();
    const put: string[] = [];
    const watched = {
      ...store,
      put: (...given: Parameters<typeof store.put>) => (put.push(given[0]), store.put(...given)),
    };
    const lab = await SkillsLab.of({ store: watched });
    const hash = await lab.promoted("pdf");
    await lab.load("pdf");
    const { provenance } = await lab.skills.records();
    await lab.workspaces.pass(60_000);
    put.length = 0;
    expect(await lab.move("pdf", archive)).toBeNull();
    expect(await lab.shown("skills/pdf")).toEqual({});
    const at = NOW + 60_000;
    const directory = "skills/.archive/pdf-20261201093100";
    expect(await lab.shown(directory)).toEqual(shownFiles("pdf"));
    expect(await lab.usage("pdf")).toMatchObject({
      state: "archived",
      archivedAt: at,
      useCount: 1,
    });
    const away = await lab.skills.records();
    expect(away.provenance).toEqual([]);
    const { name: _name, ...known } = provenance[0] ?? { name: "" };
    expect(away.archived).toEqual([
      {
        name: "pdf",
        directory,
        at,
        was: "skill",
        why: `archived by ${BY}`,
        hash,
        provenance: known,
      },
    ]);
    expect(await lab.move("pdf", restore, { live: null })).toBe(hash);
    expect(await lab.shown("skills/pdf")).toEqual(shownFiles("pdf"));
    const back = await lab.skills.records();
    expect(back).toMatchObject({ provenance, archived: [] });
    expect(await lab.usage("pdf")).toMatchObject({
      state: "active",
      archivedAt: null,
      useCount: 1,
    });
    // Bytes that are no text were moved by their digest.
    expect(put.filter((key) => key.includes("blobs"))).toEqual([]);
    const lines = await lab.audit({ target: "pdf" });
    expect(lines.slice(0, 2)).toMatchObject([
      { op: "restore", beforeHash: null, afterHash: hash, actor: BY },
      { op: "archive", beforeHash: hash, afterHash: null, actor: BY },
    ]);
  });

  it("[K8] is in a directory of its own each time, and the newest comes back", async () => {
    const lab = await SkillsLab.of();
    for (const body of ["one", "two", "three"]) {
      await lab.live("pdf", "skills/pdf", body);
      await lab.move("pdf", archive);
      if (body === "two") await lab.pass(DAY);
    }
    const { archived } = await lab.skills.records();
    expect(archived.map(({ directory }) => directory)).toEqual([
      "skills/.archive/pdf-20261202093000",
      ARCHIVED,
      `${ARCHIVED}-2`,
    ]);
    await lab.move("pdf", restore, { live: null });
    expect(await lab.shown("skills/pdf")).toEqual(shownFiles("pdf", "three"));
    await lab.move("pdf", archive);
    const second: SkillMove = { kind: "restore", archived: `${ARCHIVED}-2` };
    await lab.move("pdf", second, { live: null });
    expect(await lab.shown("skills/pdf")).toEqual(shownFiles("pdf", "two"));
    expect((await lab.skills.records()).archived).toHaveLength(2);
  });

  it("[K8] goes back to the directory that it was in, and keeps that a lower layer shows meanwhile", async () => {
    const lab = await SkillsLab.of({
      template: { "skills/papers/SKILL.md": document("pdf", "Old.") },
    });
    await lab.live("pdf", "skills/papers");
    await lab.live("csv", ".agents/skills/csv");
    const live = { directory: "skills/papers" };
    await lab.move("pdf", archive, { live });
    expect(await lab.shown("skills/papers")).toEqual({
      "SKILL.md": `- ${document("pdf", "Old.")}`,
    });
    await expect(lab.move("pdf", archive, { live })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("not this bucket's own"),
    });
    await lab.move("pdf", restore, { live });
    expect(await lab.shown("skills/papers")).toEqual(shownFiles("pdf"));
    await lab.move("csv", archive, { live: { directory: ".agents/skills/csv" } });
    await lab.move("csv", restore, { live: null });
    expect(await lab.shown(".agents/skills/csv")).toEqual(shownFiles("csv"));
  });

  it("[K8] is not what a repository has: who wants to be rid of that is told how", async () => {
    const lab = await SkillsLab.of();
    const directory = ".skills-cache/house/0a";
    await lab.live("pdf", directory);
    await expect(lab.move("pdf", archive, { live: { directory } })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/from a repository.*"filter"/),
    });
  });

  it("[K8] does not come back over what has its name, or its place, by now", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    await lab.move("pdf", archive);
    const back = (live: string | null) =>
      lab.move("pdf", restore, { live: live === null ? null : { directory: live } });
    await lab.live("other", "skills/pdf");
    await expect(back(null)).rejects.toMatchObject({ code: "conflict" });
    await lab.change({ kind: "delete", path: "skills/pdf" });
    await lab.live("pdf", "skills/papers");
    await expect(back("skills/papers")).rejects.toMatchObject({ code: "conflict" });
    await lab.change({ kind: "delete", path: "skills/papers" });
    await lab.drafted("pdf");
    await expect(back(null)).rejects.toMatchObject({ code: "conflict" });
    expect(await lab.shown(ARCHIVED)).toEqual(shownFiles("pdf"));
  });

  it("[K8] stays until a person deletes it in the files, and then nobody lists it", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    await lab.move("pdf", archive);
    for (const archived of ["skills/csv", "skills/.archive/other", "../x"])
      await expect(
        lab.move("pdf", { kind: "restore", archived }, { live: null }),
      ).rejects.toMatchObject({ code: "not_found" });
    await expect(lab.move("csv", restore, { live: null })).rejects.toMatchObject({
      code: "not_found",
    });
    await lab.change({ kind: "delete", path: ARCHIVED });
    expect((await lab.skills.records()).archived).toEqual([]);
    await expect(lab.move("pdf", restore, { live: null })).rejects.toMatchObject({
      code: "not_found",
    });
    // Its record goes with the next one.
    await lab.live("csv");
    await lab.move("csv", archive);
    expect(Object.keys(JSON.parse(await lab.text("skills/.archive.json")))).toHaveLength(1);
  });

  it("[K8] goes nowhere but to where a skill can be, whatever the record says", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    await lab.move("pdf", archive);
    const path = "skills/.archive.json";
    const id = ARCHIVED.slice("skills/.archive/".length);
    for (const from of ["memory", "skills/.audit", "../x", "skills/pdf/scripts"]) {
      await lab.change({ kind: "merge", path, patch: { [id]: { from } } });
      await expect(lab.move("pdf", restore, { live: null })).rejects.toMatchObject({
        code: expect.stringMatching(/^(not_found|invalid)$/),
      });
    }
    expect(await lab.shown(ARCHIVED)).toEqual(shownFiles("pdf"));
  });

  it.each(["../../x", "a/b", "__proto__", ".hidden", "名前", "x".repeat(128)])(
    "[K8] is in a directory of the archive also when it is called %j",
    async (name) => {
      const lab = await SkillsLab.of();
      await lab.live("pdf");
      const live = { directory: "skills/pdf" };
      await lab.move(name, archive, { live });
      const { archived } = await lab.skills.records();
      expect(archived).toMatchObject([{ name, was: "skill" }]);
      expect(archived[0]?.directory).toMatch(
        /^skills\/\.archive\/[A-Za-z0-9][A-Za-z0-9._-]*-20261201093000$/,
      );
      await lab.move(name, restore, { live: null });
      expect(await lab.shown("skills/pdf")).toEqual(shownFiles("pdf"));
    },
  );

  it.each([false, true])(
    "[K8] is moved once where the object ended, after it: %s",
    async (isAfter) => {
      const lab = await SkillsLab.of();
      const hash = await lab.promoted("pdf");
      for (const [kind, answer] of [
        ["archive", null],
        ["restore", hash],
      ] as const) {
        failing(lab.bucket, isAfter);
        const ask = () => lab.move("pdf", { kind }, { op: kind });
        await expect(ask()).rejects.toThrow("the object ended");
        lab.restart();
        expect(await ask()).toBe(answer);
        expect(await ask()).toBe(answer);
        expect(await lab.audit({ op: kind })).toHaveLength(1);
      }
      expect(await lab.shown("skills/pdf")).toEqual(shownFiles("pdf"));
    },
  );

  it("[K8] is as it was read: what changes at that moment is not lost", async () => {
    const lab = await SkillsLab.of();
    await lab.live("pdf");
    const change = lab.bucket.change.bind(lab.bucket);
    let others = 1;
    lab.bucket.change = async (request) => {
      if (request.changes.length > 1 && others-- > 0) {
        const content = { text: "#!/bin/sh\necho theirs\n" };
        const theirs = { kind: "write", path: "skills/pdf/scripts/run.sh", content } as const;
        await change({ by: BY, changes: [theirs] });
      }
      return change(request);
    };
    await lab.move("pdf", archive);
    expect((await lab.shown(ARCHIVED))["scripts/run.sh"]).toContain("theirs");
    const { hash } = (await lab.skills.records()).archived[0] ?? { hash: "" };
    expect(await lab.move("pdf", restore, { live: null })).toBe(hash);
  });

  it("[K6] needs a skill", async () => {
    const lab = await SkillsLab.of();
    for (const kind of ["archive", "pin", "unpin"] as const)
      for (const live of [null, { directory: "skills/pdf" }])
        await expect(lab.move("pdf", { kind }, { live })).rejects.toMatchObject({
          code: "not_found",
        });
    expect(await lab.shown("skills")).toEqual({});
  });
});

describe("a skill that is pinned", () => {
  it("[K6] is kept so, whosever it is, and audited with its hash", async () => {
    const lab = await SkillsLab.of({ template: { "skills/csv/SKILL.md": document("csv") } });
    await lab.live("pdf");
    for (const name of ["pdf", "csv"]) {
      const hash = await lab.move(name, { kind: "pin" }, { op: `pin-${name}` });
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
      expect(await lab.move(name, { kind: "pin" }, { op: `pin-${name}` })).toBe(hash);
      expect(await lab.usage(name)).toMatchObject({ pinned: true, useCount: 0 });
      expect(await lab.audit({ target: name })).toMatchObject([
        { op: "pin", decision: "pinned", beforeHash: hash, afterHash: hash },
      ]);
    }
    await lab.load("pdf");
    expect(await lab.usage("pdf")).toMatchObject({ pinned: true, useCount: 1 });
    await lab.move("pdf", { kind: "unpin" }, { live: null });
    expect(await lab.usage("pdf")).toMatchObject({ pinned: false, useCount: 1 });
    expect(skillFiles("pdf")).toHaveLength(3);
  });
});
