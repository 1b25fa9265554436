import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutAt, indentRest, spellSize, splitLines, utf8Length } from "../../src/shared/text.ts";

const text = fc.string({ unit: "binary", maxLength: 60 });

describe("cutAt", () => {
  it("keeps at most the limit, never half of a pair", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: -2, max: 60 }), (whole, limit) => {
        const cut = cutAt(whole, limit);
        expect(cut.length).toBeLessThanOrEqual(Math.max(0, limit));
        expect(whole.startsWith(cut)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(whole.length, limit) - 1);
      }),
    );
  });

  it("drops a pair that would be halved", () => {
    expect(cutAt("a😀b", 2)).toBe("a");
    expect(cutAt("a😀b", 3)).toBe("a😀");
    expect(cutAt("a😀b", 4)).toBe("a😀b");
  });
});

describe("utf8Length", () => {
  it("counts what an encoder writes", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }), (units) => {
        const any = String.fromCharCode(...units);
        expect(utf8Length(any)).toBe(new TextEncoder().encode(any).length);
      }),
    );
  });
});

describe("splitLines", () => {
  it.each([
    ["", []],
    ["a", ["a"]],
    ["a\n", ["a"]],
    ["a\n\n", ["a", ""]],
    ["\na", ["", "a"]],
    ["a\r\nb\rc\n", ["a", "b", "c"]],
  ])("reads %j", (whole, lines) => {
    expect(splitLines(whole)).toEqual(lines);
  });
});

describe("spellSize", () => {
  it.each([
    [0, "0 bytes"],
    [1_023, "1023 bytes"],
    [1_024, "1 KiB"],
    [1_100, "1 KiB"],
    [1024 * 1024 - 1, "1023.9 KiB"],
    [1024 * 1024, "1 MiB"],
    [1.5 * 1024 * 1024, "1.5 MiB"],
    [1_900_000, "1.8 MiB"],
    [25 * 1024 * 1024, "25 MiB"],
  ])("of %d is %s: never more than it is", (bytes, text) => {
    expect(spellSize(bytes)).toBe(text);
  });
});

describe("indentRest", () => {
  it("indents all lines but the first, whatever ends them", () => {
    expect(indentRest("a\nb\r\nc\rd\ve\ff\u0085g\u2028h\u2029i\n")).toBe(
      `${"abcdefghi".split("").join("\n  ")}\n  `,
    );
    expect(indentRest("one line")).toBe("one line");
  });
});
