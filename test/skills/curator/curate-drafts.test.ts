import { describe, expect, it } from "vitest";
import { defaultCurator } from "../../../src/skills/config.ts";
import { CuratorLab } from "./curator-lab.ts";

const { draftExpiresMs, intervalMs } = defaultCurator;

/** A lab whose next run acts. */
async function warmLab() {
  const lab = new CuratorLab();
  await lab.warmUp();
  return lab;
}

describe("the curator of drafts", () => {
  it("[K7] puts drafts away that nobody decides about, to the millisecond, unless they were put off for longer", async () => {
    const lab = await warmLab();
    const { now } = lab;
    const deferred = (deferredUntil: number) => ({ deferredUntil });
    lab.now = now - draftExpiresMs - 1;
    // It only says that a skill is to be archived, so it has no files.
    await lab.draft("retired", { action: "archive", base: "of the skill" });
    await lab.change({ kind: "delete", path: "skills/_drafts/retired" });
    lab.now += 1;
    await lab.draft("due");
    await lab.draft("later", deferred(now + 1));
    await lab.draft("put-off", deferred(now));
    await lab.draft("edited");
    lab.now += 1;
    await lab.draft("young");
    await lab.put("skills/_drafts/edited/references/more.md", "by hand");
    lab.now = now;
    const run = await lab.curate();
    expect(run.transitions.map(({ name }) => name)).toEqual(["retired", "due", "put-off"]);
    expect(run.transitions[0]?.hash).toBe("of the skill");
    const archived = await lab.archived();
    expect(archived.map(({ name, was, provenance }) => [name, was, provenance])).toEqual([
      ["due", "draft", null],
      ["put-off", "draft", null],
    ]);
    expect(archived[0]?.why).toMatch(/^Expired: nobody decided/);
    expect(archived[0]?.draft).toMatchObject({
      origin: "agent",
      changedAt: lab.now - draftExpiresMs,
    });
    expect(await lab.text("skills/_drafts/due/SKILL.md")).toBeNull();
    expect(Object.keys(JSON.parse((await lab.text("skills/.drafts.json")) ?? ""))).toEqual([
      "edited",
      "later",
      "young",
    ]);
  });

  it("[K8] has what it put away restored, which then has as long again", async () => {
    const lab = await warmLab();
    lab.now -= draftExpiresMs;
    await lab.draft("idea");
    lab.now += draftExpiresMs;
    await lab.curate();
    const move = { kind: "restore" } as const;
    await lab.skills.move({ name: "idea", move, live: null, by: "user:ann", op: "restore" });
    lab.now += draftExpiresMs - 1;
    expect((await lab.curate()).transitions).toEqual([]);
    lab.now += intervalMs;
    expect((await lab.curate()).transitions).toMatchObject([{ name: "idea", from: "draft" }]);
  });
});
