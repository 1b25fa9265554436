import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findAll } from "../../../src/skills/format/find-all.ts";
import { patchText } from "../../../src/skills/format/patch.ts";

const patch = (text: string, oldText: string, newText: string, replaceAll = false) =>
  patchText({ text, oldText, newText, replaceAll });

describe("a patch", () => {
  it.each([
    ["a\nb\nc", "b", "B", "a\nB\nc", "exact"],
    ["a  \nb\t\nc", "a\nb", "x\ny", "x\ny\nc", "trailing whitespace ignored"],
    ["a\nb\nc", "a  \nb ", "x", "x\nc", "trailing whitespace ignored"],
    ["a \r\nb\r\nc\r\n", "a\nb\n", "x\ny\n", "x\r\ny\r\nc\r\n", "trailing whitespace ignored"],
    ["\r\nfoo", "\nfoo", "\nbar", "\r\nbar", "trailing whitespace ignored"],
    ["if a:\n    b  c\n", "if a:\n  b c", "d", "d\n", "whitespace collapsed"],
    ["x\n\n    a  b\n\ny", "  a b\n", "  c\n", "x\n\n    c\n\ny", "whitespace collapsed"],
  ])("[K5] of %j finds %j by the ladder", (text, oldText, newText, expected, matched) => {
    expect(patch(text, oldText, newText)).toEqual({ text: expected, matched });
  });

  it("[K5] replaces all matches when it is asked to, left to right without overlap", () => {
    expect(patch("aaaaa", "aa", "b", true)).toEqual({ text: "bba", matched: "exact" });
    expect(patch("a  b\na   b", "a b", "$&", true)).toEqual({
      text: "$&\n$&",
      matched: "whitespace collapsed",
    });
  });

  it.each([
    ["an empty old text", "a", "", "b", /empty/],
    ["the same text twice", "a", "a", "a", /same/],
    ["no match", "a", "b", "c", /does not occur/],
    ["only whitespace that is not there", "a", " \n", "c", /does not occur/],
    ["two matches", "a a", "a", "b", /occurs 2 times \(exact\)/],
    ["two matches further down the ladder", "a  b\na   b", "a b", "c", /2 times \(whitespace/],
    ["NUL", "a", "a", "\0", /NUL/],
    ["half a character", "😀", "\ud83d", "x", /whole Unicode/],
  ])("[K5] is refused for %s, with how to mend it", (_, text, oldText, newText, message) => {
    expect(() => patch(text, oldText, newText)).toThrow(
      expect.objectContaining({ code: "invalid", message: expect.stringMatching(message) }),
    );
  });

  it("[K5] is refused before it grows beyond 1 MiB", () => {
    const large = "b".repeat(100_000);
    expect(() => patch("a".repeat(100_000), "a", large, true)).toThrow(
      expect.objectContaining({ code: "too_large" }),
    );
  });

  it.each([
    ["a run with another end", "a".repeat(100_000), `b${"a".repeat(50_000)}`],
    ["a run that nearly matches", "a".repeat(100_000), `${"a".repeat(50_000)}b`],
    ["blanks", `${" ".repeat(100_000)}x`, `${" ".repeat(50_000)}\n`],
    ["blanks and line ends", " \n".repeat(50_000), `${"\n ".repeat(25_000)}x`],
  ])("[K5] costs little for %s", (_, text, oldText) => {
    const started = process.cpuUsage();
    expect(() => patch(text, oldText, "y")).toThrow(/does not occur/);
    const { user, system } = process.cpuUsage(started);
    // A quadratic search takes seconds.
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });

  it("[K5] finds what indexOf finds", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 40 });
    const wanted = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(text, wanted, (given, part) => {
        const expected: number[] = [];
        for (let at = given.indexOf(part); at !== -1; at = given.indexOf(part, at + part.length))
          expected.push(at);
        const places = findAll(given, part);
        expect(places.map(({ start }) => start)).toEqual(expected);
        expect(places.every(({ start, end }) => given.slice(start, end) === part)).toBe(true);
      }),
    );
  });

  it("[K5] leaves all that is around a match as it was", () => {
    const unit = fc.constantFrom("a", "b", " ", "\t", "\n", "\r\n", "\r");
    const text = fc.array(unit, { minLength: 1, maxLength: 20 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, (given, oldText) => {
        let changed: string;
        try {
          changed = patch(given, oldText, "X").text;
        } catch (error) {
          expect(error).toMatchObject({ code: "invalid" });
          return;
        }
        const [before = "", after = ""] = changed.split("X");
        expect(given.startsWith(before) && given.endsWith(after)).toBe(true);
        const gone = given.slice(before.length, given.length - after.length);
        expect(gone.replaceAll(/\s+/g, " ").trim()).toBe(oldText.replaceAll(/\s+/g, " ").trim());
      }),
      { numRuns: 500 },
    );
  });
});
