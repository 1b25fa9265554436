import { parseBucketKey } from "../shared/bucket-key.ts";
import { sessionAddress } from "../shared/ids.ts";
import { migrate, type SchemaSteps } from "../shared/migrate.ts";
import type {
  RegisteredBucket,
  RegisteredSession,
  RegistryPage,
  SessionNews,
  SessionSummary,
  Spent,
} from "../shared/registry-api.ts";
import type { Sql } from "../shared/sql.ts";
import { pageOf } from "./page.ts";
import { listSessions, updateSession } from "./session-list.ts";
import { recordSpent, spentOn } from "./spent-tokens.ts";

/** WITHOUT ROWID keeps the rows in the order in which they are listed, and makes a write cost one row. */
const STEPS: SchemaSteps = [
  [
    `CREATE TABLE session(
      user TEXT NOT NULL,
      agent TEXT NOT NULL,
      session TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY(user, agent, session)
    ) WITHOUT ROWID`,
    `CREATE TABLE bucket(
      key TEXT PRIMARY KEY,
      created_at INTEGER NOT NULL,
      dirty_at INTEGER
    ) WITHOUT ROWID`,
  ],
  [
    "ALTER TABLE session ADD COLUMN title TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE session ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE session ADD COLUMN is_waiting INTEGER NOT NULL DEFAULT 0",
    // When what the row says was so; news that are not newer are late.
    "ALTER TABLE session ADD COLUMN news_at INTEGER NOT NULL DEFAULT 0",
    "UPDATE session SET updated_at = created_at",
    "CREATE INDEX session_by_update ON session(user, agent, updated_at DESC, session)",
    // Day first, so that old days are found whoever they belong to.
    `CREATE TABLE spent_turn(
      day TEXT NOT NULL,
      user TEXT NOT NULL,
      id TEXT NOT NULL,
      tokens INTEGER NOT NULL,
      PRIMARY KEY(day, user, id)
    ) WITHOUT ROWID`,
    `CREATE TABLE spent_day(
      day TEXT NOT NULL,
      user TEXT NOT NULL,
      tokens INTEGER NOT NULL,
      PRIMARY KEY(day, user)
    ) WITHOUT ROWID`,
  ],
];

const PAGE = 500;

/**
 * One shard of the registry over its tables: what exists, kept in the order of its keys' bytes. Every method may be
 * repeated, and every page goes on exactly after the one before, whatever was registered meanwhile.
 */
export class Registry {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
    migrate(sql, "registry", STEPS);
  }

  /** Keeps what is known of a session that is registered already. Throws for ids that `parseId` refuses. */
  registerSession({ agent, user, session, createdAt }: RegisteredSession): void {
    sessionAddress(agent, user, session);
    this.#sql.run(
      `INSERT INTO session(user, agent, session, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      user,
      agent,
      session,
      createdAt,
      createdAt,
    );
  }

  /** Brings the line of a session up to date: see `updateSession` in `session-list.ts`. */
  updateSession(agent: string, user: string, session: string, news: SessionNews): void {
    updateSession(this.#sql, { agent, user, session }, news);
  }

  removeSession(agent: string, user: string, session: string): void {
    this.#sql.run(
      "DELETE FROM session WHERE user = ? AND agent = ? AND session = ?",
      user,
      agent,
      session,
    );
  }

  /** The sessions of one user with one agent, the newest first: see `listSessions` in `session-list.ts`. */
  listSessions(
    user: string,
    agent: string,
    cursor: string | null,
    limit: number,
  ): RegistryPage<SessionSummary> {
    return listSessions(this.#sql, { user, agent }, cursor, limit);
  }

  /** Counts tokens for a user's day: see `recordSpent` in `spent-tokens.ts`. */
  recordSpent(user: string, day: string, spent: readonly Spent[]): void {
    recordSpent(this.#sql, user, day, spent);
  }

  spent(user: string, day: string): number {
    return spentOn(this.#sql, user, day);
  }

  /** Keeps what is known of a bucket that is registered already. Throws for what is no bucket's key. */
  registerBucket(bucket: string, at: number): void {
    parseBucketKey(bucket);
    this.#sql.run(
      "INSERT INTO bucket(key, created_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
      bucket,
      at,
    );
  }

  /** Forgets a bucket that was erased; one that is not there is as good. */
  removeBucket(bucket: string): void {
    this.#sql.run("DELETE FROM bucket WHERE key = ?", bucket);
  }

  /** Notes that a bucket has something for upkeep, and registers it if need be. The newest time stays. */
  markDirty(bucket: string, at: number): void {
    parseBucketKey(bucket);
    this.#sql.run(
      `INSERT INTO bucket(key, created_at, dirty_at) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET dirty_at = max(coalesce(dirty_at, 0), excluded.dirty_at)`,
      bucket,
      at,
      at,
    );
  }

  /** The sessions of one user with one agent. */
  sessions(user: string, agent: string, cursor: string | null): RegistryPage<RegisteredSession> {
    const rows = this.#sql.all<RegisteredSession>(
      `SELECT agent, user, session, created_at AS createdAt FROM session
       WHERE user = ? AND agent = ? AND session > ? ORDER BY session LIMIT ?`,
      user,
      agent,
      cursor ?? "",
      PAGE + 1,
    );
    return pageOf(rows, PAGE, ({ session }) => session);
  }

  /** All buckets of the shard. */
  buckets(cursor: string | null): RegistryPage<RegisteredBucket> {
    const rows = this.#sql.all<RegisteredBucket>(
      `SELECT key AS bucket, created_at AS createdAt, dirty_at AS dirtyAt FROM bucket
       WHERE key > ? ORDER BY key LIMIT ?`,
      cursor ?? "",
      PAGE + 1,
    );
    return pageOf(rows, PAGE, ({ bucket }) => bucket);
  }
}
