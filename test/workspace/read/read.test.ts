import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { globFiles } from "../../../src/workspace/search/glob-files.ts";
import { grepFiles } from "../../../src/workspace/search/grep.ts";
import { workspacePath } from "../../../src/workspace/layers/path.ts";
import { readFile } from "../../../src/workspace/read/read.ts";
import { createSnapshots } from "../../../src/workspace/read/snapshot.ts";
import { tree } from "../../../src/workspace/read/tree.ts";
import { layersOver, templateOf } from "../../support/bucket-parts.ts";
import { type ReadableBucket, readableBucket, sharedBy } from "../../support/readable-bucket.ts";

type Layers = ReturnType<typeof layersOver>;

const turns = { yield: () => Promise.resolve(), now: () => 0 };

const read = (own: ReadableBucket, layers: Layers, request: Parameters<typeof readFile>[3]) =>
  readFile(layers, own.contents, own.rows, request);

/** Names that are odd and allowed. */
const name = fc
  .oneof(
    fc.constantFrom("a b", "a:b", "[x]", "{x}", "*", "?", "…", "😀", "é", "e\u0301", "文", "%2e"),
    fc.constantFrom("..a", ".b", "a\u00a0b", "\u200b", "~", "'", '"', "-", "a,b", "!x", "&#"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 6 }),
  )
  .filter((it) => !/[/\\\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(it) && it !== "." && it !== "..");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));

/** No path of which is a directory of another: a bucket refuses that, and so does a template. */
const paths = fc
  .uniqueArray(path, { minLength: 1, maxLength: 8 })
  .map((all) => all.filter((it) => !all.some((other) => other.startsWith(`${it}/`))));
const textFiles = paths.map((all) => Object.fromEntries(all.map((it) => [it, `text of ${it}\n`])));

