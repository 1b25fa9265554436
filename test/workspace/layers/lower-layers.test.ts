import { describe, expect, it } from "vitest";
import { exportArchive } from "../../../src/http/archive-export.ts";
import { importArchive } from "../../../src/http/archive-import.ts";
import type { Change } from "../../../src/shared/workspace-changes.ts";
import { defaultBucketLimits } from "../../../src/workspace/limits.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { seededRandom } from "../../support/random.ts";
import { WorkspaceLab } from "../../support/workspace-lab.ts";

const random = (seed: number, length: number): Uint8Array => {
  const next = seededRandom(seed);
  return Uint8Array.from({ length }, () => Math.floor(next() * 256));
};

const LOGO = random(1, 5_000);
const TOOL = random(2, 20_000);

const template = {
  "AGENTS.md": "1",
  "knowledge/a.md": "1",
  "knowledge/b.md": "1",
  "knowledge/map.png": LOGO,
  "skills/t/SKILL.md": "of the template",
  "skills/t/logo.png": LOGO,
};

const write = (path: string, given: string | Uint8Array): Change => ({
  kind: "write",
  path,
  content: typeof given === "string" ? { text: given } : { bytes: given },
});

const rewrite = (path: string): Change => ({
  kind: "edit",
  path,
  edits: [{ oldText: "of the", newText: "mine, not of the" }],
});

const change = (workspace: Workspace, ...changes: Change[]) =>
  workspace.change({ by: "user:ann", changes });

/** A template with a skill, a shared bucket with another, and ann over both. */
async function threeLayers() {
  const lab = new WorkspaceLab({ template });
  await change(lab.shared(), write("skills/s/SKILL.md", "of the house"));
  await change(lab.shared(), write("skills/s/tool.bin", TOOL), write("house.md", "rules"));
  return { lab, ann: lab.workspace() };
}

/** The layer of a file and a digest of what it holds, as a text. */
async function shown(workspace: Workspace, path: string): Promise<string | null> {
  const { files } = await workspace.readMany({ paths: [path] });
  const [answer] = files;
  if (!answer) return null;
  const { file, content } = answer;
  const is = (bytes: Uint8Array) => "bytes" in content && Buffer.from(bytes).equals(content.bytes);
  const what = "text" in content ? content.text : is(LOGO) ? "LOGO" : is(TOOL) ? "TOOL" : "bytes";
  return `${file.layer} ${what}`;
}

/** The same question now, after all objects ended, and after all but the store was lost. */
async function always(lab: WorkspaceLab, check: () => Promise<void>): Promise<void> {
  await check();
  lab.restart();
  await check();
  await lab.pass(120_000);
  lab.restart({ loss: true });
  await check();
}

describe("bytes of a lower layer", () => {
  it("[W4] [W5] are the same when an edit beside them copies their skill up", async () => {
    const { lab, ann } = await threeLayers();
    for (const skill of ["skills/t", "skills/s"])
      expect(await change(ann, rewrite(`${skill}/SKILL.md`))).toMatchObject([{ touched: 2 }]);
    await change(lab.shared(), { kind: "delete", path: "skills/s" });
    await always(lab, async () => {
      expect(await shown(ann, "skills/t/SKILL.md")).toBe("own mine, not of the template");
      expect(await shown(ann, "skills/t/logo.png")).toBe("own LOGO");
      expect(await shown(ann, "skills/s/SKILL.md")).toBe("own mine, not of the house");
      expect(await shown(ann, "skills/s/tool.bin")).toBe("own TOOL");
    });
  });

  it("[W5] are the same where they are moved, and hidden where they were", async () => {
    const { lab, ann } = await threeLayers();
    await change(ann, { kind: "move", path: "skills/s", to: "skills/mine" });
    await change(ann, { kind: "move", path: "skills/t/logo.png", to: "skills/mine/logo.png" });
    await change(ann, { kind: "move", path: "knowledge/map.png", to: "work/map.png" });
    await always(lab, async () => {
      expect(await shown(ann, "skills/mine/tool.bin")).toBe("own TOOL");
      expect(await shown(ann, "skills/mine/logo.png")).toBe("own LOGO");
      expect(await shown(ann, "work/map.png")).toBe("own LOGO");
      for (const path of ["skills/s/tool.bin", "skills/t/logo.png", "knowledge/map.png"])
        expect(await shown(ann, path)).toBeNull();
      expect(await shown(ann, "skills/t/SKILL.md")).toBe("own of the template");
    });
  });

  it("[W5] [W17] are the same in an archive of all that shows, and where it is imported", async () => {
    const { lab, ann } = await threeLayers();
    await change(ann, rewrite("skills/t/SKILL.md"));
    const options = { directory: "", layer: undefined, whiteouts: false };
    const archive = await new Response(await exportArchive(ann, options)).bytes();
    const other = new WorkspaceLab();
    const bob = other.workspace({ user: "bob" });
    const by = { id: "i", by: "user:bob", limits: defaultBucketLimits };
    const all = await ann.tree({ recursive: true });
    expect(await importArchive(bob, archive, by)).toEqual({ files: all.total, whiteouts: 0 });
    await always(other, async () => {
      for (const { path } of all.entries)
        expect(await shown(bob, path)).toBe((await shown(ann, path))?.replace(/^\w+/, "own"));
      expect(await shown(bob, "skills/t/logo.png")).toBe("own LOGO");
      expect(await shown(bob, "skills/s/tool.bin")).toBe("own TOOL");
    });
    expect(await shown(lab.workspace({ user: "bob" }), "skills/s/tool.bin")).toBe("shared TOOL");
  });
});

