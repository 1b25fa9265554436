import { describe, expect, it } from "vitest";
import { planDelete, planReset, planWrite } from "../../../src/workspace/layers/overlay-change.ts";
import { createOverlay } from "../../../src/workspace/layers/overlay.ts";
import { apply, at, lines, textLayer } from "../../support/layers.ts";
import { WorkspaceLab } from "../../support/workspace-lab.ts";

const lower = () =>
  textLayer("template", {
    ".agents/skills/pdf/SKILL.md": "t",
    ".agents/skills/pdf/run.py": "t",
    ".agents/skills/csv/SKILL.md": "t",
  });

describe("a skill in .agents/skills", () => {
  it("[K2] overrides as a whole", () => {
    const own = textLayer("own", { ".agents/skills/pdf/SKILL.md": "o" });
    expect(lines(own, lower())).toEqual([
      ".agents/skills/csv/SKILL.md template t",
      ".agents/skills/pdf/SKILL.md own o",
    ]);
  });

  it("[K2] is copied up whole by a change, deleted whole, and shows again whole", () => {
    const [own, below] = [textLayer("own"), lower()];
    const overlay = () => createOverlay([own, below]);
    const path = at(".agents/skills/pdf/SKILL.md");
    apply(own, planWrite(overlay(), path));
    own.files.set(path, "o");
    expect(lines(own, below)).toContain(".agents/skills/pdf/run.py own t");
    apply(own, planDelete(overlay(), at(".agents/skills/pdf")));
    expect([...own.whiteouts]).toEqual([".agents/skills/pdf"]);
    expect(lines(own, below)).toEqual([".agents/skills/csv/SKILL.md template t"]);
    apply(own, planReset(overlay(), at(".agents/skills/pdf/run.py")));
    expect(lines(own, below)).toEqual(lines(lower()));
  });
});

describe("what is fetched for all users", () => {
  it("[K2] shows from the shared layer, file by file, and other records do not", () => {
    const shared = textLayer("shared", {
      ".skills-cache/hub/index.json": "s",
      ".skills-cache/hub/1/SKILL.md": "s",
      ".index/a": "s",
    });
    expect(lines(textLayer("own"), shared)).toEqual([
      ".skills-cache/hub/1/SKILL.md shared s",
      ".skills-cache/hub/index.json shared s",
    ]);
  });
});

describe("a bucket that hides a skill of .agents/skills", () => {
  const template = { ".agents/skills/pdf/SKILL.md": "t", ".agents/skills/csv/SKILL.md": "t" };
  const shown = async (lab: WorkspaceLab) =>
    (await lab.workspace().tree({ recursive: true })).entries.map(({ path }) => path);

  it("[W6, W11] hides it after a rebuild from the store, and where its archive is imported", async () => {
    const lab = new WorkspaceLab({ template });
    await lab.workspace().change({
      by: "user:ann",
      changes: [{ kind: "delete", path: ".agents/skills/pdf" }],
    });
    await lab.pass(60_000);
    lab.restart({ loss: true });
    expect(await shown(lab)).toEqual([".agents/skills/csv/SKILL.md"]);
    const whiteouts = await lab.workspace().whiteouts();
    expect(whiteouts).toEqual([".agents/skills/pdf"]);

    const other = new WorkspaceLab({ template });
    await other.workspace().stageImport("i1", { no: 0, changes: [], whiteouts });
    await other.workspace().commitImport("i1", "user:bo");
    expect(await shown(other)).toEqual([".agents/skills/csv/SKILL.md"]);
  });

  it("[W15] keeps the versions of its files, and undoes a change", async () => {
    const workspace = new WorkspaceLab({ template }).workspace();
    const path = ".agents/skills/pdf/SKILL.md";
    await workspace.change({
      by: "user:ann",
      changes: [{ kind: "write", path, content: { text: "mine" } }],
    });
    await workspace.change({ by: "user:ann", changes: [{ kind: "undo", path }] });
    expect((await workspace.read({ path })).content).toEqual({ text: "t" });
  });
});
