import type { Sql } from "../shared/sql.ts";

/**
 * The tables of a session, as numbered steps. `turn` is inbox, idempotency ledger and recovery record in one
 * row; `journal` holds append-only facts; `live` a checkpoint of the step being streamed; `state` small
 * derived documents; `job` everything that must happen later. WITHOUT ROWID makes a write by text key cost
 * one row instead of two.
 */
const STEPS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE turn(
      id TEXT PRIMARY KEY,
      no INTEGER NOT NULL,
      digest TEXT NOT NULL,
      state TEXT NOT NULL,
      accepted_at INTEGER NOT NULL,
      input TEXT,
      start INTEGER,
      attempt INTEGER,
      epoch TEXT,
      strikes INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID`,
    `CREATE TABLE journal(
      seq INTEGER PRIMARY KEY,
      turn TEXT NOT NULL,
      kind TEXT NOT NULL,
      at INTEGER NOT NULL,
      body TEXT NOT NULL
    )`,
    `CREATE TABLE live(turn TEXT PRIMARY KEY, seq INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID`,
    `CREATE TABLE state(name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID`,
    `CREATE TABLE job(
      id TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      due INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      payload TEXT NOT NULL
    ) WITHOUT ROWID`,
  ],
];

/**
 * Brings the tables up to date; cheap when they are. A database written by newer code is refused, never
 * guessed at: after a rollback the session answers errors until the newer code is back.
 */
export function migrate(sql: Sql): void {
  sql.run("CREATE TABLE IF NOT EXISTS schema_step(step INTEGER PRIMARY KEY)");
  const done =
    sql.all<{ step: number | null }>("SELECT max(step) AS step FROM schema_step")[0]?.step ?? 0;
  if (done > STEPS.length)
    throw new Error(`the session's tables are at step ${done}, this code knows ${STEPS.length}`);
  for (let step = done; step < STEPS.length; step++) {
    sql.transaction(() => {
      for (const statement of STEPS[step] ?? []) sql.run(statement);
      sql.run("INSERT INTO schema_step(step) VALUES (?)", step + 1);
    });
  }
}
