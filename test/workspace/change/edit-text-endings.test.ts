import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CarrelError } from "../../../src/shared/errors.ts";
import { editText } from "../../../src/workspace/change/edit-text.ts";

const edited = (text: string, oldText: string, newText: string, replaceAll = false): string =>
  editText(text, [{ oldText, newText, replaceAll }], 10_000).text;

describe("an edit of a text with CRLF", () => {
  it.each<[string, string, string, boolean, string]>([
    ["a\r\nfoo\r\nb", "\nfoo", "", false, "a\r\nb"],
    ["a\r\nfoo\r\nb", "\nfoo", "\nx\nfoo", false, "a\r\nx\r\nfoo\r\nb"],
    ["a\r\nfoo\r\nb", "\n", " ", true, "a foo b"],
    ["a\r\nfoo\r\nb", "foo\r", "bar", false, "a\r\nbarb"],
    ["a\r\nfoo\r\nb", "foo\r", "bar\r", false, "a\r\nbar\r\nb"],
    ["a\r\nb\nc", "\n", "|", true, "a|b|c"],
    ["a\r\nb\nc", "\nb\n", "\nx\n", false, "a\r\nx\r\nc"],
    ["a\nb\r\nc", "\nb\n", "\nx\n", false, "a\nx\nc"],
    ["a\r\nb\r\n", "\r\n", "\n", true, "a\nb\n"],
  ])("[W13] %j: %j to %j (all: %s) gives %j", (text, oldText, newText, all, after) => {
    expect(edited(text, oldText, newText, all)).toBe(after);
  });

  it("[W13] counts an ending once, however it is spelled", () => {
    expect(() => edited("a\r\nb\r\nc", "\n", " ")).toThrow(/occurs 2 times/);
  });

  it.each([
    ["\rX\n", "X", ""],
    ["a\nb", "a", "x\r"],
    ["a\rb", "b", "\nx"],
  ])("[W13] that would make a pair of two endings is refused: %j, %j to %j", (...asked) => {
    expect(() => edited(...asked)).toThrow(/a CR before an LF/);
  });
});

/** A text as its characters and line endings, and as those with all endings alike. */
const tokens = (text: string): string[] => text.match(/\r\n|[^]/g) ?? [];
const alike = (list: readonly string[]): string[] =>
  list.map((token) => (/[\r\n]/.test(token) ? "\n" : token));

const piece = fc.constantFrom("a", "b", "\n", "\r", "\r\n");
const textOf = (constraints: fc.ArrayConstraints) =>
  fc.array(piece, constraints).map((parts) => parts.join(""));

/** Whether `after` is `before` with one stretch, alike `oldText`, replaced by one alike `newText`. */
function isOneEdit(before: string, after: string, oldText: string, newText: string): boolean {
  const [was, is] = [tokens(before), tokens(after)];
  const [old, fresh] = [alike(tokens(oldText)).join(""), alike(tokens(newText)).join("")];
  return was.some((_, from) => {
    const to = from + old.length;
    const rest = is.length - (was.length - to);
    return (
      rest >= from &&
      alike(was.slice(from, to)).join("") === old &&
      alike(is.slice(from, rest)).join("") === fresh &&
      was.slice(0, from).join() === is.slice(0, from).join() &&
      was.slice(to).join() === is.slice(rest).join()
    );
  });
}

describe("any edit", () => {
  it("[W13] leaves the endings of all other lines as they are, and makes no half pair", () => {
    let done = 0;
    fc.assert(
      fc.property(
        textOf({ maxLength: 12 }),
        textOf({ minLength: 1, maxLength: 3 }),
        textOf({ maxLength: 3 }),
        (text, oldText, newText) => {
          let after: string;
          try {
            after = edited(text, oldText, newText);
          } catch (error) {
            expect(error).toBeInstanceOf(CarrelError);
            return;
          }
          done += 1;
          expect(isOneEdit(text, after, oldText, newText), JSON.stringify(after)).toBe(true);
        },
      ),
      { seed: 11, numRuns: 20_000 },
    );
    expect(done).toBeGreaterThan(2_000);
  });

  it("[W13] of all matches keeps a text of one ending so", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "\n"), { maxLength: 16 });
    const several = lines.filter((text) => text.includes("\n"));
    fc.assert(
      fc.property(
        several,
        lines.filter(({ length }) => length > 0 && length < 4),
        lines,
        fc.constantFrom("\n", "\r\n"),
        (text, old, fresh, ending) => {
          const [oldText, newText] = [old.join(""), fresh.join("")];
          const given = text.join("").replaceAll("\n", ending);
          if (oldText === newText || !text.join("").includes(oldText)) return;
          const after = edited(given, oldText, newText, true);
          const plain = text.join("").replaceAll(oldText, () => newText);
          expect(after).toBe(plain.replaceAll("\n", ending));
        },
      ),
      { seed: 12, numRuns: 5_000 },
    );
  });
});
