import { describe, expect, it } from "vitest";
import type { TreeAnswer } from "../../../src/shared/workspace-api.ts";
import { tree } from "../../../src/workspace/read/tree.ts";
import { layersOver, templateOf } from "../../support/bucket-parts.ts";
import { readableBucket, sharedBy } from "../../support/readable-bucket.ts";

const lines = ({ entries }: TreeAnswer): string[] =>
  entries.map(({ path, layer, file }) => `${path} ${layer} ${file ? file.type : "/"}`);

function threeLayers() {
  const own = readableBucket({ "knowledge/deep/b.md": "own", "notes.md": "own" });
  own.write("logo.png", new Uint8Array([1]));
  const shared = readableBucket({ "knowledge/a.md": "shared", "memory/x.md": "shared" });
  const template = templateOf({ "knowledge/a.md": "t", "knowledge/c.md": "t" });
  return layersOver(own, { shared: sharedBy(shared), template });
}

describe("a tree", () => {
  it("[W1] [W4] of every spelling of the root is one level of all layers", async () => {
    for (const directory of ["", ".", "/", "./"]) {
      const answer = await tree(threeLayers(), { directory });
      expect(lines(answer)).toEqual(["knowledge own /", "logo.png own blob", "notes.md own text"]);
      expect(answer).toMatchObject({ total: 3, cut: false });
    }
    expect(lines(await tree(threeLayers(), {}))).toHaveLength(3);
  });

  it("[W4] of a directory, of all its levels, and of one layer alone", async () => {
    const layers = threeLayers();
    expect(lines(await tree(layers, { directory: "./knowledge/" }))).toEqual([
      "knowledge/a.md shared text",
      "knowledge/c.md template text",
      "knowledge/deep own /",
    ]);
    expect(lines(await tree(layers, { directory: "knowledge", recursive: true }))).toEqual([
      "knowledge/a.md shared text",
      "knowledge/c.md template text",
      "knowledge/deep/b.md own text",
    ]);
    expect(lines(await tree(layers, { layer: "template", recursive: true }))).toEqual([
      "knowledge/a.md template text",
      "knowledge/c.md template text",
    ]);
    expect(lines(await tree(layers, { layer: "shared", recursive: true }))).toEqual([
      "knowledge/a.md shared text",
    ]);
    expect(lines(await tree(layersOver(readableBucket()), { layer: "shared" }))).toEqual([]);
  });

  it("shows only what lies within the names that are given, or all but that", async () => {
    const layers = layersOver(readableBucket({ "plans/a.md": "", "plans.md": "", "x/plans": "" }));
    expect(lines(await tree(layers, { within: ["plans"] }))).toEqual(["plans own /"]);
    const all = await tree(layers, { within: ["plans"], recursive: true });
    expect(lines(all)).toEqual(["plans/a.md own text"]);
    expect(all.total).toBe(1);
    const rest = await tree(layers, { within: { not: ["plans"] }, layer: "own", recursive: true });
    expect(lines(rest)).toEqual(["plans.md own text", "x/plans own text"]);
  });

  it("[W8] comes in pages, past 1,000 entries, each entry once, and says when it was cut", async () => {
    const files = Array.from({ length: 1_234 }, (_, no) => [`d/${(no * 7) % 1_234}.md`, ""]);
    const layers = layersOver(readableBucket(Object.fromEntries(files)));
    const all = (await tree(layers, { recursive: true, limit: 2_000 })).entries;
    expect(all.map(({ path }) => path)).toEqual(files.map(([path]) => path).toSorted());
    for (const limit of [1_000, 617, 499]) {
      const pages: TreeAnswer[] = [];
      for (let after = ""; ;) {
        const page = await tree(layers, { directory: "d", after, limit });
        pages.push(page);
        after = page.entries.at(-1)?.path ?? "";
        if (!page.cut) break;
      }
      expect(pages.flatMap((page) => page.entries)).toEqual(all);
      expect(pages.map((page) => page.total)).toEqual(pages.map(() => 1_234));
      expect(pages).toHaveLength(Math.ceil(1_234 / limit));
    }
    const first = await tree(layers, { recursive: true });
    expect([first.entries.length, first.cut]).toEqual([1_000, true]);
  });

  it("of what is no directory is refused, with what may have been meant", async () => {
    const layers = threeLayers();
    const refusal = (directory: string) => tree(layers, { directory }).catch((error) => error);
    expect(await refusal("notes.md")).toMatchObject({ code: "invalid" });
    const missing = await refusal("knowledge/depe");
    expect(missing).toMatchObject({ code: "not_found" });
    expect(missing.message).toContain('"knowledge/deep/b.md"');
    await expect(tree(layers, { directory: "../x" })).rejects.toMatchObject({ code: "invalid" });
  });

  it.each([0, -1, 1.5, 2_001, Number.NaN])("refuses a limit of %s", async (limit) => {
    await expect(tree(threeLayers(), { limit })).rejects.toMatchObject({ code: "invalid" });
  });
});
