import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { authorOf, formatSize, kindOf, pictureType } from "../../public/files/format.js";
import {
  canonicalPath,
  folderOf,
  foldersAbove,
  nameOf,
  pathProblem,
} from "../../public/files/path.js";
import type { FilesApi } from "../../public/files/api.js";
import { FilesList } from "../../public/files/list.js";
import { treeRows } from "../../public/files/rows.js";
import { indent, readText, writeText } from "../../public/files/text.js";
import type { FileInfo } from "../../src/shared/workspace-files.ts";
import { workspacePath } from "../../src/workspace/layers/path.ts";

const sure = { seed: 3, numRuns: 300 };
const encode = (text: string) => new TextEncoder().encode(text);

describe("a path that is typed", () => {
  it.each([
    ["", "Write a name"],
    ["/./", "Write a name"],
    ["notes/", "after the folder"],
    ["a/../b", "cannot contain"],
    ["a\\b", "Separate folders"],
    ["a\nb", "no line breaks"],
    ["a /b", "space"],
    ["é".repeat(257), "512 bytes"],
  ])("is refused with the reason: %j", (raw, reason) => {
    expect(pathProblem(raw)).toContain(reason);
  });

  it.each(["a.md", "/a/b.md", "./a//b", "a..b/~c", "<img src=x>", "日本/ノート.md"])(
    "is taken: %j",
    (raw) => {
      expect(pathProblem(raw)).toBeNull();
    },
  );

  it("[W2] is never one that the server refuses, and is spelled as the server spells it", () => {
    const piece = fc.oneof(
      fc.constantFrom("/", "..", ".", "\\", "~", "a", " ", "\u2028"),
      fc.string({ unit: "binary" }),
    );
    const raw = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(raw, (path) => {
        if (pathProblem(path) === null) expect(workspacePath(path)).toBe(canonicalPath(path));
      }),
      sure,
    );
  });

  it("knows its name and the folders above it", () => {
    expect([nameOf("a/b/c"), folderOf("a/b/c"), folderOf("c")]).toEqual(["c", "a/b", ""]);
    expect(foldersAbove("a/b/c")).toEqual(["a", "a/b"]);
    expect(foldersAbove("c")).toEqual([]);
  });
});

describe("[W5] the text of a file", () => {
  it("comes out of the editor as it went in, whatever its lines end with, unless they are mixed", () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\r\n]/g, ""));
    const lines = fc.array(line, { maxLength: 6 });
    fc.assert(
      fc.property(lines, fc.constantFrom("\n", "\r\n"), fc.boolean(), (parts, end, hasMark) => {
        const bytes = encode((hasMark ? "\uFEFF" : "") + parts.join(end));
        const read = readText(bytes);
        expect(read?.text).not.toContain("\r");
        expect(read && encode(writeText(read))).toEqual(bytes);
      }),
      sure,
    );
  });

  it("says when its lines end in different ways, and that it is none", () => {
    expect(readText(encode("a\r\nb\nc"))).toEqual({ text: "a\nb\nc", ending: "mixed" });
    expect(readText(encode("a\rb"))?.ending).toBe("mixed");
    expect(readText(new Uint8Array([0xff, 0xfe]))).toBeNull();
  });
});

describe("indenting", () => {
  const apply = (text: string, start: number, end: number, isOut = false) => {
    const change = indent(text, { start, end, isOut });
    const result = text.slice(0, change.from) + change.insert + text.slice(change.to);
    return [result, change.start, change.end];
  };

  it.each([
    ["a caret", apply("ab", 1, 1), ["a  b", 3, 3]],
    ["a caret where tabs are used", apply("\tx\ny", 3, 3), ["\tx\n\ty", 4, 4]],
    ["lines", apply("a\nb\nc", 0, 3), ["  a\n  b\nc", 2, 7]],
    ["no line that a selection only reaches", apply("a\nb", 0, 2), ["  a\nb", 2, 4]],
    ["out", apply("  a\n b", 3, 6, true), ["a\nb", 1, 3]],
    ["nothing out where nothing is in", apply("a", 1, 1, true), ["a", 1, 1]],
  ])("moves %s", (_name, result, expected) => {
    expect(result).toEqual(expected);
  });
});

