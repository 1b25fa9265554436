import { describe, expect, it } from "vitest";
import { CarrelError } from "../../../src/shared/errors.ts";
import type { SharedLayer } from "../../../src/workspace/layers/layers.ts";
import { readFile } from "../../../src/workspace/read/read.ts";
import { at } from "../../support/layers.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { layersOver, templateOf } from "../../support/bucket-parts.ts";
import { readableBucket, sharedBy } from "../../support/readable-bucket.ts";

const shown = (layers: ReturnType<typeof layersOver>): string[] =>
  layers.overlay().entries.map(({ path, layer, file }) => `${path} ${layer} ${file.etag}`);

const entryOf = (layers: ReturnType<typeof layersOver>, path: string) => {
  const entry = layers.overlay().get(at(path));
  if (!entry) throw new Error(`${path} does not show`);
  return entry;
};

describe("the layers of a bucket", () => {
  it("[W4] are its own files, the shared bucket's, then the template's, each with etags of its own", async () => {
    const own = readableBucket({ "AGENTS.md": "own", "MEMORY.md": "mine" });
    const shared = readableBucket({ "AGENTS.md": "shared", "knowledge/a.md": "shared" });
    shared.write("MEMORY.md", "theirs");
    const template = templateOf({ "AGENTS.md": "t", "knowledge/a.md": "t", "tools.json": "{}" });
    const layers = layersOver(own, { shared: sharedBy(shared), template });
    await layers.refresh();
    expect(shown(layers)).toEqual([
      "AGENTS.md own 1",
      "MEMORY.md own 2",
      "knowledge/a.md shared s2",
      "tools.json template t0123456789ab",
    ]);
    expect(await layers.content(entryOf(layers, "knowledge/a.md"))).toEqual({ text: "shared" });
    expect(await layers.content(entryOf(layers, "tools.json"))).toEqual({ text: "{}" });
  });

  it("[W3] show what was committed at once, and are the same object until then", () => {
    const own = readableBucket({ "a.md": "1" });
    const layers = layersOver(own);
    const before = layers.overlay();
    expect(layers.overlay()).toBe(before);
    own.write("a.md", "2");
    expect(layers.content(entryOf(layers, "a.md"))).toEqual({ text: "2" });
    own.remove("a.md");
    expect(shown(layers)).toEqual([]);
  });

  it("[W6] [W7] a hidden template file stays hidden after an upgrade, a changed one reaches who has not overridden it", () => {
    const own = readableBucket({ "AGENTS.md": "" });
    own.hide("knowledge/a.md");
    const files = { "AGENTS.md": "1", "knowledge/a.md": "1", "knowledge/b.md": "1" };
    expect(shown(layersOver(own, { template: templateOf(files) }))).toEqual([
      "AGENTS.md own 1",
      "knowledge/b.md template t0123456789ab",
    ]);
    const upgraded = { "AGENTS.md": "2", "knowledge/a.md": "2", "knowledge/b.md": "2" };
    const layers = layersOver(own, { template: templateOf(upgraded, "fedcba9876543210") });
    expect(shown(layers)).toEqual(["AGENTS.md own 1", "knowledge/b.md template tfedcba987654"]);
    expect(layers.content(entryOf(layers, "knowledge/b.md"))).toEqual({ text: "2" });
    expect(layers.content(entryOf(layers, "AGENTS.md"))).toEqual({ text: "" });
    own.show("knowledge/a.md");
    expect(layers.content(entryOf(layers, "knowledge/a.md"))).toEqual({ text: "2" });
  });

  it("[W5] a template file that is no text comes as its bytes", () => {
    const layers = layersOver(readableBucket(), { template: templateOf({ "a.bin": "a\0b" }) });
    const entry = entryOf(layers, "a.bin");
    expect(entry.file.type).toBe("blob");
    expect(layers.content(entry)).toEqual({ bytes: new Uint8Array([97, 0, 98]) });
  });

  it("[W12] a text that is missing throws", () => {
    const own = readableBucket({ "a.md": "1" });
    const layers = layersOver(own);
    own.lose("a.md");
    expect(() => layers.content(entryOf(layers, "a.md"))).toThrow("missing");
  });

  it("content of an entry that has changed since is a conflict", () => {
    const own = readableBucket({ "a.md": "1" });
    const layers = layersOver(own);
    const entry = entryOf(layers, "a.md");
    own.write("a.md", "2");
    expect(() => layers.content(entry)).toThrow(CarrelError);
  });
});

