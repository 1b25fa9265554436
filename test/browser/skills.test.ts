import { describe, expect, it } from "vitest";
import { useDesk } from "./desk.ts";
import { archived, candidate, draft, hash, noSkills, skill } from "./served-skills.ts";

const desk = useDesk();
const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };

const panel = () => desk().page.getByRole("complementary", { name: "Skills" });
const item = (text: string) => panel().getByRole("listitem").filter({ hasText: text }).first();
const button = (name: string | RegExp) => panel().getByRole("button", { name });

async function open(options?: typeof phone): Promise<void> {
  await desk().open(options);
  await desk()
    .page.locator(options ? "#top-skills" : "#open-skills")
    .click();
}

/** A draft of a new version with a script, as the agent made it. */
function hasDraft(): void {
  const { skills } = desk().server;
  const pending = draft("deploy", { base: "cd".repeat(32), verdict: "caution", files: 2 });
  const file = { size: 10, executable: false, live: null, diff: null };
  skills.drafts = [pending];
  skills.candidates.set(
    "deploy",
    candidate(pending, {
      files: [
        {
          ...file,
          path: "SKILL.md",
          sha256: "1",
          text: "one\ntwo\n",
          live: { sha256: "2", size: 8, executable: false, text: "one\nold\n" },
          diff: [
            {
              oldStart: 1,
              newStart: 1,
              lines: [
                { kind: "same", text: "one" },
                { kind: "removed", text: "old" },
                { kind: "added", text: "two\u202e" },
              ],
            },
          ],
        },
        { ...file, path: "scripts/go.sh", sha256: "3", executable: true, text: "#!/bin/sh\n" },
      ],
      scan: {
        verdict: "caution",
        findings: [
          {
            rule: "crontab",
            category: "persistence",
            verdict: "caution",
            path: "scripts/go.sh",
            line: 3,
            excerpt: "crontab -e",
            why: "It plans work for later.",
          },
        ],
      },
    }),
  );
}

