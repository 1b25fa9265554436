import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  entryText,
  MemoryDocument,
  sectionName,
} from "../../../src/memory/consolidation/document.ts";
import { entryId, memoryEntries } from "../../../src/shared/memory-entries.ts";
import { readMark } from "../../../src/shared/memory-marks.ts";

const line = fc.oneof(
  fc.constantFrom("", " ", "# A", "## B b ", "- one", "* two", "3. three", "para", "  more", "\t"),
  fc.constantFrom(
    "<!-- note -->",
    '- x <!-- carrel: {"run":"r"} -->',
    "```js",
    "```",
    "~~~",
    "#no",
  ),
  fc.string({ maxLength: 8 }).map((text) => text.replace(/[\r\n\uFEFF]/g, "")),
);
const text = fc
  .tuple(
    fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 14 }),
    fc.constantFrom("", "\uFEFF"),
    fc.boolean(),
  )
  .map(([lines, bom, isOpen]) => {
    const all = lines.map(([one, end]) => one + end).join("");
    return bom + (isOpen ? all.replace(/[\r\n]+$/, "") : all);
  });

const closed = text.filter((one) => (one.match(/^\s*(?:```|~~~)/gm) ?? []).length % 2 === 0);

describe("MEMORY.md as entries", () => {
  it("[M4] is the same text, byte for byte, while nothing is done to it", () => {
    fc.assert(
      fc.property(text, (one) => {
        const document = new MemoryDocument(one);
        expect(document.text).toBe(one);
        expect(document.entries).toEqual(memoryEntries(one));
        expect(document.isSound).toBe(true);
      }),
      { seed: 4, numRuns: 500 },
    );
  });

  it("[M4] loses one entry, and no other byte", () => {
    fc.assert(
      fc.property(closed, fc.nat(), (one, at) => {
        const document = new MemoryDocument(one);
        const { entries } = document;
        const entry = entries[at % Math.max(1, entries.length)];
        if (!entry) return;
        const bom = one.startsWith("\uFEFF") ? "\uFEFF" : "";
        const lines = one.slice(bom.length).match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
        document.remove(entry);
        lines.splice(entry.start - 1, entry.end - entry.start + 1);
        expect(document.text).toBe(bom + lines.join(""));
      }),
      { seed: 4, numRuns: 500 },
    );
  });

  it("[M7] has an entry back as it was after it was changed", () => {
    fc.assert(
      fc.property(closed, fc.nat(), (one, at) => {
        const document = new MemoryDocument(one);
        const { entries } = document;
        const entry = entries[at % Math.max(1, entries.length)];
        if (!entry) return;
        const { raw } = document.held(entry);
        const sign = document.signOf(entry);
        const now = document.replace(entry, `${sign}something else`);
        const [changed] = document.entries.filter(({ id }) => id === now.id);
        if (!changed) throw new Error("not there");
        document.replace(changed, raw);
        expect(document.text).toBe(one);
      }),
      { seed: 4, numRuns: 500 },
    );
  });

  it("takes a new entry at the end of its section, and reads it again as it was meant", () => {
    fc.assert(
      fc.property(
        closed,
        fc.constantFrom(null, "", "A", "b B", "New"),
        fc.string({ unit: "grapheme" }).map(entryText),
        (one, section, said) => {
          fc.pre(said !== "");
          const document = new MemoryDocument(one);
          const before = document.entries.map(({ id }) => id);
          const held = document.insert(`- ${said}`, section);
          expect(held.id).toBe(entryId(said));
          expect(document.isSound).toBe(true);
          expect(document.entries.map(({ id }) => id).toSorted()).toEqual(
            [...before, held.id].toSorted(),
          );
          expect(memoryEntries(document.text).find(({ id }) => id === held.id)).toBeDefined();
        },
      ),
      { seed: 4, numRuns: 500 },
    );
  });

  it("is not sound when a fence is left open before what is added", () => {
    const document = new MemoryDocument("```\ncode\n");
    document.insert("- new", null);
    expect(document.isSound).toBe(false);
  });
});

describe("the text of an entry", () => {
  it.each([
    ["  Ann \t likes\n tea ", "Ann likes tea"],
    ["- one\n- two", "one two"],
    ["# Head\n\n> said\n```js\ncode\n```", "Head said code"],
    ['x <!-- carrel: {"run":"y"} -->', 'x <! -- carrel: {"run":"y"} -- >'],
    ["a\u0000b\u0007c\u2028d", "abc d"],
    ["\ud800x", "\ufffdx"],
    ["- - #", "#"],
    ["-", "-"],
    ["\n \n", ""],
  ])("is one line without signs: %j", (raw, text) => {
    expect(entryText(raw)).toBe(text);
  });

  it("never holds a mark, a line end or a bullet's sign", () => {
    const part = fc.constantFrom(
      "<!--",
      "-->",
      " carrel: ",
      "{}",
      "\n",
      "\r",
      "- ",
      "# ",
      "```",
      "a",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const one = entryText(parts.join(""));
        expect(one).not.toMatch(/[\r\n]|<!--|^(?:[-*+]|#{1,6})\s/);
        expect(readMark(one)).toBeNull();
      }),
      { seed: 4, numRuns: 500 },
    );
  });

  it.each([
    ["## People ##", "People"],
    ["a\nb", "a b"],
    ["x".repeat(200), "x".repeat(100)],
    [" ", ""],
  ])("names of sections are one line: %j", (raw, name) => {
    expect(sectionName(raw)).toBe(name);
  });
});
