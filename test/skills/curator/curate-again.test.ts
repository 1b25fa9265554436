import { describe, expect, it } from "vitest";
import { CarrelError } from "../../../src/shared/errors.ts";
import { curate } from "../../../src/skills/bucket/curator/curate.ts";
import type { SkillParts } from "../../../src/skills/bucket/skill-parts.ts";
import { defaultCurator } from "../../../src/skills/config.ts";
import { BEGAN, CuratorLab, DAY } from "./curator-lab.ts";

const { intervalMs, archiveAfterMs } = defaultCurator;

/** A lab in which `old` is to be archived with the next run. */
async function labWithOld() {
  const lab = new CuratorLab();
  lab.now -= 100 * DAY;
  await lab.agentSkill("old");
  lab.now += 100 * DAY;
  await lab.warmUp();
  return lab;
}

/** The same parts with something done before each change. */
const meddled = (lab: CuratorLab, meddle: () => Promise<void>): SkillParts => ({
  ...lab.parts,
  files: {
    tree: (request) => lab.parts.files.tree(request),
    read: (request) => lab.parts.files.read(request),
    readMany: (request) => lab.parts.files.readMany(request),
    assertThere: () => lab.parts.files.assertThere(),
    async change(request) {
      await meddle();
      return lab.parts.files.change(request);
    },
  },
});

describe("a curator that is asked twice", () => {
  it("[R1] gives the same operation the same answer, and does it once", async () => {
    const lab = await labWithOld();
    const request = lab.request();
    const run = await curate(lab.parts, request);
    expect(run.transitions).toHaveLength(1);
    const after = await lab.files();
    lab.now += 3 * intervalMs;
    expect(await curate(lab.parts, request)).toEqual(run);
    expect(await lab.files()).toEqual(after);
    await lab.curate({ now: true });
    const later = await lab.files();
    expect(await curate(lab.parts, { ...request, now: true })).toMatchObject({ state: "early" });
    expect(await lab.files()).toEqual(later);
  });

  it("[R1] has one run an interval, however many slots come at once or late", async () => {
    const lab = await labWithOld();
    const runs = await Promise.all(Array.from({ length: 8 }, () => lab.curate()));
    expect(runs.filter(({ state }) => state === "done")).toHaveLength(1);
    expect(runs.filter(({ state }) => state === "early")).toHaveLength(7);
    expect((await lab.state()).runs).toBe(2);
    expect(await lab.audit()).toHaveLength(1);
    lab.now += intervalMs - 1;
    expect((await lab.curate()).state).toBe("early");
    lab.now += 5 * intervalMs;
    expect((await lab.curate()).state).toBe("early");
  });

  it("[K7] goes by what is there when it acts: what is used, pinned or promoted meanwhile stays", async () => {
    for (const meddle of [
      (lab: CuratorLab) => lab.use("old", { lastUsedAt: lab.now }),
      (lab: CuratorLab) => lab.use("old", { pinned: true }),
      (lab: CuratorLab) => lab.agentSkill("old"),
      (lab: CuratorLab) => lab.put("skills/old/scripts/run.py", "print(1)\n"),
    ]) {
      const lab = await labWithOld();
      let isFirst = true;
      const parts = meddled(lab, async () => {
        if (isFirst) await meddle(lab);
        isFirst = false;
      });
      expect(await curate(parts, lab.request())).toMatchObject({ state: "done", transitions: [] });
      expect(await lab.text("skills/old/SKILL.md")).not.toBeNull();
      expect(await lab.archived()).toEqual([]);
    }
  });

  it("[K7] gives up with nothing done when files change again and again", async () => {
    const lab = await labWithOld();
    let useCount = 0;
    const parts = meddled(lab, () => lab.use("old", { useCount: (useCount += 1) }));
    await expect(curate(parts, lab.request())).rejects.toMatchObject({ code: "conflict" });
    const down = new CarrelError("overloaded", "The store does not answer.");
    const failing = meddled(lab, () => Promise.reject(down));
    await expect(curate(failing, lab.request())).rejects.toBe(down);
    expect(await lab.text("skills/old/SKILL.md")).not.toBeNull();
    expect((await lab.state()).runs).toBe(1);
  });
});

describe("a curator that finds something wrong", () => {
  it.each([
    "skills/.usage.json",
    "skills/.provenance.json",
    "skills/.drafts.json",
    "skills/.archive.json",
    "skills/.curator_state.json",
  ])("[K7] changes nothing when %s cannot be read, and names it", async (path) => {
    for (const spoilt of ["{", "[]", '{"old": 7}', '{"seeded_at": "yesterday"}', "null"]) {
      const lab = await labWithOld();
      await lab.put(path, spoilt);
      const before = await lab.files();
      const curated = lab.curate({ now: true });
      await expect(curated).rejects.toMatchObject({ code: "invalid" });
      await expect(curated).rejects.toThrow(path);
      expect(await lab.files()).toEqual(before);
    }
  });

  it("[K7] changes nothing when any file cannot be read", async () => {
    for (const hidden of [
      "skills/old/scripts/run.py",
      "skills/.usage.json",
      "skills/old/SKILL.md",
    ]) {
      const lab = await labWithOld();
      const before = await lab.files();
      const { files } = meddled(lab, async () => {});
      const readMany: typeof files.readMany = (request) =>
        request.paths.includes(hidden)
          ? Promise.reject(new CarrelError("overloaded", "The store does not answer."))
          : files.readMany(request);
      const parts = { ...lab.parts, files: { ...files, readMany } };
      await expect(curate(parts, lab.request())).rejects.toThrow("The store does not answer.");
      expect(await lab.files()).toEqual(before);
    }
  });

  it("[K7] is not misled by names that objects have anyway", async () => {
    const lab = await labWithOld();
    lab.now -= 100 * DAY;
    await lab.agentSkill("constructor");
    await lab.humanSkill("toString");
    lab.now += 100 * DAY;
    await lab.put("skills/.drafts.json", '{"__proto__": {}}');
    await expect(lab.curate()).rejects.toThrow('"skills/.drafts.json" cannot be read');
    await lab.change({ kind: "delete", path: "skills/.drafts.json" });
    const { transitions } = await lab.curate();
    expect(transitions.map(({ name }) => name).toSorted()).toEqual(["constructor", "old"]);
  });
});

describe("a curator whose clock is set back", () => {
  it("[K7] makes nothing older, holds nothing up for more than an interval, and begins the waiting anew", async () => {
    const lab = new CuratorLab();
    await lab.agentSkill("it");
    await lab.curate();
    lab.now = BEGAN - 50 * DAY;
    expect(await lab.curate()).toMatchObject({ state: "early", lookAt: lab.now + intervalMs });
    expect((await lab.curate()).state).toBe("early");
    lab.now += intervalMs;
    expect((await lab.curate()).state).toBe("reported");
    lab.now -= 20 * DAY;
    expect(await lab.curate()).toMatchObject({ state: "done", transitions: [] });
    expect((await lab.curate()).state).toBe("early");
    expect((await lab.state()).lastRunAt).toBe(lab.now);
    lab.now = BEGAN + archiveAfterMs;
    expect((await lab.curate()).transitions).toMatchObject([{ name: "it", to: "archived" }]);
  });
});
