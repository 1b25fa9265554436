import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/session/entries.ts";
import { Journal, sizeOf } from "../../src/session/journal.ts";
import type { CarrelError } from "../../src/shared/errors.ts";
import { journals, sometimes } from "./arbitraries.ts";
import { append, bigResult, countedTables, emptyTables, journalOf } from "./journal-fixture.ts";

/** Everything from `from` on, page by page. */
function readAll(journal: Journal, from = 1): JournalEntry[][] {
  const pages: JournalEntry[][] = [];
  for (let page = journal.read(from); page.length > 0;) {
    pages.push([...page]);
    page = journal.read((page.at(-1)?.seq ?? 0) + 1);
  }
  return pages;
}

const charsOf = (page: readonly JournalEntry[]) => JSON.stringify(page).length;

describe("the journal", () => {
  it("gives back what was appended, from memory and from its rows, from any seq on", () => {
    fc.assert(
      fc.property(journals, fc.nat(40), (entries, from) => {
        const sql = emptyTables();
        const warm = new Journal(sql);
        append(sql, warm, entries);
        const cold = new Journal(sql);
        const expected = entries.filter(({ seq }) => seq >= from);
        expect(readAll(warm, from).flat()).toEqual(expected);
        expect(readAll(cold, from).flat()).toEqual(expected);
        expect(cold.window(from)).toEqual(expected);
        expect([...cold.backwards(from)].toReversed()).toEqual(
          entries.filter(({ seq }) => seq < from),
        );
        expect(cold.last).toBe(entries.at(-1)?.seq);
      }),
      sometimes,
    );
  });

  it("is empty at first", () => {
    const journal = new Journal(emptyTables());
    expect(journal.last).toBe(0);
    expect(journal.read(1)).toEqual([]);
    expect([...journal.backwards(5)]).toEqual([]);
  });

  it("[S1] shows a reader that had read all of it what comes next, also just after it was loaded", () => {
    const sql = emptyTables();
    const journal = journalOf([bigResult(1, 5), bigResult(2, 5)], sql);
    expect(journal.read(2).map(({ seq }) => seq)).toEqual([2]);
    append(sql, journal, [bigResult(3, 5)]);
    expect(journal.read(2).map(({ seq }) => seq)).toEqual([2, 3]);
    append(sql, journal, [bigResult(5, 5)]);
    expect(journal.read(2).map(({ seq }) => seq)).toEqual([2, 3, 5]);
  });

  it("has a transaction that throws leave nothing behind", () => {
    const sql = emptyTables();
    const journal = new Journal(sql);
    const { seq, turn, at, ...fact } = bigResult(1, 5);
    const failing = () =>
      sql.transaction(() => {
        journal.insert(seq, turn, at, fact);
        throw new Error("no");
      });
    expect(failing).toThrow("no");
    expect(journal.last).toBe(0);
    expect(new Journal(sql).last).toBe(0);
  });

  it.each([
    ["1.9 MB of letters", "a", 1_899_000, true],
    ["more than 1.9 MB of letters", "a", 1_900_001, false],
    ["1.9 MB in three-byte characters", "漢", 633_000, true],
    ["more than 1.9 MB in three-byte characters", "漢", 633_400, false],
    ["1.9 MB in emoji", "😀", 474_000, true],
    ["more than 1.9 MB in emoji", "😀", 475_100, false],
    ["more than 1.9 MB of what JSON escapes", "\n", 950_100, false],
  ])("takes a row of at most 1.9 MB: %s", (_, letter, count, isTaken) => {
    const sql = emptyTables();
    const journal = new Journal(sql);
    const text = letter.repeat(count);
    const insert = () =>
      sql.transaction(() =>
        journal.insert(1, "t", 0, { kind: "user", content: [{ type: "text", text }] }),
      );
    if (isTaken) insert();
    else
      expect(insert).toThrow(expect.objectContaining<Partial<CarrelError>>({ code: "too_large" }));
    const [row] = sql.all<{ bytes: number | null }>(
      "SELECT max(octet_length(body)) AS bytes FROM journal",
    );
    if (isTaken) expect(row?.bytes).toBeGreaterThan(1_890_000);
    expect(row?.bytes ?? 0).toBeLessThanOrEqual(isTaken ? 1_900_000 : 0);
  });

  it("is read in bounded pages, however long it is: 12 MB in pages of 64,000 characters", () => {
    const entries = Array.from({ length: 1_200 }, (_, index) => bigResult(index + 1, 10_000));
    const pages = readAll(journalOf(entries));
    expect(pages.flat()).toHaveLength(1_200);
    for (const page of pages) expect(charsOf(page)).toBeLessThan(64_000 + 12_000);
  });

  it("gives an entry that is larger than a page alone, and then the next", () => {
    const sizes = [200_000, 10, 1_500_000, 70_000, 10];
    const entries = sizes.map((size, index) => bigResult(index + 1, size));
    const pages = readAll(journalOf(entries)).map((page) => page.map(({ seq }) => seq));
    expect(pages).toEqual([[1], [2, 3], [4], [5]]);
  });

  it("[T12] costs a reader that keeps up no statement, and holds no more than about 256,000 characters for it", () => {
    const { sql, seen } = countedTables();
    const journal = new Journal(sql);
    const sizes: number[] = [];
    for (let seq = 1; seq <= 100; seq++) {
      append(sql, journal, [bigResult(seq, 20_000)]);
      const before = seen.statements;
      expect(journal.read(seq).map((entry) => entry.seq)).toEqual([seq]);
      expect(seen.statements).toBe(before);
      let oldest = seq;
      while (oldest > 1 && journal.read(oldest - 1).length > 0 && seen.statements === before)
        oldest--;
      sizes.push((seq - oldest + 1) * 20_000);
    }
    expect(Math.max(...sizes)).toBeGreaterThan(200_000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(300_000);
  });

  it("[T12] counts questions, answers and permissions by what they hold", () => {
    const long = "x".repeat(200_000);
    const rule = { tool: "send", path: long } as const;
    const head = { turn: "t", at: 0, call: "c", name: "send", digest: "d" } as const;
    const asked = { ...head, kind: "asked", what: "approval", input: "{}", expiresAt: 1 } as const;
    const answered = { ...head, kind: "answered", answer: "denied", by: "user:ann" } as const;
    const permissions = { kind: "permissions", by: "user:ann", mode: "DEFAULT" } as const;
    const large: readonly JournalEntry[] = [
      { ...asked, seq: 1, reason: long, suggested: [] },
      { ...asked, seq: 2, reason: "", suggested: [rule] },
      { ...answered, seq: 3, reason: long },
      { seq: 4, turn: "", at: 0, ...permissions, allow: [rule], ask: [], deny: [] },
      { seq: 5, turn: "", at: 0, ...permissions, allow: [], ask: [], deny: [rule] },
    ];
    for (const entry of large) expect(sizeOf(entry), entry.kind).toBeGreaterThanOrEqual(200_000);
    const { sql, seen } = countedTables();
    const journal = new Journal(sql);
    append(sql, journal, large);
    const before = seen.statements;
    expect(journal.read(5).map(({ seq }) => seq)).toEqual([5]);
    expect(seen.statements).toBe(before);
    journal.read(4);
    expect(seen.statements).toBe(before + 1);
  });

  it("gives the context facts of turns only", () => {
    const cleared: JournalEntry = { seq: 2, turn: "", at: 0, kind: "cleared", by: "user:ann" };
    const journal = journalOf([bigResult(1, 5), cleared, bigResult(3, 5)]);
    expect(journal.window(1).map(({ seq }) => seq)).toEqual([1, 3]);
    expect(journal.read(1).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it("notices entries of another instance", () => {
    const sql = emptyTables();
    const old = journalOf([bigResult(1, 5)], sql);
    expect(old.isOutdated()).toBe(false);
    append(sql, new Journal(sql), [bigResult(2, 5)]);
    expect(old.isOutdated()).toBe(true);
  });
});
