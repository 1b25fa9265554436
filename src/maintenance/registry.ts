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

  /** Keeps the first time of a session that is registered already. Throws for ids that `parseId` refuses. */
  registerSession({ agent, user, session, createdAt }: RegisteredSession): void {
    sessionAddress(agent, user, session);
    this.#sql.run(
      `INSERT INTO session(user, agent, session, created_at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      user,
      agent,
      session,
      createdAt,
    );
  }

  /** Stub. */
  updateSession(_agent: string, _user: string, _session: string, _news: SessionNews): void {}

  /** Stub. */
  removeSession(_agent: string, _user: string, _session: string): void {}

  /** Stub. */
  listSessions(
    _user: string,
    _agent: string,
    _cursor: string | null,
    _limit: number,
  ): RegistryPage<SessionSummary> {
    return { items: [], cursor: null };
  }

  /** Stub. */
  recordSpent(_user: string, _day: string, _spent: readonly Spent[]): void {}

  /** Stub. */
  spent(_user: string, _day: string): number {
    return 0;
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
    return pageOf(rows, ({ session }) => session);
  }

  /** All buckets of the shard. */
  buckets(cursor: string | null): RegistryPage<RegisteredBucket> {
    const rows = this.#sql.all<RegisteredBucket>(
      `SELECT key AS bucket, created_at AS createdAt, dirty_at AS dirtyAt FROM bucket
       WHERE key > ? ORDER BY key LIMIT ?`,
      cursor ?? "",
      PAGE + 1,
    );
    return pageOf(rows, ({ bucket }) => bucket);
  }
}

/** A page of what was asked for with one row too many. */
function pageOf<Item>(rows: readonly Item[], keyOf: (item: Item) => string): RegistryPage<Item> {
  const items = rows.slice(0, PAGE);
  const last = items.at(-1);
  return { items, cursor: rows.length > PAGE && last ? keyOf(last) : null };
}
