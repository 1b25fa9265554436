import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileGlob } from "../../../src/workspace/search/glob.ts";

const tree = [
  "AGENTS.md",
  "x.md",
  "notes.txt",
  ".hidden",
  "a/.hidden.md",
  "a/b/c/x.md",
  "a/b/x.md",
  "a/x.md",
  "a/xy.md",
  "knowledge/KNOWLEDGE.md",
  "knowledge/deep/er/k.md",
  "skills/.usage.json",
  "src/a.ts",
  "src/lib/b.ts",
  "src/lib/b.tsx",
];

const found = (pattern: string, paths: readonly string[] = tree) =>
  paths.filter(compileGlob(pattern));

describe("compileGlob", () => {
  it.each([
    ["x.md", ["x.md", "a/b/c/x.md", "a/b/x.md", "a/x.md"]],
    ["**/x.md", ["x.md", "a/b/c/x.md", "a/b/x.md", "a/x.md"]],
    ["/x.md", ["x.md"]],
    ["./x.md", ["x.md"]],
    ["/*", ["AGENTS.md", "x.md", "notes.txt", ".hidden"]],
    ["/a/*", ["a/.hidden.md", "a/x.md", "a/xy.md"]],
    ["/a/**/x.md", ["a/b/c/x.md", "a/b/x.md", "a/x.md"]],
    ["a/**", tree.filter((path) => path.startsWith("a/"))],
    ["knowledge/", ["knowledge/KNOWLEDGE.md", "knowledge/deep/er/k.md"]],
    ["knowledge/**.md", ["knowledge/KNOWLEDGE.md", "knowledge/deep/er/k.md"]],
    ["deep/**/*.md", ["knowledge/deep/er/k.md"]],
    ["**/b/**", ["a/b/c/x.md", "a/b/x.md"]],
    ["b/x.md", ["a/b/x.md"]],
    ["src/**/*.ts", ["src/a.ts", "src/lib/b.ts"]],
    ["src/**/*.{ts,tsx}", ["src/a.ts", "src/lib/b.ts", "src/lib/b.tsx"]],
    ["{src/lib,knowledge}/*", ["knowledge/KNOWLEDGE.md", "src/lib/b.ts", "src/lib/b.tsx"]],
    ["/{**/x,notes}.{md,t{x,s}t}", ["x.md", "notes.txt", "a/b/c/x.md", "a/b/x.md", "a/x.md"]],
    ["x{,y}.md", ["x.md", "a/b/c/x.md", "a/b/x.md", "a/x.md", "a/xy.md"]],
    ["x?.md", ["a/xy.md"]],
    [".*", [".hidden", "a/.hidden.md", "skills/.usage.json"]],
    ["*.json", ["skills/.usage.json"]],
    ["*.MD", []],
    ["a", []],
    ["../x.md", []],
    ["*", tree],
    ["**", tree],
    ["***", tree],
  ])("[W8] %s", (pattern, expected) => {
    expect(found(pattern)).toEqual(expected);
  });

  it.each([
    ["[a-c].md", ["a.md", "b.md", "-.md", "].md", "é.md", "d.md"], ["a.md", "b.md"]],
    ["[!a-c].md", ["a.md", "-.md", "d.md", "/.md"], ["-.md", "d.md"]],
    ["[^a].md", ["a.md", "b.md"], ["b.md"]],
    ["[]-].md", ["].md", "-.md", "a.md"], ["].md", "-.md"]],
    ["[a-].md", ["-.md", "a.md", "b.md"], ["-.md", "a.md"]],
    ["[\\]a].md", ["].md", "\\.md", "a.md"], ["].md", "a.md"]],
    ["/a[./]b", ["a/b", "a.b"], ["a.b"]],
    ["\\*.md", ["*.md", "a.md"], ["*.md"]],
    ["\\{a,b\\}", ["{a,b}", "a"], ["{a,b}"]],
    ["a,b}", ["a,b}", "a"], ["a,b}"]],
    ["?.md", ["😀.md", "é.md", "ab.md"], ["😀.md", "é.md"]],
    ["(a|b)+.md", ["(a|b)+.md", "a.md"], ["(a|b)+.md"]],
  ])("[W8] %s among other names", (pattern, paths, expected) => {
    expect(found(pattern, paths)).toEqual(expected);
  });

  it.each(["", "a".repeat(257), "[abc", "[", "[]", "[!]", "[a-", "{a,b", "{", "a\\", "{a,{b}"])(
    "refuses %j and says why",
    (pattern) => {
      expect(() => compileGlob(pattern)).toThrow(/^(A|The) pattern /);
      expect(() => compileGlob(pattern)).toThrow(expect.objectContaining({ code: "invalid" }));
    },
  );

  it.each([
    ["*a".repeat(127), "a".repeat(511)],
    ["**a".repeat(85), "a".repeat(511)],
    [`${"**/".repeat(84)}b`, "a/".repeat(255)],
    [`${"{a,a}".repeat(50)}b`, "a".repeat(60)],
    [`${"{*,a*}".repeat(42)}b`, "a".repeat(511)],
    [`${"{a,".repeat(60)}${"}".repeat(60)}`, "a".repeat(511)],
    [`${"{,*".repeat(50)}${"}".repeat(50)}b`, "a".repeat(511)],
  ])("answers %s at once, where backtracking would not return", (pattern, path) => {
    expect(compileGlob(pattern)(`${path}c`)).toBe(false);
  });

  it("[W8] means what a regular expression of the same meaning does", () => {
    const token = fc.constantFrom(
      "a",
      "b",
      "/",
      "*",
      "**",
      "**/",
      "/**/",
      "?",
      "[ab]",
      "[!a]",
      "{a,b/}",
    );
    const path = fc
      .array(fc.constantFrom("a", "b", "ab", ".a", "aab"), { minLength: 1, maxLength: 4 })
      .map((names) => names.join("/"));
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 6 }), path, (tokens, candidate) => {
        const pattern = tokens.join("");
        expect([pattern, compileGlob(pattern)(candidate)]).toEqual([
          pattern,
          oracle(pattern).test(candidate),
        ]);
      }),
      { numRuns: 5_000 },
    );
  });
});

/** The same meaning by replacement, for patterns of the property above: it would hang on evil ones. */
function oracle(pattern: string): RegExp {
  const isRooted = pattern.startsWith("/");
  const source = pattern
    .replace(/^\//, "")
    .replace(/(?<=^|\/|\{|\*\*+\/)\*\*+\//g, "<dirs>")
    .replace(/\*\*+/g, "<any>")
    .replace(/\*/g, "[^/]*")
    .replace(/\?/g, "[^/]")
    .replace(/\[!a\]/g, "[^a/]")
    .replace(/\{a,b\/\}/g, "(?:a|b/)")
    .replace(/<dirs>/g, "(?:.*/)?")
    .replace(/<any>/g, ".*");
  return new RegExp(`^${isRooted ? "" : "(?:.*/)?"}${source}${pattern.endsWith("/") ? ".*" : ""}$`);
}
