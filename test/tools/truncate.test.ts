import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { count, truncate } from "../../src/tools/truncate.ts";

describe("truncate", () => {
  it("leaves alone what fits", () => {
    expect(truncate("abc", 3)).toBe("abc");
    expect(truncate("", 0)).toBe("");
  });

  it("says how much is shown", () => {
    expect(truncate("a".repeat(12_345), 1_000)).toBe(
      `${"a".repeat(1_000)}\n[Cut here: 1,000 of 12,345 characters are shown.]`,
    );
    expect(truncate("😀😀", 3)).toBe("😀\n[Cut here: 2 of 4 characters are shown.]");
  });

  it("never halves a character, and never shows more than the limit", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, limit) => {
        const [kept = ""] = truncate(text, limit).split("\n[Cut here:");
        expect(truncate(text, limit).isWellFormed()).toBe(true);
        if (text.length > limit) expect(kept.length).toBeLessThanOrEqual(limit);
      }),
    );
  });
});

describe("count", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1_000, "1,000"],
    [1_234_567, "1,234,567"],
  ])("writes %d as %s", (value, text) => {
    expect(count(value)).toBe(text);
  });
});
