import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CarrelError } from "../../../src/shared/errors.ts";
import { nameOf, parentOf, workspacePath } from "../../../src/workspace/layers/path.ts";

const pieces = [
  "",
  ".",
  "..",
  "...",
  "/",
  "//",
  "a",
  "a..b",
  "~",
  "~root",
  "%2e%2e",
  "%2f",
  "\\",
  "\0",
  "\n",
  "C:",
];
const odd = [
  "\u202e",
  "\u2028",
  "\u200b",
  "\ud800",
  "\udfff",
  "😀",
  "é",
  "é",
  "．．",
  "‥",
  " ",
  "-",
  "__proto__",
];
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...pieces),
      fc.constantFrom("/", "..", ...odd),
      fc.string({ maxLength: 5 }),
    ),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(""));

function accepted(raw: string): string | null {
  try {
    return workspacePath(raw);
  } catch (error) {
    expect(error).toBeInstanceOf(CarrelError);
    expect(error).toMatchObject({ code: "invalid" });
    return null;
  }
}

describe("workspacePath", () => {
  it.each(["", ".", "/", "./", "//", "/./", ".//."])("[W1] %j is the root", (raw) => {
    expect(workspacePath(raw)).toBe("");
  });

  it.each([
    ["/AGENTS.md", "AGENTS.md"],
    ["./knowledge//a.md", "knowledge/a.md"],
    ["knowledge/", "knowledge"],
    ["a..b", "a..b"],
    ["...", "..."],
    ["~", "~"],
    ["~/x", "~/x"],
    ["//bob/x", "bob/x"],
    ["%2e%2e/x", "%2e%2e/x"],
    [" a b ", " a b "],
    ["Größe/日本.md", "Größe/日本.md"],
  ])("spells %j as %j", (raw, path) => {
    expect(workspacePath(raw)).toBe(path);
  });

  it.each([
    "..",
    "../x",
    "a/..",
    "a/../b",
    "/..",
    "./..",
    "a//../..",
    "a\\b",
    "..\\x",
    "\\",
    "a\0",
    "a\nb",
    "a\u007f",
    "a\u0085",
    "a\u2028b",
    "a\ud800",
    "\udc00",
  ])("refuses %j and says what to do", (raw) => {
    expect(() => workspacePath(raw)).toThrow(CarrelError);
    expect(() => workspacePath(raw)).toThrow(/^A path must not/);
  });

  it("allows 512 UTF-8 bytes and not one more", () => {
    expect(workspacePath("é".repeat(256))).toHaveLength(256);
    expect(() => workspacePath(`${"é".repeat(256)}a`)).toThrow(/512 bytes/);
    expect(() => workspacePath("./".repeat(1_000_000))).toThrow(/512 bytes/);
  });

  it("[W1] no spelling leaves the root: what is accepted is what a normaliser gives below it", () => {
    fc.assert(
      fc.property(hostile, (raw) => {
        const path = accepted(raw);
        if (path === null) return;
        expect(`/${path}`).toBe(posix.resolve("/", raw.replace(/^\/+/, "")));
        expect(posix.resolve("/workspace", path)).toMatch(/^\/workspace(\/|$)/);
        expect(path.split("/")).not.toContain("..");
        expect(path).not.toMatch(/[\p{Cc}\p{Cs}\\]/u);
      }),
      { numRuns: 2_000 },
    );
  });

  it("[W2] a path that was accepted is accepted again with the same spelling, also from the root", () => {
    fc.assert(
      fc.property(hostile, (raw) => {
        const path = accepted(raw);
        if (path === null) return;
        expect(workspacePath(path)).toBe(path);
        expect(workspacePath(`/${path}`)).toBe(path);
        expect(workspacePath(`./${path}/`)).toBe(path);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("parentOf and nameOf", () => {
  it("take a path apart", () => {
    const path = workspacePath("a/b/c.md");
    expect([parentOf(path), nameOf(path)]).toEqual(["a/b", "c.md"]);
    expect([parentOf(workspacePath("a")), nameOf(workspacePath("a"))]).toEqual(["", "a"]);
    expect([parentOf(workspacePath("")), nameOf(workspacePath(""))]).toEqual(["", ""]);
  });
});