/** A bucket over a shared one with `a.md`, with what was logged and a switch that cuts the two apart. */
function sharing(sharedAgeMs: number) {
  const clock = new ManualClock();
  const below = readableBucket({ "a.md": "1" });
  const reachable = sharedBy(below);
  const cable = { isCut: false };
  const through = <Answer>(answer: () => Promise<Answer>): Promise<Answer> =>
    cable.isCut ? Promise.reject(new Error("no route")) : answer();
  const shared: SharedLayer = {
    manifest: (known) => through(() => reachable.manifest(known)),
    read: (path) => through(() => reachable.read(path)),
  };
  const logged: string[] = [];
  const own = readableBucket();
  const log = (level: string, event: string) => void logged.push(`${level} ${event}`);
  const layers = layersOver(own, { shared, clock, sharedAgeMs, log });
  const read = async (path: string) => {
    const { file, content } = await readFile(layers, own.contents, own.rows, { path });
    return `${file.etag} ${"text" in content ? content.text : "bytes"}`;
  };
  return { clock, below, asked: reachable.asked, cable, logged, layers, read };
}

describe("the copy of the shared layer", () => {
  it("is asked for when it is too old, with the version that is known, and once at a time", async () => {
    const { asked, below, clock, layers } = sharing(30_000);
    await Promise.all([layers.refresh(), layers.refresh()]);
    await clock.pass(29_999);
    await layers.refresh();
    expect(asked).toEqual(["manifest null"]);
    const before = layers.overlay();
    await clock.pass(1);
    await layers.refresh();
    expect(asked).toEqual(["manifest null", "manifest 1"]);
    expect(layers.overlay()).toBe(before);
    below.write("b.md", "2");
    await clock.pass(30_000);
    await layers.refresh();
    expect(shown(layers)).toEqual(["a.md shared s1", "b.md shared s2"]);
  });

  it("[W3] with an age of 0 shows what was there when it was asked, even while a question is under way", async () => {
    const { below, layers, asked } = sharing(0);
    const first = layers.refresh();
    below.write("a.md", "2");
    below.write("b.md", "2");
    await Promise.all([layers.refresh(), layers.refresh()]);
    await first;
    expect(shown(layers)).toEqual(["a.md shared s2", "b.md shared s3"]);
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  it("stands in when the shared layer cannot be reached, and says so", async () => {
    const { cable, clock, layers, logged, read } = sharing(30_000);
    await read("a.md");
    cable.isCut = true;
    await clock.pass(30_000);
    expect(await read("a.md")).toBe("s1 1");
    expect(await read("a.md")).toBe("s1 1");
    expect(logged).toEqual(["warn workspace.shared_unreachable"]);
    cable.isCut = false;
    await clock.pass(1_000);
    await layers.refresh();
    expect(logged).toHaveLength(1);
  });

  it("that was never had is an error, never an empty layer", async () => {
    const { cable, layers, read } = sharing(30_000);
    cable.isCut = true;
    await expect(layers.refresh()).rejects.toMatchObject({ code: "overloaded" });
    expect(() => layers.overlay()).toThrow("cannot be read just now");
    await expect(read("a.md")).rejects.toMatchObject({ code: "overloaded" });
    cable.isCut = false;
    expect(await read("a.md")).toBe("s1 1");
  });

  it("keeps contents by etag, and reads again what has moved on", async () => {
    const { asked, below, read } = sharing(30_000);
    expect([await read("a.md"), await read("a.md")]).toEqual(["s1 1", "s1 1"]);
    expect(asked).toEqual(["manifest null", "read a.md"]);
    below.write("b.md", "b");
    below.write("a.md", "2");
    expect(await read("a.md")).toBe("s1 1");
  });

  it("is brought up to date when a content is newer than it", async () => {
    const { below, read, layers } = sharing(30_000);
    await layers.refresh();
    below.write("a.md", "2");
    expect(await read("a.md")).toBe("s2 2");
    below.remove("a.md");
    below.write("b.md", "b");
    expect(await read("a.md")).toBe("s2 2");
  });

  it("a file that is gone below is gone here as soon as it is read", async () => {
    const { below, read, layers } = sharing(30_000);
    await layers.refresh();
    below.remove("a.md");
    await expect(read("a.md")).rejects.toMatchObject({ code: "not_found" });
    expect(shown(layers)).toEqual([]);
  });

  it("keeps at most 4 MiB of contents", async () => {
    const { asked, below, read, layers } = sharing(30_000);
    for (let no = 0; no < 6; no += 1) below.write(`${no}.md`, String(no).repeat(1_000_000));
    await layers.refresh();
    const paths = Array.from({ length: 6 }, (_, no) => `${no}.md`);
    for (const path of [...paths, ...paths.toReversed()]) await read(path);
    const reads = asked.filter((it) => it.startsWith("read"));
    expect(reads.slice(6)).toEqual(["read 1.md", "read 0.md"]);
  });
});
