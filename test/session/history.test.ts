import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/session/entries.ts";
import { readHistory } from "../../src/session/history.ts";
import { Journal } from "../../src/session/journal.ts";
import { groupTurns } from "../../src/session/transcript.ts";
import type { HistoryMessage } from "../../src/shared/session-api.ts";
import { journals, sometimes } from "./arbitraries.ts";
import { append, bigResult, countedTables, journalOf } from "./journal-fixture.ts";

/** The history page by page, newest page first. */
function readPages(journal: Journal, limit: number): HistoryMessage[][] {
  const pages: HistoryMessage[][] = [];
  for (let before: number | null = journal.last + 1; before !== null;) {
    const page: ReturnType<typeof readHistory> = readHistory(journal, before, limit);
    pages.push(page.messages);
    before = page.before;
  }
  return pages;
}

const usage = { input: 0, output: 0, cached: 0 };
const turnOf = (seq: number, replaces?: string): JournalEntry[] => {
  const own = { turn: `t${seq}`, at: 0 };
  const more = replaces === undefined ? {} : { replaces };
  return [
    { ...own, seq, kind: "user", content: [{ type: "text", text: `q${seq}` }], ...more },
    { ...own, seq: seq + 1, kind: "end", outcome: "completed", usage, steps: 0 },
  ];
};

describe("the history", () => {
  it("loses and doubles no message over its pages, whatever their size", () => {
    fc.assert(
      fc.property(journals, fc.integer({ min: 1, max: 9 }), (entries, limit) => {
        const pages = readPages(journalOf(entries), limit);
        const messages = pages.toReversed().flat();
        const turns = groupTurns(entries).map(({ turn }) => turn);
        expect(messages.map(({ turn, role }) => `${turn} ${role}`)).toEqual(
          turns.flatMap((turn) => [`${turn} user`, `${turn} assistant`]),
        );
        for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit + 1);
        expect(messages).toEqual(readHistory(journalOf(entries), 1_000_000, 1_000).messages);
      }),
      sometimes,
    );
  });

  it("says how each turn ended and shows each call with its result", () => {
    fc.assert(
      fc.property(journals, (entries) => {
        for (const message of readHistory(journalOf(entries), 1_000_000, 1_000).messages) {
          if (message.role === "user") continue;
          const own = entries.filter(({ turn }) => turn === message.turn);
          const end = own.at(-1);
          expect(message.state).toBe(end?.kind === "end" ? end.outcome : "running");
          const calls = message.parts.flatMap((part) => (part.type === "tool" ? [part] : []));
          const results = own.filter(({ kind }) => kind === "result");
          expect(calls.filter(({ result }) => result !== undefined)).toHaveLength(results.length);
          if (message.state !== "running") expect(calls).toHaveLength(results.length);
        }
      }),
      sometimes,
    );
  });

  it("hides an answer that was given anew, also where its page ends between the two", () => {
    const entries = [...turnOf(1), ...turnOf(3, "t1"), ...turnOf(5, "t3"), ...turnOf(7)];
    for (const limit of [1, 2, 3, 4, 8]) {
      const messages = readPages(journalOf(entries), limit).toReversed().flat();
      expect(messages.filter(({ role }) => role === "user").map(({ turn }) => turn)).toEqual([
        "t5",
        "t7",
      ]);
    }
  });

  it("[T12] reads about as many rows as a page shows, however long the session is", () => {
    const { sql, seen } = countedTables();
    const entries = Array.from({ length: 500 }, (_, index) => turnOf(index * 2 + 1)).flat();
    append(sql, new Journal(sql), entries);
    const journal = new Journal(sql);
    seen.rows = 0;
    expect(readHistory(journal, 1_001, 10).messages).toHaveLength(10);
    expect(seen.rows).toBeLessThanOrEqual(2 * 5 + 1);
    seen.rows = 0;
    expect(readHistory(journal, 501, 10).messages).toHaveLength(10);
    expect(seen.rows).toBeLessThanOrEqual(2 * 5 + 2);
  });

  it("ends a page at the first whole turn beyond a million characters", () => {
    const entries = Array.from({ length: 9 }, (_, index) => {
      const [user, end] = turnOf(index * 10 + 1);
      const big = bigResult(index * 10 + 2, 400_000, `t${index * 10 + 1}`);
      return user && end ? [user, big, { ...end, seq: index * 10 + 3 }] : [];
    }).flat();
    const pages = readPages(journalOf(entries), 100);
    expect(pages.map((page) => page.length)).toEqual([6, 6, 6]);
  });
});
