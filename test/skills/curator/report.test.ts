import { describe, expect, it } from "vitest";
import { noteSuggestions } from "../../../src/skills/bucket/curator/suggestions.ts";
import { hashSkill } from "../../../src/skills/format/hash.ts";
import { defaultCurator } from "../../../src/skills/config.ts";
import { CuratorLab, DAY, skillText } from "./curator-lab.ts";

/** A lab with one of each kind; its next run acts. */
async function labOfAll() {
  const lab = new CuratorLab();
  lab.now -= 95 * DAY;
  for (const name of ["pdf-fill", "pdf-old", "pinned", "tired", "revived"])
    await lab.agentSkill(name);
  await lab.humanSkill("pdf-read");
  await lab.humanSkill("pdf");
  lab.now += 95 * DAY;
  await lab.draft("idea", { deferredUntil: lab.now + 40 * DAY });
  await lab.use("pinned", { pinned: true });
  await lab.use("pdf-fill", { lastUsedAt: lab.now });
  await lab.use("tired", { lastUsedAt: lab.now - 40 * DAY });
  await lab.use("revived", { state: "stale", lastViewedAt: lab.now - DAY });
  return lab;
}

const REPORT = `# Curator, 2026-11-30 12:00 UTC

1 archived, 1 stale, 1 active again, 0 drafts expired. Nothing was deleted: what is in the archive can be restored with all its files.

It looks at skills that the agent made and nobody has pinned: unused for 30 days they are stale, for 90 days they are archived. A draft that nobody decides about for 30 days is put away, too.

## What was done

- \`pdf-old\`: active -> archived. Not used since 2026-08-27, for 95 days.
- \`tired\`: active -> stale. Not used since 2026-10-21, for 40 days.
- \`revived\`: stale -> active. Used or changed again on 2026-11-29.

## Stale

- \`tired\`: not used since 2026-10-21; to be archived from 2027-01-19 on

## Pinned, so left alone

- \`pinned\`

## Drafts that wait for a decision

- \`idea\`: changed on 2026-11-30; to be put away from 2027-01-09 on

## Names that begin alike

A person may want to make one skill of some of them. The curator never does.

- \`pdf\`: \`pdf\`, \`pdf-fill\`, \`pdf-read\`
`;

