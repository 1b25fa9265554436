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
  UserSettings,
} from "../shared/registry-api.ts";
import type { Sql } from "../shared/sql.ts";
import type {
  Backlog,
  DirtyBucket,
  PassClaim,
  PassRequest,
  PassStep,
  PassSummary,
  UpkeepNote,
} from "../shared/upkeep-api.ts";
import { backlogOf, dirtyBucket, dirtyBuckets, markDirty, noteUpkeep } from "./dirty-buckets.ts";
import { claimPass, leavePass, movePass, passesOf } from "./passes.ts";
import { pageOf } from "./page.ts";
import { listSessions, updateSession } from "./session-list.ts";
import { recordSpent, spentOn } from "./spent-tokens.ts";
import { setSettings, settingsOf } from "./user-settings.ts";

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
  [
    "CREATE TABLE setting(user TEXT PRIMARY KEY, time_zone TEXT) WITHOUT ROWID",
    // Since when it waits for upkeep, when it last told of a change, and when to look at it although it tells nothing.
    "ALTER TABLE bucket ADD COLUMN dirty_since INTEGER",
    "ALTER TABLE bucket ADD COLUMN changed_at INTEGER",
    "ALTER TABLE bucket ADD COLUMN look_at INTEGER",
    // Upkeep that failed or was put off.
    "ALTER TABLE bucket ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE bucket ADD COLUMN not_before INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE bucket ADD COLUMN why TEXT",
    "UPDATE bucket SET dirty_since = dirty_at, changed_at = dirty_at WHERE dirty_at IS NOT NULL",
    "CREATE INDEX bucket_dirty ON bucket(key) WHERE dirty_at IS NOT NULL",
    "CREATE INDEX bucket_look ON bucket(look_at) WHERE look_at IS NOT NULL",
    `CREATE TABLE pass(
      id INTEGER PRIMARY KEY,
      slot INTEGER NOT NULL,
      shard INTEGER NOT NULL DEFAULT 0,
      cursor TEXT,
      started_at INTEGER NOT NULL,
      ended_at INTEGER,
      holder TEXT,
      until INTEGER NOT NULL,
      buckets INTEGER NOT NULL DEFAULT 0,
      runs INTEGER NOT NULL DEFAULT 0,
      changed INTEGER NOT NULL DEFAULT 0,
      removed INTEGER NOT NULL DEFAULT 0,
      later INTEGER NOT NULL DEFAULT 0,
      failed INTEGER NOT NULL DEFAULT 0,
      skipped INTEGER NOT NULL DEFAULT 0
    )`,
  ],
  ["ALTER TABLE pass ADD COLUMN begun_by TEXT"],
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

  /**
   * Keeps what is known of a session that is registered already, and gives what its user has chosen. Throws for ids that
   * `parseId` refuses.
   */
  registerSession({ agent, user, session, createdAt }: RegisteredSession): UserSettings {
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
    return this.settings(user);
  }

  /** Brings the line of a session up to date: see `updateSession` in `session-list.ts`. */
  updateSession(agent: string, user: string, session: string, news: SessionNews): UserSettings {
    updateSession(this.#sql, { agent, user, session }, news);
    return this.settings(user);
  }

  settings(user: string): UserSettings {
    return settingsOf(this.#sql, user);
  }

  /** Keeps what a user has chosen: see `setSettings` in `user-settings.ts`. */
  setSettings(user: string, settings: UserSettings): void {
    setSettings(this.#sql, user, settings);
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

  /** Notes that a bucket has something for upkeep: see `markDirty` in `dirty-buckets.ts`. */
  markDirty(bucket: string, at: number): void {
    markDirty(this.#sql, bucket, at);
  }

  /** What waits for upkeep, and what came of it: see `dirty-buckets.ts`. */
  dirtyBuckets(cursor: string | null, limit: number, now: number): RegistryPage<DirtyBucket> {
    return dirtyBuckets(this.#sql, cursor, limit, now);
  }

  dirtyBucket(bucket: string): DirtyBucket | null {
    return dirtyBucket(this.#sql, bucket);
  }

  noteUpkeep(notes: readonly UpkeepNote[], now: number): void {
    noteUpkeep(this.#sql, notes, now);
  }

  backlog(): Backlog {
    return backlogOf(this.#sql);
  }

  /** The pass through all shards, which one shard keeps: see `passes.ts`. */
  claimPass(request: PassRequest): PassClaim {
    return claimPass(this.#sql, request);
  }

  movePass(step: PassStep): boolean {
    return movePass(this.#sql, step);
  }

  leavePass(holder: string): void {
    leavePass(this.#sql, holder);
  }

  passes(): readonly PassSummary[] {
    return passesOf(this.#sql);
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
