import { describe, expect, it } from "vitest";
import { defaultCurator } from "../../../src/skills/config.ts";
import { readSkillFiles } from "../../../src/skills/bucket/directory.ts";
import { hashSkill } from "../../../src/skills/format/hash.ts";
import { BEGAN, CuratorLab, DAY, skillText } from "./curator-lab.ts";

const { staleAfterMs, archiveAfterMs, intervalMs } = defaultCurator;

/** A lab whose next run acts. */
async function warmLab() {
  const lab = new CuratorLab();
  await lab.warmUp();
  return lab;
}

const done = (run: {
  readonly transitions: readonly { name: string; from: string; to: string }[];
}) => run.transitions.map(({ name, from, to }) => `${name}: ${from} -> ${to}`);

describe("the curator's first run", () => {
  it("[K7] is put off by a whole interval, to the millisecond, and only reports", async () => {
    const lab = new CuratorLab();
    await lab.agentSkill("old", { promotedAt: BEGAN - 200 * DAY });
    lab.now += 100 * DAY;
    const seeded = lab.now;
    expect(await lab.curate()).toMatchObject({ state: "early", lookAt: seeded + intervalMs });
    expect(await lab.state()).toMatchObject({ seededAt: seeded, lastRunAt: null, runs: 0 });
    const before = await lab.files();
    lab.now = seeded + intervalMs - 1;
    expect(await lab.curate()).toMatchObject({ state: "early", report: null });
    expect(await lab.files()).toEqual(before);
    lab.now += 1;
    const first = await lab.curate();
    expect([first.state, done(first)]).toEqual(["reported", ["old: active -> archived"]]);
    expect(await lab.text("skills/old/SKILL.md")).toBe(skillText("old"));
    expect(await lab.audit()).toEqual([]);
    expect(await lab.report(first)).toContain("Nothing was changed: the first run only says");
    lab.now += intervalMs;
    expect(done(await lab.curate())).toEqual(["old: active -> archived"]);
    expect(await lab.text("skills/old/SKILL.md")).toBeNull();
  });

  it("[K7] only reports when a person asks for it, too, and again until a day has passed; the next one acts", async () => {
    const lab = new CuratorLab();
    await lab.agentSkill("old");
    lab.now += archiveAfterMs;
    expect((await lab.curate({ now: true })).state).toBe("reported");
    expect(await lab.usageOf("old")).toBeNull();
    lab.now += DAY - 1;
    expect((await lab.curate({ now: true })).state).toBe("reported");
    expect(await lab.usageOf("old")).toBeNull();
    lab.now += 1;
    const second = await lab.curate({ now: true });
    expect([second.state, done(second)]).toEqual(["done", ["old: active -> archived"]]);
  });

  it("[K7] is not even begun where nothing could ever be curated", async () => {
    const lab = new CuratorLab();
    await lab.humanSkill("human");
    const before = await lab.files();
    expect(await lab.curate()).toMatchObject({ state: "early", lookAt: null });
    expect(await lab.files()).toEqual(before);
    expect((await lab.curate({ now: true })).state).toBe("reported");
  });
});

