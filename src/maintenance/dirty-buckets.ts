import { parseBucketKey } from "../shared/bucket-key.ts";
import type { RegistryPage } from "../shared/registry-api.ts";
import type { Sql } from "../shared/sql.ts";
import type { Backlog, DirtyBucket, UpkeepNote } from "../shared/upkeep-api.ts";
import { pageOf } from "./page.ts";

/** How often in a row upkeep fails before the bucket is parked. */
const MAX_ATTEMPTS = 10;
/** The first wait after a failure; it doubles up to a day. */
const FIRST_WAIT_MS = 25 * 60_000;
const DAY_MS = 86_400_000;
/** Never comes, and is still exact. */
const PARKED = Number.MAX_SAFE_INTEGER;

const MAX_PAGE = 500;
const MAX_COUNTED = 10_000;
const MAX_TROUBLED = 20;
const MAX_WHY = 300;

/**
 * Marks a bucket; the number it gets is above every earlier one, whatever the clocks say. A parked one that changes is
 * tried again once a day. Throws for what is no bucket's key.
 */
export function markDirty(sql: Sql, bucket: string, at: number): void {
  parseBucketKey(bucket);
  sql.run(
    `INSERT INTO bucket(key, created_at, dirty_at, dirty_since, changed_at) VALUES (?1, ?2, ?2, ?2, ?2)
     ON CONFLICT DO UPDATE SET
       dirty_at = max(?2, coalesce(changed_at, dirty_at, -1) + 1),
       changed_at = max(?2, coalesce(changed_at, dirty_at, -1) + 1),
       dirty_since = coalesce(dirty_since, ?2),
       look_at = NULL,
       not_before = CASE WHEN attempts >= ${MAX_ATTEMPTS} THEN min(not_before, ?2 + ${DAY_MS}) ELSE not_before END`,
    bucket,
    at,
  );
}

const COLUMNS =
  "key AS bucket, dirty_at AS dirtyAt, coalesce(changed_at, dirty_at) AS changedAt, attempts";

/** A page of those that are due: see `UpkeepApi.dirtyBuckets`. Those that were to be looked at again are dirty by then. */
export function dirtyBuckets(
  sql: Sql,
  cursor: string | null,
  limit: number,
  now: number,
): RegistryPage<DirtyBucket> {
  const size = Math.max(1, Math.min(limit, MAX_PAGE));
  return sql.transaction(() => {
    sql.run(
      `UPDATE bucket SET dirty_at = coalesce(changed_at, ?1), dirty_since = ?1, look_at = NULL
       WHERE key IN (SELECT key FROM bucket WHERE look_at <= ?1 LIMIT ${MAX_PAGE})`,
      now,
    );
    const rows = sql.all<DirtyBucket>(
      `SELECT ${COLUMNS} FROM bucket
       WHERE dirty_at IS NOT NULL AND key > ? AND not_before <= ? ORDER BY key LIMIT ?`,
      cursor ?? "",
      now,
      size + 1,
    );
    return pageOf(rows, size, ({ bucket }) => bucket);
  });
}

/** One that is dirty, due or not; `null` for any other. */
export function dirtyBucket(sql: Sql, bucket: string): DirtyBucket | null {
  const [row] = sql.all<DirtyBucket>(
    `SELECT ${COLUMNS} FROM bucket WHERE key = ? AND dirty_at IS NOT NULL`,
    bucket,
  );
  return row ?? null;
}

/** Writes all of it in one transaction. A note that comes again changes nothing. */
export function noteUpkeep(sql: Sql, notes: readonly UpkeepNote[], now: number): void {
  sql.transaction(() => {
    for (const one of notes) note(sql, one, now);
  });
}

function note(sql: Sql, { bucket, dirtyAt, attempts, outcome }: UpkeepNote, now: number): void {
  switch (outcome.kind) {
    case "clean":
      // What was told since stays, and its waiting begins there.
      sql.run(
        `UPDATE bucket SET attempts = 0, not_before = 0, why = NULL,
           look_at = CASE WHEN dirty_at = ?2 THEN ?3 ELSE look_at END,
           dirty_since = CASE WHEN dirty_at = ?2 THEN NULL ELSE dirty_at END,
           dirty_at = CASE WHEN dirty_at = ?2 THEN NULL ELSE dirty_at END
         WHERE key = ?1`,
        bucket,
        dirtyAt,
        outcome.lookAt,
      );
      return;
    case "later":
      sql.run("UPDATE bucket SET not_before = ? WHERE key = ?", outcome.until ?? 0, bucket);
      return;
    case "unknown":
      putOff(sql, bucket, now + DAY_MS, outcome.why);
      return;
    case "failed":
      // Attempts as they were read, so that a repeated note counts once.
      sql.run(
        "UPDATE bucket SET attempts = ?, not_before = ?, why = ? WHERE key = ? AND attempts = ?",
        attempts + 1,
        nextTry(attempts + 1, now),
        outcome.why.slice(0, MAX_WHY),
        bucket,
        attempts,
      );
      return;
    case "gone":
      sql.run("DELETE FROM bucket WHERE key = ?", bucket);
  }
}

const putOff = (sql: Sql, bucket: string, until: number, why: string): boolean =>
  sql.run(
    "UPDATE bucket SET not_before = ?, why = ? WHERE key = ?",
    until,
    why.slice(0, MAX_WHY),
    bucket,
  );

const nextTry = (failures: number, now: number): number =>
  failures >= MAX_ATTEMPTS ? PARKED : now + Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), DAY_MS);

/** What waits in the shard; reads at most 10,000 rows. */
export function backlogOf(sql: Sql): Backlog {
  const dirty = `SELECT key, dirty_since, attempts, not_before, why FROM bucket
    WHERE dirty_at IS NOT NULL ORDER BY key LIMIT ${MAX_COUNTED}`;
  const [sums] = sql.all<{ dirty: number; since: number | null }>(
    `SELECT count(*) AS dirty, min(dirty_since) AS since FROM (${dirty})`,
  );
  const troubled = sql.all<Backlog["troubled"][number]>(
    `SELECT key AS bucket, attempts, why, nullif(not_before, ${PARKED}) AS until FROM (${dirty})
     WHERE why IS NOT NULL LIMIT ${MAX_TROUBLED}`,
  );
  return { dirty: sums?.dirty ?? 0, since: sums?.since ?? null, troubled };
}