describe("a shared file", () => {
  it("[W6] stays hidden when what lay over it is deleted, whatever becomes of it, until a reset", async () => {
    const { lab, ann } = await threeLayers();
    await change(ann, write("house.md", "mine"));
    await change(ann, write("skills/s/tool.bin", "mine"));
    await change(ann, { kind: "delete", path: "house.md" }, { kind: "delete", path: "skills/s" });
    const paths = ["house.md", "skills/s/SKILL.md", "skills/s/tool.bin"];
    await always(lab, async () => {
      for (const path of paths) expect(await shown(ann, path)).toBeNull();
      expect(await ann.whiteouts()).toEqual(["house.md", "skills/s"]);
    });
    await change(lab.shared(), write("house.md", "new rules"), write("skills/s/more.md", "more"));
    await lab.pass(60_000);
    await always(lab, async () => {
      for (const path of [...paths, "skills/s/more.md"]) expect(await shown(ann, path)).toBeNull();
    });
    expect(await shown(lab.workspace({ user: "bob" }), "house.md")).toBe("shared new rules");
    await change(ann, { kind: "reset", path: "house.md" }, { kind: "reset", path: "skills/s" });
    await always(lab, async () => {
      expect(await shown(ann, "house.md")).toBe("shared new rules");
      expect(await shown(ann, "skills/s/tool.bin")).toBe("shared TOOL");
      expect(await shown(ann, "skills/s/more.md")).toBe("shared more");
      expect(await ann.whiteouts()).toEqual([]);
    });
  });
});

describe("a new version of the template", () => {
  it("[W7] reaches everyone who has not overridden it, and leaves deleted what was deleted", async () => {
    const { lab, ann } = await threeLayers();
    const bob = lab.workspace({ user: "bob" });
    await change(ann, write("AGENTS.md", "ann's"), { kind: "delete", path: "knowledge/a.md" });
    await change(ann, { kind: "delete", path: "skills/t" });
    await change(bob, write("knowledge/b.md", ""));
    await lab.pass(60_000);
    lab.template = {
      ...template,
      "AGENTS.md": "2",
      "knowledge/a.md": "2",
      "knowledge/b.md": "2",
      "skills/t/SKILL.md": "second",
      "skills/t/new.md": "new",
      "knowledge/c.md": "new",
    };
    lab.restart();
    const view = async (workspace: Workspace) => {
      const paths = ["AGENTS.md", "knowledge/a.md", "knowledge/b.md", "knowledge/c.md"];
      const skill = ["skills/t/SKILL.md", "skills/t/new.md"];
      return Promise.all([...paths, ...skill].map((path) => shown(workspace, path)));
    };
    await always(lab, async () => {
      expect(await view(ann)).toEqual([
        "own ann's",
        null,
        "template 2",
        "template new",
        null,
        null,
      ]);
      expect(await view(bob)).toEqual([
        "template 2",
        "template 2",
        "own ",
        "template new",
        "template second",
        "template new",
      ]);
    });
    await change(ann, { kind: "reset", path: "" });
    expect(await view(ann)).toEqual(await view(lab.workspace({ user: "carl" })));
  });

  it("[W7] in which a file is no more takes it from all but those who have their own", async () => {
    const { lab, ann } = await threeLayers();
    await change(ann, write("knowledge/a.md", "ann's"));
    lab.template = { "AGENTS.md": "2" };
    lab.restart();
    await always(lab, async () => {
      expect(await shown(ann, "knowledge/a.md")).toBe("own ann's");
      expect(await shown(lab.workspace({ user: "bob" }), "knowledge/a.md")).toBeNull();
    });
  });
});
