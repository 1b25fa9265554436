import { describe, expect, it } from "vitest";
import { globFiles } from "../../../src/workspace/search/glob-files.ts";
import { layersOver, templateOf } from "../../support/bucket-parts.ts";
import { readableBucket, sharedBy } from "../../support/readable-bucket.ts";

const own = { "x.md": "", "a/x.md": "", "a/b/x.md": "", "a/.hidden/y.txt": "", "a/b/z.ts": "" };

function layered() {
  const shared = readableBucket({ "knowledge/k.md": "", "memory/no.md": "" });
  const template = templateOf({ "AGENTS.md": "t", "x.md": "t" });
  return layersOver(readableBucket(own), { shared: sharedBy(shared), template });
}

const paths = async (pattern: string, path?: string): Promise<string[]> => {
  const request = path === undefined ? { pattern } : { pattern, path };
  return (await globFiles(layered(), request)).files.map((file) => `${file.path} ${file.layer}`);
};

describe("a glob over the layers", () => {
  it.each<[string, string | undefined, string[]]>([
    ["**/x.md", undefined, ["a/b/x.md own", "a/x.md own", "x.md own"]],
    ["x.md", undefined, ["a/b/x.md own", "a/x.md own", "x.md own"]],
    ["/x.md", undefined, ["x.md own"]],
    ["/*.md", undefined, ["AGENTS.md template", "x.md own"]],
    ["/*.md", "a", ["a/x.md own"]],
    ["b/*", "a", ["a/b/x.md own", "a/b/z.ts own"]],
    ["/a/*", "a", []],
    ["**/*.{ts,txt}", undefined, ["a/.hidden/y.txt own", "a/b/z.ts own"]],
    ["[ak]*/**/*.md", undefined, ["a/b/x.md own", "a/x.md own", "knowledge/k.md shared"]],
    ["b/", "a", ["a/b/x.md own", "a/b/z.ts own"]],
    ["no.md", undefined, []],
  ])("[W8] %s below %s", async (pattern, path, expected) => {
    expect(await paths(pattern, path)).toEqual(expected);
  });

  it("[W1] means the same from every spelling of the root", async () => {
    const all = await paths("**");
    expect(all).toHaveLength(7);
    for (const root of ["", ".", "/", "./"]) expect(await paths("**", root)).toEqual(all);
  });

  it("[W8] is sorted and bounded, and says when it was cut", async () => {
    const files = Array.from({ length: 1_500 }, (_, no) => [`d/${no}.md`, ""] as const);
    const layers = layersOver(readableBucket(Object.fromEntries(files)));
    const sorted = files.map(([path]) => path).toSorted();
    for (const limit of [undefined, 1, 1_499, 1_500, 2_000]) {
      const request = limit === undefined ? { pattern: "*.md" } : { pattern: "*.md", limit };
      const answer = await globFiles(layers, request);
      expect(answer.files.map((file) => file.path)).toEqual(sorted.slice(0, limit ?? 500));
      expect([answer.total, answer.cut]).toEqual([1_500, (limit ?? 500) < 1_500]);
    }
  });

  it("keeps within the names that are given", async () => {
    const answer = await globFiles(layered(), { pattern: "x.md", within: ["a"] });
    expect(answer.files.map((file) => file.path)).toEqual(["a/b/x.md", "a/x.md"]);
    expect(answer.total).toBe(2);
  });

  it("refuses bad patterns, files and directories that do not exist", async () => {
    const code = (pattern: string, path: string, limit = 5) =>
      globFiles(layered(), { pattern, path, limit }).catch((error) => error.code);
    expect(await code("", "")).toBe("invalid");
    expect(await code("[a", "")).toBe("invalid");
    expect(await code("*", "x.md")).toBe("invalid");
    expect(await code("*", "b")).toBe("not_found");
    expect(await code("*", "", 2_001)).toBe("invalid");
  });
});
