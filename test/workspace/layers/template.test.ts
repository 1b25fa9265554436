import { describe, expect, it } from "vitest";
import { workspacePath } from "../../../src/workspace/layers/path.ts";
import { createTemplate } from "../../../src/workspace/layers/template.ts";

const files = Object.fromEntries([
  ["knowledge/z.md", { text: "zed" }],
  ["AGENTS.md", { text: "Größe\r\n" }],
  ["knowledge/deep/a.md", { text: "" }],
  ["knowledge.md", { text: "x" }],
  ["logo.png", { base64: btoa("\x89PNG\xff") }],
  ["__proto__/constructor", { text: "own" }],
  ["2", { text: "two" }],
]);
const template = createTemplate(files, "v1");
const at = workspacePath;

describe("createTemplate", () => {
  it("reads text and bytes as they were", () => {
    expect(template.read(at("AGENTS.md"))).toEqual({ text: "Größe\r\n" });
    expect(template.read(at("knowledge/deep/a.md"))).toEqual({ text: "" });
    expect(template.read(at("logo.png"))).toEqual({
      bytes: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff]),
    });
  });

  it.each(["", "knowledge", "nope", "knowledge/z.md/x", "toString", "__proto__", "constructor"])(
    "has no file %j",
    (path) => {
      expect(template.read(at(path))).toBeNull();
    },
  );

  it("lists one level, sorted, with sizes in bytes", () => {
    expect(template.list(at(""))).toEqual([
      { path: "2", isDirectory: false, size: 3 },
      { path: "AGENTS.md", isDirectory: false, size: 9 },
      { path: "__proto__", isDirectory: true, size: 0 },
      { path: "knowledge", isDirectory: true, size: 0 },
      { path: "knowledge.md", isDirectory: false, size: 1 },
      { path: "logo.png", isDirectory: false, size: 5 },
    ]);
    expect(template.list(at("knowledge"))?.map((entry) => entry.path)).toEqual([
      "knowledge/deep",
      "knowledge/z.md",
    ]);
    expect(template.list(at("__proto__"))).toEqual([
      { path: "__proto__/constructor", isDirectory: false, size: 3 },
    ]);
  });

  it.each(["nope", "AGENTS.md", "know", "constructor", "toString"])(
    "has no directory %j",
    (path) => {
      expect(template.list(at(path))).toBeNull();
    },
  );

  it("[W2] every listed path can be read or listed with the same spelling", () => {
    const seen: string[] = [];
    const visit = (directory: string) => {
      for (const entry of template.list(at(directory)) ?? []) {
        if (entry.isDirectory) visit(entry.path);
        else seen.push(template.read(at(entry.path)) ? entry.path : `unreadable ${entry.path}`);
      }
    };
    visit("");
    expect(seen.toSorted()).toEqual(template.paths);
    expect(seen).toHaveLength(Object.keys(files).length);
  });

  it("has a root even when it is empty", () => {
    expect(createTemplate({}, "v0").list(at(""))).toEqual([]);
  });

  it.each(["/a", "a/", "a//b", "./a", "", "a/../b"])("refuses the key %j", (key) => {
    expect(() => createTemplate({ [key]: { text: "" } }, "v")).toThrow();
  });

  it("refuses a path that is a file and a directory", () => {
    expect(() => createTemplate({ a: { text: "" }, "a/b": { text: "" } }, "v")).toThrow(/both/);
  });

  it.each([0, 1, 2, 3, 4, 5])("knows the size of %d bytes without decoding", (size) => {
    const one = createTemplate({ x: { base64: btoa("\xff".repeat(size)) } }, "v");
    expect(one.list(at(""))?.[0]?.size).toBe(size);
  });
});
