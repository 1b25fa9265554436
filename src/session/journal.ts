import { tooLarge } from "../shared/errors.ts";
import type { Sql } from "../shared/sql.ts";
import { NO_TURN, type Fact, type JournalEntry } from "./entries.ts";

type Row = { seq: number; turn: string; kind: string; at: number; body: string };

/** Documented limit of a row is 2 MB and local runtimes do not enforce it, so we do. */
const MAX_BODY_BYTES = 1_900_000;
const RECENT_CHARS = 256_000;
const PAGE_CHARS = 64_000;

const encoder = new TextEncoder();

/** Whether a row can hold this body. */
export const fitsRow = (body: string): boolean =>
  body.length <= MAX_BODY_BYTES / 3 || encoder.encode(body).byteLength <= MAX_BODY_BYTES;

/**
 * The append-only log of one session. The newest entries stay in memory (a bounded number of characters),
 * so a reader that keeps up costs no statement.
 */
export class Journal {
  readonly #sql: Sql;
  #recent: { entry: JournalEntry; chars: number }[] = [];
  #recentChars = 0;
  /** Every entry with a seq above this one is in `#recent`. */
  #recentAfter: number;
  #page: { after: number; entries: readonly JournalEntry[] } | null = null;
  #last: number;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#last =
      sql.all<{ seq: number | null }>("SELECT max(seq) AS seq FROM journal")[0]?.seq ?? 0;
    this.#recentAfter = this.#last;
  }

  /** Seq of the newest entry; 0 when there is none. */
  get last(): number {
    return this.#last;
  }

  /** Whether another instance has written entries that this one does not know. */
  isOutdated(): boolean {
    const row = this.#sql.all<{ seq: number | null }>("SELECT max(seq) AS seq FROM journal")[0];
    return (row?.seq ?? 0) > this.#last;
  }

  /** Reads as empty from now on: for a session that was deleted, whose rows are gone or about to be. */
  forget(): void {
    this.#recent = [];
    this.#recentChars = 0;
    this.#recentAfter = 0;
    this.#page = null;
    this.#last = 0;
  }

  /** Inserts a row inside the caller's transaction. The entry counts once the caller `publish`es it after the commit. */
  insert(seq: number, turn: string, at: number, fact: Fact): JournalEntry {
    const { kind, ...rest } = fact;
    const body = JSON.stringify(rest);
    if (!fitsRow(body)) throw tooLarge("One entry of the session", "1.9 MB");
    this.#sql.run(
      "INSERT INTO journal(seq, turn, kind, at, body) VALUES (?, ?, ?, ?, ?)",
      seq,
      turn,
      kind,
      at,
      body,
    );
    return { seq, turn, at, ...fact };
  }

  /** Makes committed entries visible to readers, in the order of their seqs. */
  publish(entries: readonly JournalEntry[]): void {
    // A page that ends with the newest entry is no longer whole.
    if ((this.#page?.entries.at(-1)?.seq ?? 0) >= this.#last) this.#page = null;
    for (const entry of entries) {
      const chars = sizeOf(entry);
      this.#recent.push({ entry, chars });
      this.#recentChars += chars;
      this.#last = entry.seq;
    }
    while (this.#recentChars > RECENT_CHARS && this.#recent.length > 1) {
      const dropped = this.#recent.shift();
      if (!dropped) break;
      this.#recentChars -= dropped.chars;
      this.#recentAfter = dropped.entry.seq;
    }
  }

  /**
   * Entries with a seq of at least `from`, oldest first: at least one if there is any, else at most about 64,000
   * characters. Holding on to the answer holds memory: readers keep a cursor instead and ask again.
   */
  read(from: number): readonly JournalEntry[] {
    if (from > this.#last) return [];
    if (from > this.#recentAfter) return this.#recentFrom(from);
    if (this.#page?.after === from) return this.#page.entries;
    const entries: JournalEntry[] = [];
    let chars = 0;
    for (const row of this.#sql.each<Row>(
      "SELECT seq, turn, kind, at, body FROM journal WHERE seq >= ? ORDER BY seq LIMIT 500",
      from,
    )) {
      entries.push(toEntry(row));
      chars += row.body.length;
      if (chars >= PAGE_CHARS) break;
    }
    this.#page = { after: from, entries };
    return entries;
  }

  /** The first entry with a seq of at least `from`, read alone; `null` when there is none. */
  first(from: number): JournalEntry | null {
    if (from > this.#recentAfter) return this.#recentFrom(from)[0] ?? null;
    const [row] = this.#sql.all<Row>(
      "SELECT seq, turn, kind, at, body FROM journal WHERE seq >= ? ORDER BY seq LIMIT 1",
      from,
    );
    return row ? toEntry(row) : null;
  }

  #recentFrom(from: number): readonly JournalEntry[] {
    let low = 0;
    let high = this.#recent.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#recent[middle]?.entry.seq ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    return this.#recent.slice(low).map((item) => item.entry);
  }

  /** All entries of turns from `from` on: only for the bounded window of the context, never for the whole log. */
  window(from: number): JournalEntry[] {
    const query =
      "SELECT seq, turn, kind, at, body FROM journal WHERE seq >= ? AND turn <> ? ORDER BY seq";
    return this.#sql.all<Row>(query, from, NO_TURN).map(toEntry);
  }

  /** What a person said from `from` on and below `before`, and which of it was moved to files. */
  said(from: number, before: number): JournalEntry[] {
    const query =
      "SELECT seq, turn, kind, at, body FROM journal WHERE seq >= ? AND seq < ? AND kind IN ('user', 'steered', 'shortened') ORDER BY seq";
    return this.#sql.all<Row>(query, from, before).map(toEntry);
  }

  /** The entries with these seqs, oldest first. */
  these(seqs: readonly number[]): JournalEntry[] {
    const query =
      "SELECT seq, turn, kind, at, body FROM journal WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq";
    return this.#sql.all<Row>(query, JSON.stringify(seqs)).map(toEntry);
  }

  /** The newest step with a seq of at least `from` and all of its turn after it; empty where there is none. */
  newestStep(from: number): JournalEntry[] {
    const query = "SELECT max(seq) AS seq FROM journal WHERE seq >= ? AND kind = 'step'";
    const seq = this.#sql.all<{ seq: number | null }>(query, from)[0]?.seq ?? null;
    return seq === null ? [] : this.window(seq);
  }

  /** Entries below `before`, newest first, read one by one as the caller takes them. */
  *backwards(before: number): Iterable<JournalEntry> {
    for (const row of this.#sql.each<Row>(
      "SELECT seq, turn, kind, at, body FROM journal WHERE seq < ? ORDER BY seq DESC",
      before,
    )) {
      yield toEntry(row);
    }
  }
}

function toEntry(row: Row): JournalEntry {
  const fact = { kind: row.kind, ...(JSON.parse(row.body) as object) } as Fact;
  return { seq: row.seq, turn: row.turn, at: row.at, ...fact };
}

/** Roughly the characters that an entry holds in memory, images included. */
export function sizeOf(entry: JournalEntry): number {
  if (entry.kind === "user" || entry.kind === "result" || entry.kind === "steered") {
    return entry.content.reduce(
      (sum, part) => sum + (part.type === "text" ? part.text : part.data).length,
      100,
    );
  }
  if (entry.kind === "attached") {
    return entry.files.reduce((sum, { path, text }) => sum + path.length + text.length, 100);
  }
  if (entry.kind === "step") {
    return entry.parts.reduce(
      (sum, part) => sum + (part.type === "tool-call" ? part.input : part.text).length,
      100,
    );
  }
  if (entry.kind === "asked") {
    const { input, reason, suggested } = entry;
    return 100 + input.length + reason.length + JSON.stringify(suggested).length;
  }
  if (entry.kind === "answered")
    return 100 + (entry.input?.length ?? 0) + (entry.reason?.length ?? 0);
  if (entry.kind === "permissions") return JSON.stringify(entry).length;
  if (entry.kind === "repair") return 100 + entry.text.length;
  if (entry.kind === "compacted") return 300 + (entry.summary?.length ?? 0);
  if (entry.kind === "end") return 100 + (JSON.stringify(entry.output)?.length ?? 0);
  return 100;
}
