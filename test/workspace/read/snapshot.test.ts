import { describe, expect, it } from "vitest";
import type { Snapshot, SnapshotRequest } from "../../../src/shared/workspace-snapshot.ts";
import { createSnapshots } from "../../../src/workspace/read/snapshot.ts";
import { layersOver, templateOf } from "../../support/bucket-parts.ts";
import { readableBucket, sharedBy } from "../../support/readable-bucket.ts";

type Layers = ReturnType<typeof layersOver>;

const wanted: Omit<SnapshotRequest, "known"> = {
  files: ["AGENTS.md", "/MEMORY.md", "knowledge/KNOWLEDGE.md", "none.md"],
  lists: [
    { directory: "./knowledge/", limit: 2 },
    { directory: "skills", limit: 9 },
  ],
};

async function snapshot(layers: Layers, request: Partial<SnapshotRequest> = {}): Promise<Snapshot> {
  const answer = await createSnapshots(layers)({ ...wanted, known: null, ...request });
  if (answer === "unchanged") throw new Error("unchanged from nothing");
  return answer;
}

const template = { "AGENTS.md": "t", "knowledge/KNOWLEDGE.md": "t", "knowledge/b.md": "t" };

describe("a snapshot", () => {
  it("[W4] has the texts and lists asked for, in that order", async () => {
    const own = readableBucket({ "MEMORY.md": "mine", "knowledge/a.md": "", "x.md": "" });
    const shared = sharedBy(readableBucket({ "AGENTS.md": "shared" }));
    const { files, lists } = await snapshot(
      layersOver(own, { shared, template: templateOf(template) }),
    );
    expect(files).toEqual([
      { path: "AGENTS.md", layer: "shared", size: 6, text: "shared" },
      { path: "MEMORY.md", layer: "own", size: 4, text: "mine" },
      { path: "knowledge/KNOWLEDGE.md", layer: "template", size: 1, text: "t" },
    ]);
    const paths = ["knowledge/KNOWLEDGE.md", "knowledge/a.md"];
    expect(lists).toEqual([
      { directory: "knowledge", paths, total: 3 },
      { directory: "skills", paths: [], total: 0 },
    ]);
  });

  it("[W6] has blank files, and none where one was hidden", async () => {
    const own = readableBucket({ "AGENTS.md": "" });
    own.hide("knowledge/KNOWLEDGE.md");
    const { files } = await snapshot(layersOver(own, { template: templateOf(template) }));
    expect(files).toEqual([{ path: "AGENTS.md", layer: "own", size: 0, text: "" }]);
  });

  it("has no text of what is not text, and fetches none", async () => {
    const own = readableBucket();
    own.write("AGENTS.md", new Uint8Array([0]));
    own.writeLog("a.log.jsonl", "{}\n", "{}\n");
    const { files } = await snapshot(layersOver(own), { files: ["AGENTS.md", "a.log.jsonl"] });
    expect(files.map(({ text }) => text)).toEqual([null, null]);
    expect(own.fetched).toEqual([]);
  });

  it("[W12] of a file whose text is missing is an error", async () => {
    const own = readableBucket({ "AGENTS.md": "x" });
    own.lose("AGENTS.md");
    await expect(snapshot(layersOver(own))).rejects.toThrow("missing");
  });

  it("is unchanged, without reading, until something asked for changes", async () => {
    const own = readableBucket({ "AGENTS.md": "1", "knowledge/a.md": "", "x.md": "" });
    const layers = layersOver(own, { template: templateOf(template) });
    let { version: known } = await snapshot(layers);
    const isUnchanged = async () =>
      (await createSnapshots(layers)({ ...wanted, known })) === "unchanged";
    own.write("x.md", "other");
    own.write("knowledge/a.md", "a listed file's text is not asked for");
    own.lose("AGENTS.md");
    expect(await isUnchanged()).toBe(true);
    const changes: readonly (() => void)[] = [
      () => own.write("AGENTS.md", "1"),
      () => own.write("MEMORY.md", ""),
      () => own.write("knowledge/0.md", ""),
      () => own.write("knowledge/c.md", "beyond the limit, but counted"),
      () => own.hide("knowledge/KNOWLEDGE.md"),
      () => own.remove("AGENTS.md"),
    ];
    for (const change of changes) {
      change();
      expect(await isUnchanged()).toBe(false);
      known = (await snapshot(layers)).version;
      expect(await isUnchanged()).toBe(true);
    }
    const upgraded = templateOf({ ...template, "AGENTS.md": "2" }, "ffffffffffffffff");
    const after = layersOver(own, { template: upgraded });
    expect(await createSnapshots(after)({ ...wanted, known })).not.toBe("unchanged");
  });

  it("of another request has another version", async () => {
    const layers = layersOver(readableBucket());
    const versions = [
      await snapshot(layers),
      await snapshot(layers, { files: [] }),
      await snapshot(layers, { lists: [] }),
      await snapshot(layers, { lists: [{ directory: "knowledge", limit: 3 }] }),
    ].map((it) => it.version);
    expect(new Set(versions).size).toBe(4);
  });

  it("[W3] is of one moment: what changes while it is taken is taken again", async () => {
    const own = readableBucket({ "MEMORY.md": "1" });
    const below = readableBucket({ "AGENTS.md": "1" });
    const source = sharedBy(below);
    let reads = 0;
    const shared = {
      ...source,
      read(path: string) {
        reads += 1;
        if (reads === 1) {
          own.write("MEMORY.md", "2");
          below.write("AGENTS.md", "2");
        }
        return source.read(path);
      },
    };
    const { files } = await snapshot(layersOver(own, { shared }));
    expect(files.map(({ text }) => text)).toEqual(["2", "2"]);
  });

  it("of files that never rest is refused in the end", async () => {
    const own = readableBucket({ "MEMORY.md": "1" });
    const source = sharedBy(readableBucket({ "AGENTS.md": "1", "a.md": "1" }));
    const shared = {
      ...source,
      async read(path: string) {
        own.write("MEMORY.md", "again");
        const { content } = await source.read(path);
        return { etag: "9", content };
      },
    };
    await expect(snapshot(layersOver(own, { shared }))).rejects.toMatchObject({
      code: "overloaded",
    });
  });
});
