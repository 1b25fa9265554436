import { describe, expect, it } from "vitest";
import { excerpt } from "../../../src/workspace/search/grep-excerpt.ts";
import { createMatcher } from "../../../src/workspace/search/grep-matcher.ts";

type Options = { readonly regex?: boolean; readonly caseSensitive?: boolean };

const matches = async (pattern: string, line: string, options: Options = {}): Promise<boolean> =>
  (await createMatcher({ pattern, ...options })).matches(line);

const anyCase = { caseSensitive: false };
const regex = { regex: true };

describe("what a pattern matches in a line", () => {
  it.each<[string, string, Options, boolean]>([
    ["a.c", "abc", {}, false],
    ["a.c", "xa.cx", {}, true],
    ["Tea", "tea", {}, false],
    ["Tea", "steam", anyCase, true],
    ["$1 [a](b)*", "it costs $1 [A](B)*", anyCase, true],
    ["éclair", "ÉCLAIR", anyCase, true],
    ["ΟΔΟΣ", "οδος", anyCase, true],
    ["straße", "STRAẞE", anyCase, true],
    ["kelvin", "\u212aelvin", anyCase, true],
    ["文件", "打开文件夹", anyCase, true],
    ["😀", "a😀b", anyCase, true],
    ["a-b/c", "A-B/C", anyCase, true],
    ["^t.a$", "tea", regex, true],
    ["^t.a$", "steam", regex, false],
    ["\\d{4}-\\d\\d", "on 2026-11-30", regex, true],
    ["TEA", "tea", { ...regex, ...anyCase }, true],
    ["ΟΔΟΣ", "οδος", { ...regex, ...anyCase }, true],
    ["^.$", "😀", regex, true],
    ["\\p{Greek}", "λ", regex, true],
    ["(?i)tea", "TEA", regex, true],
  ])("[W8] %j in %j with %j: %s", async (pattern, line, options, expected) => {
    expect(await matches(pattern, line, options)).toBe(expected);
  });

  it.each<[string, string]>([
    ["(", "a ( is not closed"],
    ["a)", "a ) closes nothing"],
    ["[a", "a [ is not closed"],
    ["[z-a]", "a range"],
    ["(?=a)", "lookahead"],
    ["(?<=a)b", "lookbehind"],
    ["(a)\\1", "backreferences"],
    ["*a", "nothing before it"],
    ["a**", "follows another"],
    ["a{1001}", "1,000 times"],
    ["a\\", "ends with a backslash"],
    ["(?P<n>a)(?P<n>b)", "same name"],
    ["(?:.{1,100}){10}", "too large"],
  ])("says what is wrong with the expression %s", async (pattern, reason) => {
    await expect(createMatcher({ pattern, regex: true })).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining(reason),
    });
    expect(await matches(pattern, `x${pattern}y`)).toBe(true);
  });

  it.each(["", "a\nb", "a\rb"])("refuses %j", async (pattern) => {
    await expect(createMatcher({ pattern })).rejects.toMatchObject({ code: "invalid" });
  });

  it("refuses a pattern of more than 1,000 characters", async () => {
    expect(await matches("a".repeat(1_000), "b")).toBe(false);
    const pattern = "a".repeat(1_001);
    await expect(createMatcher({ pattern })).rejects.toMatchObject({ code: "invalid" });
  });

  it("takes linear time for expressions that others need exponential time for", async () => {
    const line = `${"a".repeat(30_000)}b`;
    expect(await matches("^(a+)+$", line, regex)).toBe(false);
    expect(await matches("(a|aa)+$", line, regex)).toBe(false);
    expect(await matches("(x+x+)+y", "x".repeat(30_000), regex)).toBe(false);
  });
});

describe("an excerpt of a line", () => {
  it("is the line when it is short", () => {
    expect(excerpt("x".repeat(500), () => 499)).toBe("x".repeat(500));
  });

  it.each([0, 1, 99, 100, 101, 5_000, 9_899, 9_999])(
    "of a long one holds what is at %s, about 500 characters, and splits none",
    (index) => {
      const line = `${"😀".repeat(index >> 1)}${"x".repeat(index & 1)}HIT${"😀".repeat(5_000 - (index >> 1))}`;
      const shown = excerpt(line, () => index);
      expect(shown).toContain("HIT");
      expect(shown.isWellFormed()).toBe(true);
      expect(shown.length).toBeGreaterThanOrEqual(498);
      expect(shown.length).toBeLessThanOrEqual(502);
      expect(shown.startsWith("…")).toBe(index > 100);
      expect(shown.endsWith("…")).toBe(index < 9_000);
    },
  );
});