describe("what the panel says", () => {
  it.each([
    [0, "0 B"],
    [1_023, "1023 B"],
    [1_536, "1.5 KB"],
    [25 * 1_048_576, "25 MB"],
  ])("of a size: %i", (bytes, words) => {
    expect(formatSize(bytes)).toBe(words);
  });

  it.each([
    ["user:ann:x", "ann:x"],
    ["agent:main/s1", "the agent main"],
    ["job:consolidation", "the job consolidation"],
    ["outside", "someone outside of Carrel"],
    [null, "the template"],
  ])("of an author: %s", (by, words) => {
    expect(authorOf(by)).toBe(words);
  });

  it("of a file: only what a browser draws is a picture, and text never is", () => {
    expect(kindOf({ path: "a.PNG", type: "blob" })).toBe("picture");
    expect(kindOf({ path: "a.svg", type: "blob" })).toBe("binary");
    expect(kindOf({ path: "a.png", type: "text" })).toBe("text");
    expect(pictureType("a.jpg")).toBe("image/jpeg");
    expect(pictureType("png")).toBeNull();
  });
});

describe("the lines of the tree", () => {
  const file = (path: string): FileInfo => {
    const facts = { size: 1, executable: false, etag: "1", at: 1, by: null };
    return { path, layer: "own", type: "text", ...facts };
  };
  const files = ["b.md", "a/z/1.md", "a/10.md", "a/9.md", "B/x.md"].map(file);

  it("are folders before files, numbers in order, and only what is open", () => {
    const rows = treeRows(files, { open: new Set(["a"]), filter: "" });
    expect(
      rows.map(({ path, level, position, siblings }) => [path, level, position, siblings]),
    ).toEqual([
      ["a", 1, 1, 3],
      ["a/z", 2, 1, 3],
      ["a/9.md", 2, 2, 3],
      ["a/10.md", 2, 3, 3],
      ["B", 1, 2, 3],
      ["b.md", 1, 3, 3],
    ]);
  });

  it("with a filter are what matches, with its folders open", () => {
    const rows = treeRows(files, { open: new Set(), filter: "A/ MD 1" });
    expect(rows.map(({ path }) => path)).toEqual(["a", "a/z", "a/z/1.md", "a/10.md"]);
    expect(treeRows(files, { open: new Set(), filter: "nothing" })).toEqual([]);
  });

  it("take names like __proto__ and constructor for what they are", () => {
    const rows = treeRows([file("__proto__/a"), file("constructor")], {
      open: new Set(),
      filter: "",
    });
    expect(rows.map(({ path }) => path)).toEqual(["__proto__", "constructor"]);
  });
});

describe("the list of files", () => {
  /** An api whose answers come when they are told to. */
  const slow = () => {
    const waiting: (() => void)[] = [];
    const list = (layer?: string) =>
      new Promise<never[]>((resolve) => {
        asked.push(layer ?? "all");
        waiting.push(() => resolve([]));
      });
    const asked: string[] = [];
    return { api: { list } as unknown as FilesApi, asked, waiting };
  };

  it("is there for whoever read it first, when a later reading has taken that one's place", async () => {
    const files = new FilesList();
    const [first, second] = [slow(), slow()];
    const done: string[] = [];
    const one = files.read(first.api, { isWhole: true }).then((is) => done.push(`first ${is}`));
    const two = files.read(second.api, { isWhole: false }).then((is) => done.push(`second ${is}`));
    expect(second.asked).toEqual(["all", "shared", "template"]);
    for (const answer of first.waiting) answer();
    for (const answer of second.waiting) answer();
    await Promise.all([one, two]);
    expect(done).toEqual(["second true", "first false"]);
    expect(files.state.kind).toBe("ready");
  });
});
