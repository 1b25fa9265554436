import { describe, expect, it } from "vitest";
import { allBulletsOf, memoryBullets } from "../../src/memory/ledger.ts";
import { MemoryDocument } from "../../src/memory/consolidation/document.ts";
import { EntryFinder } from "../../src/memory/tools/remembered.ts";
import { memoryEntries } from "../../src/shared/memory-entries.ts";
import { readMark, withoutMarks, writeMark } from "../../src/shared/memory-marks.ts";
import { blocksOf } from "../../src/workspace/index/blocks.ts";

const MARK = writeMark({ session: "main/s1", turn: "a-->{<b" });

describe("marks", () => {
  it.each([
    [`- tea ${MARK}`, "- tea"],
    [`- tea \t ${MARK} \t`, "- tea \t"],
    [`a${MARK}b\n\n${MARK}\r\nc`, "ab\n\n\r\nc"],
    ["<!-- a comment --> <!-- carrel: {", "<!-- a comment --> <!-- carrel: {"],
    ['<!-- carrel: {"run":\n"r"} -->', '<!-- carrel: {"run":\n"r"} -->'],
    ['<!-- carrel: {"run":\r"r"} -->', '<!-- carrel: {"run":\r"r"} -->'],
  ])("[M7] are taken out of %j, and nothing else is", (text, rest) => {
    expect(withoutMarks(text)).toBe(rest);
  });

  it("[M7] are not left over where one stands in another", () => {
    let nested = MARK;
    for (let depth = 0; depth < 5; depth += 1) {
      nested = `x <!-- car${nested}rel: {"run":"r"} --> y`;
      const rest = withoutMarks(nested);
      expect(rest).not.toMatch(/<!-- carrel/);
      expect(withoutMarks(rest)).toBe(rest);
    }
  });

  it("[M7] are read at the end of a line only", () => {
    expect(readMark(`- tea ${MARK}  `)).toEqual({ session: "main/s1", turn: "a-->{<b" });
    expect(readMark(`- tea ${MARK} x`)).toBeNull();
    expect(readMark(`- tea ${MARK} ${writeMark({ run: "r" })}`)).toEqual({ run: "r" });
    expect(readMark("- tea <!-- carrel: {no json} -->")).toBeNull();
  });
});

const LONG = 1_000_000;
const hostile = {
  spaces: `<!-- carrel: {${" ".repeat(LONG)}x`,
  tabs: `- a${"\t".repeat(LONG)}<!-- carrel: {`,
  openings: "<!-- carrel: {".repeat(LONG / 14),
  halves: "<!-- carrel: {} --".repeat(LONG / 18),
  nested: `${"<!-- car".repeat(LONG / 40)}${"<!-- carrel: {} -->rel: {} -->".repeat(LONG / 60)}`,
  heading: `# ${" ".repeat(LONG)}a\u2028b`,
  bullet: `- ${" ".repeat(LONG)}a\u2028b`,
  signs: `a${"!".repeat(LONG)}b`,
};

describe("a megabyte that somebody wrote to be slow", () => {
  const uses: Record<string, (text: string) => unknown> = {
    withoutMarks,
    readMark,
    memoryEntries,
    allBulletsOf,
    blocksOf: (text) => blocksOf(text, "a.md"),
    heading: (text) => new MemoryDocument(`- a\n${text}\n`).insert("- b", "c"),
    found: (text) => new EntryFinder(["b"]).look([{ id: "x", text, path: "MEMORY.md", line: 1 }]),
  };

  it.each(Object.keys(hostile) as (keyof typeof hostile)[])(
    "[R1] is read in time that grows with its length: %s",
    (kind) => {
      for (const [name, use] of Object.entries(uses)) {
        const began = performance.now();
        use(hostile[kind]);
        // Minutes, where it grows with the square.
        expect([name, performance.now() - began < 1_000]).toEqual([name, true]);
      }
    },
  );

  it("[R1] many equal entries are taken away one by one", () => {
    const document = new MemoryDocument("- a\n".repeat(20_000));
    const began = performance.now();
    for (const entry of document.entries) document.remove(entry);
    expect(document.text).toBe("");
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it("[R1] many wide bullets are saved and read again", () => {
    const bullets = Array.from({ length: 200 }, (_, at) => `a${" ".repeat(1_990)}${at}`);
    const began = performance.now();
    expect(memoryEntries(memoryBullets(bullets, { session: "main/s", turn: "t" }))).toHaveLength(
      200,
    );
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it("[R1] long wishes are compared with few of very many entries", () => {
    const cjk = (from: number) =>
      String.fromCodePoint(
        ...Array.from({ length: 4_000 }, (_, at) => 0x4e00 + ((at * 7 + from) % 20_000)),
      );
    const finder = new EntryFinder(Array.from({ length: 20 }, (_, at) => cjk(at * 3)));
    const entries = Array.from({ length: 10_000 }, (_, line) => {
      return { id: `${line}`, text: `Ann likes tea number ${line}`, path: "MEMORY.md", line };
    });
    const began = performance.now();
    finder.look(entries);
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(finder.missed).toHaveLength(20);
  });
});
