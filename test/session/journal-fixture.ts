import type { Fact, JournalEntry } from "../../src/session/entries.ts";
import { Journal } from "../../src/session/journal.ts";
import { sessionTables } from "../../src/session/schema.ts";
import type { Sql } from "../../src/shared/sql.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";

/** A session's empty tables. */
export function emptyTables(): Sql {
  const sql = nodeSql(openDatabase());
  sessionTables(sql).transaction(() => {});
  return sql;
}

/** The same, noting every statement that reads or writes and the rows it gave. */
export function countedTables(): {
  readonly sql: Sql;
  readonly seen: { statements: number; rows: number };
} {
  const sql = emptyTables();
  const seen = { statements: 0, rows: 0 };
  const counted: Sql = {
    all(query, ...params) {
      const rows = sql.all(query, ...params);
      seen.statements++;
      seen.rows += rows.length;
      return rows as never[];
    },
    *each(query, ...params) {
      seen.statements++;
      for (const row of sql.each(query, ...params)) {
        seen.rows++;
        yield row as never;
      }
    },
    run(query, ...params) {
      seen.statements++;
      return sql.run(query, ...params);
    },
    transaction: (work) => sql.transaction(work),
  };
  return { sql: counted, seen };
}

/** Writes entries as commits would, each in its own. */
export function append(sql: Sql, journal: Journal, entries: readonly JournalEntry[]): void {
  for (const { seq, turn, at, ...fact } of entries) {
    journal.publish([sql.transaction(() => journal.insert(seq, turn, at, fact as Fact))]);
  }
}

/** A journal that has just been loaded over these entries. */
export function journalOf(entries: readonly JournalEntry[], sql = emptyTables()): Journal {
  append(sql, new Journal(sql), entries);
  return new Journal(sql);
}

/** A tool result of so many characters. */
export const bigResult = (seq: number, chars: number, turn = "t"): JournalEntry => ({
  seq,
  turn,
  at: 0,
  kind: "result",
  call: `c${seq}`,
  name: "tool",
  status: "success",
  content: [{ type: "text", text: "x".repeat(chars) }],
});
