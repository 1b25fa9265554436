import { describe, expect, it } from "vitest";
import type { TextEdit } from "../../../src/shared/workspace-changes.ts";
import { editText } from "../../../src/workspace/change/edit-text.ts";

const LIMIT = 10_000;

const edit = (text: string, ...edits: readonly TextEdit[]) => editText(text, edits, LIMIT);

const one = (oldText: string, newText: string, replaceAll?: boolean): TextEdit =>
  replaceAll === undefined ? { oldText, newText } : { oldText, newText, replaceAll };

describe("an edit", () => {
  it("[W13] replaces the one exact match and says where", () => {
    expect(edit("a\nb\nc\n", one("b", "B\nB"))).toEqual({
      text: "a\nB\nB\nc\n",
      replaced: [1],
      line: 2,
    });
  });

  it.each([
    ["an empty old text", "abc", one("", "x"), /empty/],
    ["the same text twice", "abc", one("b", "b"), /same/],
    ["no match", "abc", one("q", "x"), /does not occur/],
    ["another case", "abc", one("B", "x"), /does not occur/],
    ["an expression", "abc", one("a.c", "x"), /does not occur/],
    ["two matches", "abab", one("ab", "x"), /occurs 2 times/],
    ["matches that overlap, counted once", "aaaaa", one("aa", "x"), /occurs 2 times/],
    ["half a character", "😀", one("\ud83d", "x"), /whole Unicode/],
    ["NUL", "abc", one("b", "\0"), /NUL/],
    ["only other line endings", "a\r\nb", one("a\nb", "a\r\nb"), /change nothing/],
  ])("[W13] refuses %s, with how to mend it", (_, text, change, message) => {
    expect(() => edit(text, change)).toThrow(message);
    expect(() => edit(text, change)).toThrow(
      expect.objectContaining({ name: "CarrelError", code: "invalid" }),
    );
  });

  it("[W13] refuses an empty old text at once, whatever else is asked", () => {
    expect(() => edit("", one("", "x", true))).toThrow(/empty/);
    expect(() => edit("x", one("x", "y"), one("", "z", true))).toThrow(/edit 2 of 2/);
  });

  it("[W13] replaces all matches, left to right without overlap, and never its own text", () => {
    expect(edit("aaaaa", one("aa", "b", true))).toMatchObject({ text: "bba", replaced: [2] });
    expect(edit("a a", one("a", "aa", true))).toMatchObject({ text: "aa aa", replaced: [2] });
  });

  it.each([
    ["$&", "x$&y"],
    ["$1 $` $' $$", "$1"],
    ["\\n", "\\"],
  ])("[W13] takes %j as it is", (oldText, newText) => {
    expect(edit(`<${oldText}>`, one(oldText, newText)).text).toBe(`<${newText}>`);
  });

  it("[W13] keeps CRLF: a match that differs in its line endings only is found and keeps the file's", () => {
    const text = "\ufeffone\r\ntwo\r\nthree\r\n";
    expect(edit(text, one("one\ntwo\n", "1\n2\n2b\n"))).toEqual({
      text: "\ufeff1\r\n2\r\n2b\r\nthree\r\n",
      replaced: [1],
      line: 1,
    });
    expect(edit(text, one("three\n", "3\n")).text).toBe("\ufeffone\r\ntwo\r\n3\r\n");
    expect(edit(text, one("two", "2\n2b")).text).toBe("\ufeffone\r\n2\r\n2b\r\nthree\r\n");
    expect(edit(text, one("two\r\n", "2\n")).text).toBe("\ufeffone\r\n2\nthree\r\n");
  });

  it("[W13] leaves all other endings of a mixed file alone", () => {
    const text = "a\nb\r\nc\rd\r\ne\n";
    expect(edit(text, one("b\nc", "B\nC")).text).toBe("a\nB\r\nC\rd\r\ne\n");
    expect(edit(text, one("d\re", "D\rE")).text).toBe("a\nb\r\nc\rD\r\nE\n");
    expect(edit(text, one("a", "x\ny")).text).toBe("x\ny\nb\r\nc\rd\r\ne\n");
  });

  it("[W13] finds every place in a long CRLF file", () => {
    const text = Array.from({ length: 500 }, (_, no) => `line ${no % 10}\r\nx\r\n`).join("");
    const { text: edited, replaced } = edit(text, one("line 3\nx\n", "L\n", true));
    expect(replaced).toEqual([50]);
    expect(edited).toBe(text.replaceAll("line 3\r\nx\r\n", "L\r\n"));
  });

  it("[W13] edits apply in order, all or none, and the line is that of the first place", () => {
    const edits = [one("c", "d"), one("a", "b\nb"), one("d", "e")];
    expect(edit("x\na\nc", ...edits)).toEqual({
      text: "x\nb\nb\ne",
      replaced: [1, 1, 1],
      line: 2,
    });
    expect(() => edit("x", one("x", "y"), one("x", "z"))).toThrow(/edit 2 of 2; none was made/);
  });

  it("[W16] stops before a text grows beyond its limit", () => {
    const bomb = one("a", "a".repeat(5_000), true);
    expect(() => edit("a".repeat(5_000), bomb)).toThrow(
      expect.objectContaining({ code: "too_large" }),
    );
  });
});