describe("reading a file", () => {
  it("[W2] every path that a listing, glob, grep or snapshot shows can be read as it is spelled", async () => {
    await fc.assert(
      fc.asyncProperty(textFiles, textFiles, textFiles, async (top, middle, lowest) => {
        const own = readableBucket(top);
        const shared = sharedBy(readableBucket(middle));
        const layers = layersOver(own, { shared, template: templateOf(lowest) });
        const request = { known: null, files: [], lists: [{ directory: "", limit: 99 }] };
        const { entries } = await tree(layers, { recursive: true });
        const snapshot = await createSnapshots(layers)(request);
        const shown = [
          entries.map((it) => it.path),
          (await globFiles(layers, { pattern: "**" })).files.map((it) => it.path),
          (await grepFiles(layers, own.contents, { pattern: "text of" }, turns)).hits.map(
            (it) => it.path,
          ),
          snapshot === "unchanged" ? [] : (snapshot.lists[0]?.paths ?? []),
        ];
        expect(shown.slice(1)).toEqual([shown[0], shown[0], shown[0]]);
        for (const entry of entries) {
          expect(workspacePath(entry.path)).toBe(entry.path);
          const { file, content } = await read(own, layers, { path: entry.path });
          expect(file).toEqual(entry.file);
          expect(content).toEqual({ text: `text of ${entry.path}\n` });
        }
      }),
      { numRuns: 60, seed: 8 },
    );
  });

  it("[W2] every directory that is listed can be listed, down to each file", async () => {
    await fc.assert(
      fc.asyncProperty(textFiles, textFiles, async (top, lowest) => {
        const layers = layersOver(readableBucket(top), { template: templateOf(lowest) });
        const walk = async (directory: string): Promise<string[]> => {
          const { entries } = await tree(layers, { directory });
          const below = entries.map(async (it) => (it.file ? [it.path] : walk(it.path)));
          return (await Promise.all(below)).flat();
        };
        const all = (await tree(layers, { recursive: true })).entries.map((it) => it.path);
        expect((await walk("")).toSorted()).toEqual(all);
      }),
      { numRuns: 60, seed: 9 },
    );
  });

  it("[W1] of a directory is refused, in each spelling of the root", async () => {
    const own = readableBucket({ "a/b.md": "" });
    const layers = layersOver(own);
    for (const root of ["", ".", "/", "./", "a", "/a/"])
      await expect(read(own, layers, { path: root })).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringContaining("directory"),
      });
    expect((await read(own, layers, { path: "/a//./b.md" })).file.path).toBe("a/b.md");
  });

  it("that does not exist names up to three that are spelled like it", async () => {
    const files = { "knowledge/teas.md": "", "knowledge/trees.md": "", "zebra.md": "" };
    const own = readableBucket(files);
    await expect(read(own, layersOver(own), { path: "knowledge/tee.md" })).rejects.toMatchObject({
      code: "not_found",
      message:
        '"knowledge/tee.md" does not exist. Did you mean "knowledge/teas.md" or "knowledge/trees.md"?',
    });
    await expect(read(own, layersOver(own), { path: "q" })).rejects.toMatchObject({
      message: '"q" does not exist.',
    });
  });

  it("[W4] of a layer gives that layer's own, also where it is hidden", async () => {
    const own = readableBucket({ "AGENTS.md": "own" });
    const shared = sharedBy(readableBucket({ "AGENTS.md": "shared" }));
    const layers = layersOver(own, { shared, template: templateOf({ "AGENTS.md": "t" }) });
    const texts = [];
    for (const layer of ["own", "shared", "template"] as const)
      texts.push((await read(own, layers, { path: "AGENTS.md", layer })).content);
    expect(texts).toEqual([{ text: "own" }, { text: "shared" }, { text: "t" }]);
    await expect(read(own, layers, { path: "tools.json", layer: "own" })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("[W12] whose content is missing is an error", async () => {
    const own = readableBucket({ "a.md": "text" });
    own.write("a.png", new Uint8Array([1, 2]));
    const layers = layersOver(own);
    expect((await read(own, layers, { path: "a.png" })).content).toEqual({
      bytes: new Uint8Array([1, 2]),
    });
    for (const each of ["a.md", "a.png"]) {
      own.lose(each);
      await expect(read(own, layers, { path: each })).rejects.toThrow(/is missing|has lost/);
    }
  });

  it("[W3] that changes while it is fetched gives content and etag of one version", async () => {
    const own = readableBucket();
    own.write("a.png", new Uint8Array([1]));
    const layers = layersOver(own);
    const answer = read(own, layers, { path: "a.png" });
    own.lose("a.png");
    own.write("a.png", "now text");
    expect(await answer).toMatchObject({
      file: { type: "text", etag: "2" },
      content: { text: "now text" },
    });
  });
});

describe("reading a version", () => {
  it("gives the present one and those that are kept, and says which are not", async () => {
    const own = readableBucket({ "AGENTS.md": "1" });
    const layers = layersOver(own);
    own.rows.commit("keep", ({ sql }) => {
      sql.run(
        "INSERT INTO version SELECT path, version, type, size, sha256, 1, at, author, body FROM file",
      );
      sql.run(
        "INSERT INTO version SELECT path, 0, 'gone', 0, NULL, 0, 5, 'user:bob', NULL FROM file",
      );
    });
    own.write("AGENTS.md", "2");
    const version = (no: number) => read(own, layers, { path: "AGENTS.md", version: no });
    expect(await version(2)).toMatchObject({ file: { etag: "2" }, content: { text: "2" } });
    expect(await version(1)).toMatchObject({
      file: { etag: "1", executable: true, layer: "own", by: "user:ann", at: 7 },
      content: { text: "1" },
    });
    await expect(version(0)).rejects.toMatchObject({ code: "not_found" });
    await expect(version(3)).rejects.toMatchObject({ code: "not_found" });
    await expect(
      read(own, layers, { path: "AGENTS.md", version: 1, layer: "shared" }),
    ).rejects.toMatchObject({ code: "invalid" });
  });
});
