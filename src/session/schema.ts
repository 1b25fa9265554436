import { tablesOnWrite, type SchemaSteps } from "../shared/migrate.ts";
import type { Sql } from "../shared/sql.ts";

/**
 * The tables of a session, as numbered steps. `turn` is inbox, idempotency ledger and recovery record in one
 * row; `journal` holds append-only facts; `live` a checkpoint of the step being streamed; `unsaid` facts
 * that have to wait for its end; `state` small derived documents; `job` everything that must happen later. WITHOUT ROWID makes a write by text key cost
 * one row instead of two.
 */
const STEPS: SchemaSteps = [
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
  [
    // Seq of the `waiting` entry that a turn rests at.
    `ALTER TABLE turn ADD COLUMN since INTEGER`,
    // The turn that a queued message is for; absent where it is for none.
    `ALTER TABLE turn ADD COLUMN steers TEXT`,
    // The turn that a steered message was taken into.
    `ALTER TABLE turn ADD COLUMN joined TEXT`,
  ],
  [
    // Facts of no turn that go into the journal once the step that is being streamed is in it.
    `CREATE TABLE unsaid(no INTEGER PRIMARY KEY, body TEXT NOT NULL)`,
    `INSERT INTO unsaid(body)
     SELECT fact.value FROM state, json_each(state.body) AS fact WHERE state.name = 'unsaid' ORDER BY fact.key`,
    `DELETE FROM state WHERE name = 'unsaid'`,
  ],
  [
    // What was handed on. `turn`: the one that waits for it.
    `CREATE TABLE task(
      id TEXT PRIMARY KEY,
      no INTEGER NOT NULL,
      agent TEXT NOT NULL,
      session TEXT,
      title TEXT NOT NULL,
      state TEXT NOT NULL,
      turn TEXT,
      result TEXT,
      error TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      delivered_at INTEGER
    ) WITHOUT ROWID`,
    `CREATE INDEX task_no ON task(no)`,
    `CREATE INDEX task_open ON task(no) WHERE state IN ('pending', 'running')`,
    `CREATE INDEX task_news ON task(no)
      WHERE delivered_at IS NULL AND turn IS NULL AND NOT state IN ('pending', 'running')`,
    // The sessions of subagents. `reported`: the id of the newest event that was heard of it.
    `CREATE TABLE child(
      session TEXT PRIMARY KEY,
      no INTEGER NOT NULL,
      agent TEXT NOT NULL,
      label TEXT UNIQUE,
      exposed INTEGER NOT NULL,
      reported TEXT NOT NULL,
      pending TEXT NOT NULL
    ) WITHOUT ROWID`,
    `CREATE INDEX child_no ON child(no)`,
    `CREATE INDEX child_asks ON child(no) WHERE pending <> '[]'`,
  ],
];

/** The tables of a session, brought up to date, or made at the first write: see `tablesOnWrite`. */
export const sessionTables = (sql: Sql): Sql => tablesOnWrite(sql, "session", STEPS);