describe("the skills panel", () => {
  it("[K4] says of every skill whose it is, how it is used, and what is odd about it", async () => {
    desk().server.skills.overview = {
      ...noSkills,
      skills: [
        skill("pdf", {
          usage: { useCount: 3, viewCount: 1, lastUsedAt: Date.now(), lastViewedAt: null },
          pinned: true,
        }),
        skill("minutes", { source: "template", warnings: ["Its name is not its directory's."] }),
        skill("xlsx", { source: "office", isRepository: true, state: "stale" }),
      ],
      archived: [archived("old")],
      leftOut: [{ what: "skills/broken", name: null, kind: "bad", why: "It has no description." }],
    };
    await open();
    await item("pdf").getByText("yours · used 3 times, last just now").waitFor();
    await item("pdf").getByText("pinned").waitFor();
    await item("minutes").getByText("comes with the agent · never used").waitFor();
    await item("minutes").getByText("1 warning").click();
    await item("minutes").getByText("Its name is not its directory's.").waitFor();
    await item("xlsx").getByText("from office").waitFor();
    await item("xlsx").getByText("long unused").waitFor();
    expect(await button(/^Put away: /).count()).toBe(1);
    await panel().getByText("Left out: 1").click();
    await panel().getByText("It has no description.").waitFor();
  });

  it("[K5] shows every file of a draft, what would change and what was found, and puts it to use", async () => {
    hasDraft();
    await open();
    await item("deploy").getByText("a new version, by your agent, 2 hours ago").waitFor();
    await button("Review: deploy").click();
    await panel().getByText("It plans work for later.").waitFor();
    await panel().getByText("scripts/go.sh:3").waitFor();
    expect(await panel().locator("del").allInnerTexts()).toEqual(["old"]);
    expect(await panel().locator("ins").allInnerTexts()).toEqual(["two⟨U+202E⟩", "#!/bin/sh"]);
    await panel().getByText("can be run").waitFor();
    const { skills } = desk().server;
    skills.onChange = () => (skills.drafts = []);
    await button("Put it to use").click();
    await panel().getByText("“deploy” is in use from the next message on.").waitFor();
    await panel().getByText("There are no skills yet.").waitFor();
    const [asked] = skills.asked;
    expect(asked).toMatchObject({ path: "deploy/promote", body: JSON.stringify({ hash }) });
  });

  it("turns a draft down with a reason, and puts one off", async () => {
    hasDraft();
    await open();
    await button("Review: deploy").click();
    await panel().getByRole("textbox", { name: "Why it is turned down" }).fill("Too short");
    await button("Turn down").click();
    await panel().getByText("“deploy” was turned down. The draft is kept below.").waitFor();
    await button("Review: deploy").click();
    await button("Not now").click();
    await panel().getByText("“deploy” is put off.").waitFor();
    const bodies = desk().server.skills.asked.map(({ path, body }) => [path, JSON.parse(body)]);
    expect(bodies).toEqual([
      ["deploy/reject", { hash, reason: "Too short" }],
      ["deploy/defer", { hash, days: 7 }],
    ]);
  });

  it("[K5] a draft that changed meanwhile is not put to use unseen: it is shown as it is now", async () => {
    hasDraft();
    await open();
    await button("Review: deploy").click();
    await button("Put it to use").waitFor();
    const { skills } = desk().server;
    const changed = draft("deploy", { hash: "ef".repeat(32), description: "Another one." });
    skills.candidates.set("deploy", candidate(changed));
    const message = "The draft has changed. Look at it again.";
    skills.refusals.push({ of: "deploy/promote", status: 409, code: "conflict", message });
    await button("Put it to use").click();
    await panel().getByText(message).waitFor();
    await panel().getByText("Another one.").waitFor();
    await button("Put it to use").click();
    await expect
      .poll(() => skills.asked.map(({ body }) => JSON.parse(body).hash))
      .toEqual([hash, "ef".repeat(32)]);
  });

  it("does not offer what cannot be done: a dangerous draft, a conflict", async () => {
    const { skills } = desk().server;
    const bad = draft("bad", { verdict: "dangerous" });
    const taken = draft("taken");
    skills.drafts = [bad, taken];
    skills.candidates.set("bad", candidate(bad));
    skills.candidates.set("taken", candidate(taken, { conflict: "The name is taken by now." }));
    await open();
    await button("Review: bad").click();
    expect(await button("Put it to use").isDisabled()).toBe(true);
    await button("← All skills").click();
    await button("Review: taken").click();
    await panel().getByText("The name is taken by now.").waitFor();
    expect(await button("Put it to use").isDisabled()).toBe(true);
  });

  it("[K8] puts a skill away when the person means it, and brings it back", async () => {
    const { skills } = desk().server;
    skills.overview = { ...noSkills, skills: [skill("pdf")] };
    await open();
    await button("Put away: pdf").click();
    await desk().page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(skills.asked).toEqual([]);
    await button("Put away: pdf").click();
    skills.onChange = () => (skills.overview = { ...noSkills, archived: [archived("pdf")] });
    await desk().page.getByRole("dialog").getByRole("button", { name: "Put away" }).click();
    await panel().getByText("“pdf” was put away. It can be brought back below.").waitFor();
    await panel().getByText("Put away: 1").click();
    await button("Bring back: pdf").click();
    await panel().getByText("“pdf” is back in use.").waitFor();
    expect(skills.asked.map(({ path }) => path)).toEqual(["pdf/archive", "pdf/restore"]);
    expect(skills.asked[1]?.body).toBe('{"archived":"skills/.archive/pdf-20310505120000"}');
  });

  it("a link to a draft opens its review, once", async () => {
    hasDraft();
    await desk().open({}, "?skill=deploy");
    await panel().getByText("It plans work for later.").waitFor();
    expect(new URL(desk().page.url()).search).toBe("");
  });

  it("on a phone it covers the conversation, is read by people who may not review, and closes", async () => {
    const { skills } = desk().server;
    skills.mayReview = false;
    skills.overview = { ...noSkills, skills: [skill("pdf")] };
    await open(phone);
    await item("pdf").waitFor();
    const width = await desk().page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(390);
    await button("Close the skills").click();
    expect(await panel().count()).toBe(0);
  });
});
