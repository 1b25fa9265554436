import { describe, expect, it } from "vitest";
import type { Snapshot, SnapshotRequest } from "../../../src/shared/workspace-snapshot.ts";
import { createSnapshots } from "../../../src/workspace/read/snapshot.ts";
import { layersOver, templateOf } from "../../support/bucket-parts.ts";
import { readableBucket, sharedBy } from "../../support/readable-bucket.ts";

const asked: SnapshotRequest = {
  known: null,
  files: [],
  lists: [],
  skills: ["skills", ".agents/skills"],
};

type Layers = ReturnType<typeof layersOver>;

async function take(
  snapshots: ReturnType<typeof createSnapshots>,
  request: Partial<SnapshotRequest> = {},
): Promise<Snapshot> {
  const answer = await snapshots({ ...asked, ...request });
  if (answer === "unchanged") throw new Error("unchanged from nothing");
  return answer;
}

const snapshot = (layers: Layers, request: Partial<SnapshotRequest> = {}): Promise<Snapshot> =>
  take(createSnapshots(layers), request);

describe("the skills of a snapshot", () => {
  it("[K2] are one for each directory, of the layer that shows, by directory", async () => {
    const own = readableBucket({
      "skills/a/SKILL.md": "own a",
      "skills/b/scripts/run.py": "no SKILL.md",
      ".agents/skills/c/SKILL.md": "own c",
      "skills/_drafts/d/SKILL.md": "draft",
      "skills/.archive/d/SKILL.md": "archived",
      "skills/README.md": "no skill",
    });
    const shared = sharedBy(
      readableBucket({ "skills/a/SKILL.md": "shared a", "skills/e/SKILL.md": "shared e" }),
    );
    const template = templateOf({
      "skills/e/SKILL.md": "template e",
      "skills/b/SKILL.md": "template b",
      ".agents/skills/f/skill.md": "template f",
    });
    const { skills } = await snapshot(layersOver(own, { shared, template }));
    const row = (directory: string, layer: string, head: string | null, file = "SKILL.md") => ({
      directory,
      layer,
      path: head === null ? null : `${directory}/${file}`,
      head,
    });
    expect(skills).toEqual([
      row(".agents/skills/c", "own", "own c"),
      row(".agents/skills/f", "template", "template f", "skill.md"),
      row("skills/a", "own", "own a"),
      row("skills/b", "own", null),
      row("skills/e", "shared", "shared e"),
    ]);
  });

  it("[K1] prefer SKILL.md to another case of letters, and have no head of what is no text", async () => {
    const own = readableBucket({ "skills/a/skill.md": "lower", "skills/a/SKILL.md": "exact" });
    own.write("skills/b/SKILL.md", new Uint8Array([0]));
    own.write("skills/c/Skill.MD", "odd");
    const { skills } = await snapshot(layersOver(own));
    expect(skills?.map(({ path, head }) => [path, head])).toEqual([
      ["skills/a/SKILL.md", "exact"],
      ["skills/b/SKILL.md", null],
      ["skills/c/Skill.MD", "odd"],
    ]);
    expect(own.fetched).toEqual([]);
  });

  it("are absent where none are asked for, and hidden ones are not there", async () => {
    const own = readableBucket({ "skills/a/SKILL.md": "a" });
    own.hide("skills/b");
    const template = templateOf({ "skills/b/SKILL.md": "b" });
    const layers = layersOver(own, { template });
    expect((await snapshot(layers)).skills?.map(({ directory }) => directory)).toEqual([
      "skills/a",
    ]);
    const { skills: _skills, ...bare } = asked;
    expect(await createSnapshots(layers)(bare)).not.toHaveProperty("skills");
    expect((await snapshot(layers, { skills: [] })).skills).toEqual([]);
  });

  it("of the shared layer cost no call, however many there are", async () => {
    const many = Array.from({ length: 300 }, (_, at) => [`skills/s${at}/SKILL.md`, `head ${at}`]);
    const shared = sharedBy(readableBucket(Object.fromEntries(many)));
    const { skills } = await snapshot(layersOver(readableBucket(), { shared }));
    expect(skills).toHaveLength(300);
    expect(skills?.every(({ head }) => head?.startsWith("head "))).toBe(true);
    expect(shared.asked).toEqual(["manifest null"]);
  });

  it("come without bodies, and are no longer read once they are known", async () => {
    const head = "---\nname: a\ndescription: b\n---\n";
    const own = readableBucket({ "skills/a/SKILL.md": head + "body ".repeat(10_000) });
    const read: string[] = [];
    const counted: typeof own.contents.read = (row) => {
      read.push(row.path);
      return own.contents.read(row);
    };
    const contents = { ...own.contents, read: counted };
    const snapshots = createSnapshots(layersOver({ rows: own.rows, contents }));
    const { version: known, skills } = await take(snapshots);
    expect(skills?.[0]?.head?.startsWith(head)).toBe(true);
    expect(skills?.[0]?.head?.length).toBeLessThan(1_000);
    expect(await snapshots({ ...asked, known })).toBe("unchanged");
    own.write("MEMORY.md", "1");
    await take(snapshots, { files: ["MEMORY.md"] });
    expect(read).toEqual(["skills/a/SKILL.md", "MEMORY.md"]);
    own.write("skills/a/SKILL.md", "2");
    expect((await take(snapshots)).skills?.[0]?.head).toBe("2");
  });

  it("[C2] make another version whenever a SKILL.md or a directory changes, and only then", async () => {
    const own = readableBucket({ "skills/a/SKILL.md": "1", "skills/a/ref.md": "1" });
    const layers = layersOver(own, { template: templateOf({ "skills/t/SKILL.md": "t" }) });
    let { version: known } = await snapshot(layers);
    const isUnchanged = async () =>
      (await createSnapshots(layers)({ ...asked, known })) === "unchanged";
    own.write("skills/a/ref.md", "2");
    own.write("skills/.usage.json", "{}");
    own.write("skills/_drafts/x/SKILL.md", "x");
    expect(await isUnchanged()).toBe(true);
    for (const change of [
      () => own.write("skills/a/SKILL.md", "2"),
      () => own.write("skills/b/ref.md", "a directory without SKILL.md"),
      () => own.write(".agents/skills/c/SKILL.md", "c"),
      () => own.hide("skills/t"),
      () => own.remove("skills/a/SKILL.md"),
    ]) {
      change();
      expect(await isUnchanged()).toBe(false);
      known = (await snapshot(layers)).version;
    }
    const other = await snapshot(layers, { skills: ["skills"] });
    expect(other.version).not.toBe(known);
  });

  it("[K1] of which one is damaged are the others, too", async () => {
    const own = readableBucket({ "skills/a/SKILL.md": "a", "skills/b/SKILL.md": "b" });
    own.lose("skills/a/SKILL.md");
    const { skills } = await snapshot(layersOver(own));
    expect(skills?.map(({ path, head }) => [path, head])).toEqual([
      ["skills/a/SKILL.md", null],
      ["skills/b/SKILL.md", "b"],
    ]);
  });

  it("are at most 1,000, those of the first directory asked for before the others", async () => {
    const files = (directory: string, count: number) =>
      Array.from({ length: count }, (_, at) => [`${directory}/${1_000 + at}/SKILL.md`, ""]);
    const template = templateOf(
      Object.fromEntries([...files("skills", 700), ...files(".agents/skills", 700)]),
    );
    const { skills = [] } = await snapshot(layersOver(readableBucket(), { template }));
    expect(skills).toHaveLength(1_000);
    expect(skills.filter(({ directory }) => directory.startsWith("skills/"))).toHaveLength(700);
  });

  it("come with records of the bucket, and with what is fetched for all users", async () => {
    const own = readableBucket({ "skills/.provenance.json": "own" });
    const shared = sharedBy(
      readableBucket({
        "skills/.provenance.json": "another bucket's",
        ".skills-cache/hub-1/index.json": "the index",
        "skills/.usage.json": "another bucket's",
      }),
    );
    const { files } = await snapshot(layersOver(own, { shared }), {
      files: ["skills/.provenance.json", ".skills-cache/hub-1/index.json", "skills/.usage.json"],
    });
    expect(files.map(({ path, layer, text }) => [path, layer, text])).toEqual([
      ["skills/.provenance.json", "own", "own"],
      [".skills-cache/hub-1/index.json", "shared", "the index"],
    ]);
  });
});
