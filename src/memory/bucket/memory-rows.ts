import * as z from "zod";
import { tablesOnWrite, type SchemaSteps } from "../../shared/migrate.ts";
import type { Sql } from "../../shared/sql.ts";
import type { ForgottenWords } from "./forgotten-words.ts";

/**
 * One fact a row: when a throttled job ran last, the lease of a run, what an operation was answered. And what was
 * forgotten, by hashes: no text of it is here.
 */
const STEPS: SchemaSteps = [
  [
    `CREATE TABLE memory_fact(
      name TEXT PRIMARY KEY,
      at INTEGER NOT NULL,
      value TEXT NOT NULL
    ) WITHOUT ROWID`,
  ],
  [
    `CREATE TABLE memory_forgotten(
      id TEXT PRIMARY KEY,
      at INTEGER NOT NULL,
      op TEXT NOT NULL,
      words TEXT NOT NULL
    ) WITHOUT ROWID`,
    "CREATE INDEX memory_forgotten_at ON memory_forgotten(at)",
  ],
];

/** Forgotten entries that are known; the oldest go first. */
const MOST_FORGOTTEN = 1_000;

/** What a run was shown, by what names it: no text, so that what is forgotten meanwhile is nowhere. */
const Shown = z.object({
  /** Ids of MEMORY.md's entries: `M1`… */
  memory: z.array(z.string()).readonly(),
  /** Entries of ledgers, as `2026-11-30#<id>`: `L1`… */
  fresh: z.array(z.string()).readonly(),
  hasMore: z.boolean(),
});

const Lease = z.object({
  run: z.string(),
  slot: z.number().nullable(),
  until: z.number(),
  maxTokens: z.number(),
  shown: Shown,
});

/** What a run was shown, and how long nobody else may begin one. */
export type Lease = Readonly<z.output<typeof Lease>>;

const LastRun = z.object({
  at: z.number().nullable(),
  slot: z.number().nullable(),
  refusals: z.int(),
});

/** When the last run ended (ms), the newest slot that had its run, and how many were refused since one was applied. */
export type LastRun = Readonly<z.output<typeof LastRun>>;

const LEASE = "lease";
const LAST = "last";
const slotName = (name: string): string => `slot:${name}`;
const answerName = (op: string): string => `answer:${op}`;
const ANSWERS = `${answerName("")}%`;

/**
 * What the memory of a bucket keeps beside its files, in tables of its own in the bucket's database: nothing that anybody
 * would miss should it be lost. Every method is one commit, and synchronous.
 */
export class MemoryRows {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = tablesOnWrite(sql, "memory", STEPS, "memory_schema_step");
  }

  /** When that slot was taken last; `null`: never, or it was given back. */
  slot(name: string): number | null {
    return this.#row(slotName(name))?.at ?? null;
  }

  takeSlot(name: string, at: number): void {
    this.#put(slotName(name), at, "");
  }

  dropSlot(name: string): void {
    this.#drop(slotName(name));
  }

  get lease(): Lease | null {
    return this.#parsed(LEASE, Lease);
  }

  setLease(lease: Lease): void {
    this.#put(LEASE, lease.until, JSON.stringify(lease));
  }

  /** Lets go of the lease, whoever has it. */
  dropLease(): void {
    this.#drop(LEASE);
  }

  get last(): LastRun {
    return this.#parsed(LAST, LastRun) ?? { at: null, slot: null, refusals: 0 };
  }

  setLast(last: LastRun): void {
    this.#put(LAST, last.at ?? 0, JSON.stringify(last));
  }

  /** What the operation is going to be answered, or was; `null` when it was not begun, or is long over. */
  answer(op: string): unknown {
    const row = this.#row(answerName(op));
    return row ? JSON.parse(row.value) : null;
  }

  setAnswer(op: string, at: number, answer: unknown): void {
    this.#put(answerName(op), at, JSON.stringify(answer));
  }

  /** Answers to operations whose names begin so, that are kept from a time after `at` on. */
  answersAfter(prefix: string, at: number): readonly unknown[] {
    const query = "SELECT value FROM memory_fact WHERE name LIKE ? AND at > ? ORDER BY at";
    const rows = this.#sql.all<{ value: string }>(query, `${answerName(prefix)}%`, at);
    return rows.map(({ value }) => JSON.parse(value) as unknown);
  }

  /** Lets go of answers that nobody waits for any more: they may hold what was forgotten. */
  dropAnswers(before: number): void {
    const old = "name LIKE ? AND at < ?";
    const query = `SELECT 1 FROM memory_fact WHERE ${old} LIMIT 1`;
    if (this.#sql.all(query, ANSWERS, before).length > 0)
      this.#sql.run(`DELETE FROM memory_fact WHERE ${old}`, ANSWERS, before);
  }

  /** Keeps by what words entries were forgotten. What the same operation has forgotten before keeps its time. */
  addForgotten(op: string, at: number, entries: readonly ForgottenWords[]): void {
    const most = `SELECT id FROM memory_forgotten ORDER BY at DESC, id LIMIT ${MOST_FORGOTTEN}`;
    this.#sql.transaction(() => {
      for (const { id, words } of entries)
        this.#sql.run(
          `INSERT INTO memory_forgotten(id, at, op, words) VALUES (?, ?, ?, ?) ON CONFLICT(id)
           DO UPDATE SET at = excluded.at, op = excluded.op WHERE op <> excluded.op`,
          id,
          at,
          op,
          words.join(" "),
        );
      this.#sql.run(`DELETE FROM memory_forgotten WHERE id NOT IN (${most})`);
    });
  }

  /** What was forgotten at this time (ms) or later. */
  forgottenSince(at: number): readonly ForgottenWords[] {
    type Stored = { readonly id: string; readonly words: string };
    const query = "SELECT id, words FROM memory_forgotten WHERE at >= ?";
    const rows = this.#sql.all<Stored>(query, at);
    return rows.map(({ id, words }) => ({ id, words: words === "" ? [] : words.split(" ") }));
  }

  dropForgotten(before: number): void {
    const query = "SELECT 1 FROM memory_forgotten WHERE at < ? LIMIT 1";
    if (this.#sql.all(query, before).length > 0)
      this.#sql.run("DELETE FROM memory_forgotten WHERE at < ?", before);
  }

  #row(name: string): { readonly at: number; readonly value: string } | null {
    const query = "SELECT at, value FROM memory_fact WHERE name = ?";
    return this.#sql.all<{ at: number; value: string }>(query, name)[0] ?? null;
  }

  #parsed<Value>(name: string, type: z.ZodType<Value>): Value | null {
    const row = this.#row(name);
    return row ? (type.safeParse(JSON.parse(row.value)).data ?? null) : null;
  }

  #put(name: string, at: number, value: string): void {
    this.#sql.run("INSERT OR REPLACE INTO memory_fact VALUES (?, ?, ?)", name, at, value);
  }

  #drop(name: string): void {
    if (this.#row(name)) this.#sql.run("DELETE FROM memory_fact WHERE name = ?", name);
  }
}