describe("a curator's report", () => {
  it("[S7] says when, what was done and why, and what a person may want to look at", async () => {
    const lab = await labOfAll();
    await lab.warmUp();
    const run = await lab.curate();
    expect(run.report).toBe("skills/.curator_reports/20261130-120000");
    expect(await lab.report(run)).toBe(REPORT);
    expect(run.clusters).toEqual([
      {
        prefix: "pdf",
        names: ["pdf", "pdf-fill", "pdf-read"],
        descriptions: ["pdf", "pdf-fill", "pdf-read"].map((name) => `Does what ${name} is for.`),
      },
    ]);
    expect(await lab.state()).toMatchObject({
      lastReport: run.report,
      lastSummary: "1 archived, 1 stale, 1 active again, 0 drafts expired.",
    });
  });

  it("[S7] of a first run says that all of it would only have been", async () => {
    const lab = await labOfAll();
    const run = await lab.curate({ now: true });
    const text = (await lab.report(run)) ?? "";
    expect(text).toContain("Only looked: it would have been 1 archived, 1 stale, 1 active again");
    expect(text).toContain("## What would be done\n\n- `pdf-old`: active -> archived.");
    expect(text).toContain("## Stale\n\n- `revived`");
  });

  it("[K7] is kept with the 19 before it, also by a clock that was set back and twice in a second", async () => {
    const lab = new CuratorLab();
    await lab.agentSkill("it");
    await lab.put("skills/.curator_reports/notes.md", "A person's.");
    const reports: (string | null)[] = [];
    for (let no = 0; no < 24; no++) {
      if (no > 1) lab.now += DAY;
      reports.push((await lab.curate({ now: true })).report);
    }
    lab.now -= 60 * DAY;
    reports.push((await lab.curate({ now: true })).report);
    expect(reports[1]).toBe("skills/.curator_reports/20261130-120000-2");
    const kept = await lab.files("skills/.curator_reports");
    const directories = kept.map((line) => line.slice(0, line.indexOf("/REPORT.md")));
    expect(kept).toHaveLength(21);
    expect(directories).toEqual(expect.arrayContaining(reports.slice(-20)));
    expect(await lab.text("skills/.curator_reports/notes.md")).toBe("A person's.");
  });

  it("[K7] and its run are bounded; what is left is said, and done by the next run", async () => {
    const lab = new CuratorLab();
    lab.now -= 100 * DAY;
    const names = Array.from({ length: 230 }, (_, no) => `a${String(no).padStart(3, "0")}-x`);
    const provenance = {
      created_by: "agent",
      created_at: new Date(lab.now).toISOString(),
      promoted_at: new Date(lab.now).toISOString(),
      promoted_by: "user:ann",
    };
    const entries = await Promise.all(
      names.map(async (name) => {
        const content = { text: skillText(name) };
        const { hash } = await hashSkill([{ path: "SKILL.md", content, executable: false }]);
        return [name, { ...provenance, hash }];
      }),
    );
    await lab.put("skills/.provenance.json", JSON.stringify(Object.fromEntries(entries)));
    await lab.change(
      ...names.map((name) => {
        const content = { text: skillText(name) };
        return { kind: "write", path: `skills/${name}/SKILL.md`, content } as const;
      }),
    );
    lab.now += 100 * DAY;
    await lab.warmUp();
    const first = await lab.curate();
    expect(first.transitions).toHaveLength(200);
    expect(first.lookAt).toBe(lab.now + defaultCurator.intervalMs);
    expect(await lab.report(first)).toContain("\nAnd 30 more.\n");
    lab.now += defaultCurator.intervalMs;
    expect((await lab.curate()).transitions).toHaveLength(30);
    expect(await lab.archived()).toHaveLength(230);
    expect(await lab.audit()).toHaveLength(230);
  });

  it("[K7] has no run do more than one request can, whatever the number of files", async () => {
    const lab = new CuratorLab();
    lab.now -= 100 * DAY;
    for (const name of ["one", "two", "six"]) {
      await lab.agentSkill(name);
      const files = Array.from({ length: 320 }, (_, no) => `skills/${name}/assets/${no}.txt`);
      const content = { text: "x" };
      await lab.change(...files.map((path) => ({ kind: "write", path, content }) as const));
      await lab.promoted(name);
    }
    lab.now += 100 * DAY;
    await lab.warmUp();
    const run = await lab.curate();
    expect([run.transitions.length, run.lookAt]).toEqual([2, lab.now + defaultCurator.intervalMs]);
    lab.now += defaultCurator.intervalMs;
    expect((await lab.curate()).transitions).toHaveLength(1);
  });

  it("[K7] shows hostile names as they are, on one line", async () => {
    const lab = new CuratorLab();
    const name = "x`](http://evil) # Curator";
    await lab.put(
      "skills/odd/SKILL.md",
      `---\nname: ${JSON.stringify(name)}\ndescription: d\n---\nb\n`,
    );
    await lab.use(name, { pinned: true });
    const run = await lab.curate({ now: true });
    expect(await lab.report(run)).toContain("\n- `x'](http://evil) # Curator`\n");
  });
});

describe("what a model suggests about it", () => {
  async function reported() {
    const lab = await labOfAll();
    const run = await lab.curate({ now: true });
    return { lab, run, report: run.report ?? "" };
  }

  it("[K7] is a quotation at its end that says so, once, and changes no skill", async () => {
    const { lab, run, report } = await reported();
    const before = (await lab.files("skills")).filter((line) => !line.includes("REPORT.md"));
    const text = await lab.report(run);
    await noteSuggestions(lab.parts, report, " Make one of pdf-*.\u2028## Pinned\r\n\n- all\n");
    const after = await lab.report(run);
    expect(after).toBe(
      `${text}\n## What a model suggests\n\nA model wrote this about the names that begin alike. Nothing of it was done, and nothing of it is an instruction: a person decides.\n\n> Make one of pdf-*.\n> ## Pinned\n>\n> - all\n`,
    );
    await noteSuggestions(lab.parts, report, "Another one.");
    expect(await lab.report(run)).toBe(after);
    expect((await lab.files("skills")).filter((line) => !line.includes("REPORT.md"))).toEqual(
      before,
    );
  });

  it("[K7] has at most 4,000 characters", async () => {
    const { lab, run, report } = await reported();
    const before = ((await lab.report(run)) ?? "").length;
    await noteSuggestions(lab.parts, report, "x".repeat(1_000_000));
    expect(((await lab.report(run)) ?? "").length - before).toBeLessThan(4_300);
  });

  it("[H1] goes nowhere but into a report that is there", async () => {
    const { lab } = await reported();
    const before = await lab.files();
    for (const path of [
      "skills/.curator_reports/20200101-000000",
      "skills/.curator_reports/../../AGENTS.md",
      "skills/pdf",
      "",
      "x".repeat(100_000),
    ])
      await expect(noteSuggestions(lab.parts, path, "text")).rejects.toMatchObject({
        code: "not_found",
      });
    const { report } = await reported();
    await expect(noteSuggestions(lab.parts, report, " \n")).rejects.toMatchObject({
      code: "invalid",
    });
    expect(await lab.files()).toEqual(before);
  });
});
