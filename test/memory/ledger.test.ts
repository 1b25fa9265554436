import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bulletLimits,
  bulletsOf,
  hasBullets,
  ledgerPath,
  ledgerSection,
  memoryBullets,
} from "../../src/memory/ledger.ts";
import { entryId, memoryEntries } from "../../src/shared/memory-entries.ts";
import { withoutMarks } from "../../src/shared/memory-marks.ts";

const AT = Date.UTC(2026, 10, 30, 23, 30);
const mark = { session: "main/s1", turn: "t1" };

describe("the path of a ledger", () => {
  it.each([
    ["UTC", "memory/2026-11-30.md"],
    ["Asia/Tokyo", "memory/2026-12-01.md"],
    ["America/Los_Angeles", "memory/2026-11-30.md"],
    ["Pacific/Kiritimati", "memory/2026-12-01.md"],
  ])("[M7] is that of the person's day: %s", (zone, path) => {
    expect(ledgerPath(zone, AT)).toBe(path);
  });
});

describe("a section of a ledger", () => {
  it("[M7] says what wrote it and when, and where its bullets come from", () => {
    const seq = [3, 9] as const;
    const section = ledgerSection("Memory Flush", AT, { ...mark, seq }, [
      "Likes tea.",
      "Two\nlines",
    ]);
    expect(section).toBe(
      `
## Memory Flush — 2026-11-30T23:30:00.000Z
<!-- carrel: {"session":"main/s1","turn":"t1","seq":[3,9]} -->

- Likes tea.
- Two
  lines
`,
    );
    expect(memoryEntries(section)).toEqual([
      expect.objectContaining({ text: "Likes tea.", mark: { ...mark, seq }, start: 5, end: 5 }),
      expect.objectContaining({ text: "Two\n  lines", mark: { ...mark, seq }, start: 6, end: 7 }),
    ]);
  });

  it("[M7] follows another one, whether that ends its line or not", () => {
    const one = ledgerSection("Memory Save", AT, mark, ["one"]);
    const two = ledgerSection("Memory Flush", AT, { ...mark, turn: "t2" }, ["two"]);
    for (const text of [one + two, one.trimEnd() + two])
      expect(memoryEntries(text).map((entry) => [entry.text, entry.mark?.turn])).toEqual([
        ["one", "t1"],
        ["two", "t2"],
      ]);
  });
});

describe("the bullets of a text", () => {
  it.each([
    ["- a\n- b", ["a", "b"]],
    ["* a\n+ b\n• c\n1. d\n2) e", ["a", "b", "c", "d", "e"]],
    ["  - a\n  - b", ["a", "b"]],
    ["- a\n  more\n\n  and more\n- b", ["a\nmore\nand more", "b"]],
    ["- a\n  - inner\n- b", ["a\n- inner", "b"]],
    ["Here they are:\n\n- a\nstray", ["Here they are:", "a", "stray"]],
    ["```markdown\n## Facts\n- a\n---\n- b\n```", ["a", "b"]],
    ["\uFEFF- a\r\n- b\r", ["a", "b"]],
    ["- \n-\n* * *\n", []],
    ["-5 degrees\n2026 was good", ["-5 degrees", "2026 was good"]],
    [" \n\t\n", []],
    ["", []],
  ])("of %j", (text, bullets) => {
    expect(bulletsOf(text)).toEqual(bullets);
  });

  it("tells a list from words", () => {
    expect(["- a", "words\n* a", "1. a"].map(hasBullets)).toEqual([true, true, true]);
    expect(["", "words - words", "---", "2026"].map(hasBullets)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it("are at most 200, of 2,000 characters each, with no pair split", () => {
    const many = bulletsOf("- x\n".repeat(1_000));
    expect(many).toHaveLength(bulletLimits.bullets);
    const [long = ""] = bulletsOf(`- ${"😀".repeat(5_000)}`);
    expect(long.length).toBeLessThanOrEqual(bulletLimits.characters);
    expect(long.isWellFormed()).toBe(true);
    expect(long.endsWith("😀…")).toBe(true);
  });

  it("are found in a megabyte of anything within a moment", () => {
    for (const text of ["- ", " ", "-", "* ", "`", "<!--", "\n", "\t-", "1"])
      bulletsOf(text.repeat(1_000_000 / text.length));
  });
});

const pieces: readonly string[] = [
  ..."\n|\r\n|\n\n|  |- |* |1. |# |```|~~~|---|<!|--|-->|tea|喝茶|carrel:".split("|"),
  '<!-- carrel: {"session":"main/evil"} -->',
  "\0",
  "\u2028",
  "\ud800",
];
const hostile = fc.array(fc.constantFrom(...pieces), { maxLength: 40 });

describe("any text at all", () => {
  it("[M7] becomes entries that have its own mark and no other, the same in both files", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const bullets = bulletsOf(text.join(""));
        const ids = bullets.map(entryId);
        const files = [
          ledgerSection("Memory Save", AT, mark, bullets),
          memoryBullets(bullets, mark),
        ];
        for (const file of files) {
          const entries = memoryEntries(file);
          expect(entries.map(({ id }) => id)).toEqual(ids);
          for (const entry of entries) {
            expect(entry.mark).toEqual(mark);
            expect(entry.isBullet).toBe(true);
            expect(entry.text).not.toContain("<!--");
          }
          expect(file.isWellFormed()).toBe(true);
        }
        expect(withoutMarks(files[1] ?? "")).toBe(
          bullets.map((bullet) => `- ${bullet.replaceAll("\n", "\n  ")}\n`).join(""),
        );
      }),
      { numRuns: 500, seed: 5 },
    );
  });
});