describe("what the curator does", () => {
  it.each([
    ["stays active", staleAfterMs - 1, "active", []],
    ["goes stale", staleAfterMs, "active", ["it: active -> stale"]],
    ["stays stale", archiveAfterMs - 1, "stale", []],
    ["is archived", archiveAfterMs, "stale", ["it: stale -> archived"]],
    ["is archived at once", archiveAfterMs, "active", ["it: active -> archived"]],
    ["is active again", staleAfterMs - 1, "stale", ["it: stale -> active"]],
  ] as const)(
    "[K7] to the millisecond: what was used so long ago %s",
    async (_, age, state, is) => {
      const lab = await warmLab();
      lab.now -= 200 * DAY;
      await lab.agentSkill("it");
      lab.now += 200 * DAY;
      await lab.use("it", { state, lastUsedAt: lab.now - age });
      expect(done(await lab.curate())).toEqual(is);
    },
  );

  it.each(["lastUsedAt", "lastViewedAt"] as const)("[K4] counts the newest: %s", async (which) => {
    const lab = await warmLab();
    lab.now -= 200 * DAY;
    await lab.agentSkill("it");
    lab.now += 200 * DAY;
    const old = { lastUsedAt: BEGAN - 100 * DAY, lastViewedAt: BEGAN - 100 * DAY };
    await lab.use("it", { ...old, [which]: lab.now - DAY });
    expect(done(await lab.curate())).toEqual([]);
  });

  it("[K7] leaves alone what was promoted, restored or changed by hand lately, whatever it was used", async () => {
    const lab = await warmLab();
    lab.now -= 200 * DAY;
    for (const name of ["promoted", "restored", "edited", "idle"]) await lab.agentSkill(name);
    lab.now += 190 * DAY;
    await lab.agentSkill("promoted");
    for (const kind of ["archive", "restore"] as const)
      await lab.skills.move({
        name: "restored",
        move: { kind },
        live: kind === "archive" ? { directory: "skills/restored" } : null,
        by: "user:ann",
        op: kind,
      });
    await lab.put("skills/edited/references/more.md", "more");
    lab.now += 10 * DAY;
    expect(done(await lab.curate())).toEqual(["idle: active -> archived"]);
  });

  it("[K8] has what it archived restored with the same bytes, and begins to wait anew", async () => {
    const lab = await warmLab();
    lab.now -= 100 * DAY;
    await lab.agentSkill("old");
    lab.now += 100 * DAY;
    const { hash } = await hashSkill(await readSkillFiles(lab.parts, "skills/old"));
    await lab.curate();
    const move = { kind: "restore" } as const;
    const restored = { name: "old", move, live: null, by: "user:ann", op: "restore" };
    expect(await lab.skills.move(restored)).toBe(hash);
    expect(await lab.usageOf("old")).toMatchObject({ state: "active", archivedAt: null });
    lab.now += staleAfterMs - 1;
    expect(done(await lab.curate())).toEqual([]);
    lab.now += intervalMs;
    expect(done(await lab.curate())).toEqual(["old: active -> stale"]);
  });

  it("[K7] never touches what is pinned, what people made, what they made the agent's skill into, nor other layers", async () => {
    const template = { "skills/bundled/SKILL.md": skillText("bundled") };
    const lab = new CuratorLab({ template });
    await lab.warmUp();
    lab.now -= 200 * DAY;
    for (const name of ["pinned", "theirs", "old"]) await lab.agentSkill(name);
    await lab.agentSkill("theirs", { createdBy: "person" });
    await lab.humanSkill("human");
    await lab.humanSkill("human-too", ".agents/skills/human-too");
    await lab.use("pinned", { pinned: true });
    await lab.use("bundled", { lastUsedAt: lab.now });
    lab.now += 200 * DAY;
    const shown = () =>
      Promise.all(
        ["skills/pinned", "skills/theirs", "skills/human", ".agents/skills/human-too"].map(
          (directory) => lab.files(directory),
        ),
      );
    const before = await shown();
    expect(done(await lab.curate())).toEqual(["old: active -> archived"]);
    expect(await shown()).toEqual(before);
    expect(await lab.text("skills/bundled/SKILL.md")).toBe(skillText("bundled"));
    for (const name of ["pinned", "theirs", "human", "bundled"])
      expect((await lab.usageOf(name))?.state ?? "active").toBe("active");
  });

  it("[K7] touches neither of two skills that have one name, and says so", async () => {
    const lab = await warmLab();
    lab.now -= 200 * DAY;
    await lab.agentSkill("twice");
    await lab.put("skills/other/SKILL.md", skillText("twice"));
    lab.now += 200 * DAY;
    const run = await lab.curate();
    expect(done(run)).toEqual([]);
    expect(await lab.report(run)).toContain("two directories have this name\n\n- `twice`");
  });

  it("[K8] archives all files as they are, with what restoring needs, and shows a lower skill again", async () => {
    const template = { "skills/old/SKILL.md": skillText("old") };
    const lab = new CuratorLab({ template });
    await lab.warmUp();
    lab.now -= 100 * DAY;
    await lab.agentSkill("old");
    await lab.change({
      kind: "write",
      path: "skills/old/assets/a.bin",
      content: { bytes: new Uint8Array([0, 255, 1]) },
      executable: true,
    });
    await lab.promoted("old");
    lab.now += 100 * DAY;
    const files = await readSkillFiles(lab.parts, "skills/old");
    const { hash } = await hashSkill(files);
    const run = await lab.curate();
    expect(run.transitions).toMatchObject([{ name: "old", to: "archived", hash }]);
    const [archived] = await lab.archived();
    expect(archived).toMatchObject({
      name: "old",
      was: "skill",
      hash,
      from: "skills/old",
      provenance: { createdBy: "agent", promotedBy: "user:ann" },
    });
    const kept = await readSkillFiles(lab.parts, `skills/.archive/${archived?.directory}`);
    expect((await hashSkill(kept)).hash).toBe(hash);
    expect(await lab.usageOf("old")).toMatchObject({ state: "archived", archivedAt: lab.now });
    expect(await lab.files("skills/old").catch(() => [])).toEqual([]);
    expect(await lab.text("skills/old/SKILL.md")).toBe(skillText("old"));
  });

  it("[K7] leaves alone what a person has changed since it was promoted, or has made anew under its name", async () => {
    const lab = await warmLab();
    lab.now -= 100 * DAY;
    for (const name of ["edited", "remade", "agents"]) await lab.agentSkill(name);
    await lab.put("skills/edited/scripts/run.py", "print('mine')\n");
    await lab.change({ kind: "delete", path: "skills/remade" });
    await lab.put("skills/remade/SKILL.md", `${skillText("remade")}Mine.\n`);
    lab.now += 100 * DAY;
    const run = await lab.curate();
    expect(run.transitions.map(({ name }) => name)).toEqual(["agents"]);
    expect(await lab.files("skills/remade")).toHaveLength(1);
    // Nothing is left that could ever be put away: the bucket rests.
    expect(run.lookAt).toBeNull();
  });

  it("[K7] is not kept from the agent's by any number of them", async () => {
    const lab = await warmLab();
    lab.now -= 200 * DAY;
    const made = Array.from({ length: 201 }, (_, no) => `old-${no}`);
    for (const name of made) await lab.agentSkill(name, { hash: "0".repeat(64) });
    lab.now += DAY;
    await lab.agentSkill("agents");
    lab.now += 199 * DAY;
    expect((await lab.curate()).transitions.map(({ name }) => name)).toEqual(["agents"]);
  });

  it("[K6] writes down every decision with the hashes of before and after", async () => {
    const lab = await warmLab();
    lab.now -= 100 * DAY;
    for (const name of ["away", "back", "tired"]) await lab.agentSkill(name);
    await lab.draft("idea");
    lab.now += 100 * DAY;
    await lab.use("back", { state: "stale", lastUsedAt: lab.now });
    await lab.use("tired", { lastUsedAt: lab.now - 40 * DAY });
    const hashes = new Map<string, string>();
    for (const [name, place] of [
      ["away", "skills/away"],
      ["back", "skills/back"],
      ["tired", "skills/tired"],
      ["idea", "skills/_drafts/idea"],
    ] as const)
      hashes.set(name, (await hashSkill(await readSkillFiles(lab.parts, place))).hash);
    await lab.curate();
    const lines = await lab.audit();
    const line = (target: string) => lines.find((one) => one.target === target);
    expect(lines).toHaveLength(4);
    for (const [target, decision, isGone] of [
      ["away", "active -> archived", true],
      ["back", "stale -> active", false],
      ["tired", "active -> stale", false],
      ["idea", "draft -> archived", true],
    ] as const)
      expect(line(target)).toMatchObject({
        ts: new Date(lab.now).toISOString(),
        actor: "job:curator",
        op: "curate",
        decision,
        beforeHash: hashes.get(target),
        afterHash: isGone ? null : hashes.get(target),
        reason: expect.stringMatching(/since|again/),
      });
  });
});

describe("a dry run of the curator", () => {
  it("[K7] says what a run would do now, also before its time, and writes nothing", async () => {
    const lab = new CuratorLab();
    await lab.agentSkill("old");
    await lab.draft("idea");
    lab.now += 100 * DAY;
    const before = await lab.files();
    const run = await lab.curate({ dry: true });
    expect(run).toMatchObject({ state: "reported", report: null });
    expect(done(run).toSorted()).toEqual(["idea: draft -> archived", "old: active -> archived"]);
    expect(await lab.files()).toEqual(before);
  });
});
