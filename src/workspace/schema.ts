import { tablesOnWrite, type SchemaSteps } from "../shared/migrate.ts";
import type { Sql } from "../shared/sql.ts";

/**
 * The tables of a bucket. `file` is the index and `part` the text, split so that an append writes one short row;
 * `whiteout` hides lower layers; `version` is what files held before; `segment` says which parts of a log only the
 * store has; `op` is the ledger of what was done, and `staged` what imports hold until they are committed.
 *
 * About the store: `dirty` is since when (ms) it is behind, and `settled` when it last confirmed the row. A row of type
 * `gone`, or a whiteout that is not `present`, stands until the store has let go of it. `unsure` names keys at which a
 * call whose answer was lost may still act; `outdated` those that may for two minutes still show what is not there any
 * more; `orphan` what nothing refers to, since it was first seen; `adopted` what a rebuild of several calls has found
 * so far. WITHOUT ROWID makes a write by text key cost one row instead of two.
 *
 * For search: `indexed` says which files are in the index, as they were when; `excerpt` shows what was found, and
 * `word` finds it.
 */
const STEPS: SchemaSteps = [
  [
    `CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
    `CREATE TABLE file(
      path TEXT PRIMARY KEY,
      version INTEGER NOT NULL,
      type TEXT NOT NULL,
      size INTEGER NOT NULL,
      sha256 TEXT,
      executable INTEGER NOT NULL,
      at INTEGER NOT NULL,
      author TEXT NOT NULL,
      body INTEGER,
      dirty INTEGER,
      tag TEXT,
      settled INTEGER
    ) WITHOUT ROWID`,
    `CREATE TABLE part(
      body INTEGER NOT NULL,
      no INTEGER NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY(body, no)
    ) WITHOUT ROWID`,
    `CREATE TABLE whiteout(
      path TEXT PRIMARY KEY,
      version INTEGER NOT NULL,
      at INTEGER NOT NULL,
      author TEXT NOT NULL,
      present INTEGER NOT NULL,
      dirty INTEGER,
      settled INTEGER
    ) WITHOUT ROWID`,
    `CREATE TABLE version(
      path TEXT NOT NULL,
      version INTEGER NOT NULL,
      type TEXT NOT NULL,
      size INTEGER NOT NULL,
      sha256 TEXT,
      executable INTEGER NOT NULL,
      at INTEGER NOT NULL,
      author TEXT NOT NULL,
      body INTEGER,
      PRIMARY KEY(path, version)
    ) WITHOUT ROWID`,
    `CREATE TABLE segment(
      path TEXT NOT NULL,
      number INTEGER NOT NULL,
      size INTEGER NOT NULL,
      lines INTEGER NOT NULL,
      sha256 TEXT NOT NULL,
      PRIMARY KEY(path, number)
    ) WITHOUT ROWID`,
    `CREATE TABLE op(id TEXT PRIMARY KEY, at INTEGER NOT NULL, answer TEXT NOT NULL) WITHOUT ROWID`,
    `CREATE TABLE job(
      id TEXT PRIMARY KEY,
      due INTEGER NOT NULL,
      attempts INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE TABLE staged(
      import TEXT NOT NULL,
      no INTEGER NOT NULL,
      item INTEGER NOT NULL,
      at INTEGER NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY(import, no, item)
    ) WITHOUT ROWID`,
    `CREATE TABLE unsure(
      key TEXT PRIMARY KEY,
      until INTEGER NOT NULL,
      deletes INTEGER NOT NULL
    ) WITHOUT ROWID`,
    `CREATE TABLE orphan(key TEXT PRIMARY KEY, seen INTEGER NOT NULL) WITHOUT ROWID`,
    `CREATE TABLE outdated(key TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID`,
    `CREATE TABLE adopted(key TEXT PRIMARY KEY, file TEXT NOT NULL) WITHOUT ROWID`,
  ],
  [
    `CREATE TABLE indexed(
      path TEXT PRIMARY KEY,
      no INTEGER NOT NULL,
      etag TEXT NOT NULL,
      whole INTEGER NOT NULL,
      lines INTEGER NOT NULL,
      last TEXT NOT NULL,
      hidden TEXT NOT NULL
    ) WITHOUT ROWID`,
    `CREATE TABLE excerpt(
      id INTEGER PRIMARY KEY,
      lengths TEXT NOT NULL,
      times TEXT NOT NULL,
      units TEXT NOT NULL
    )`,
    `CREATE VIRTUAL TABLE word USING fts5(
      words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_-.:/'"
    )`,
  ],
];

/** The tables of a bucket, brought up to date, or made at the first write: see `tablesOnWrite`. */
export const bucketTables = (sql: Sql): Sql => tablesOnWrite(sql, "bucket", STEPS);
