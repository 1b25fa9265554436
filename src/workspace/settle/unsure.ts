import type { Sql } from "../../shared/sql.ts";
import { StoreBusyError } from "../store/blob-store.ts";
import type { StorageKey } from "../store/storage-key.ts";

/** How long after it failed a call to the store may still act. No store names a bound; a request lives shorter. */
export const LATE_MS = 60_000;

/** A key at which a put or delete of unknown outcome may act until then; `deletes` is 1 when a delete is among them. */
export type Unsure = {
  readonly key: StorageKey;
  readonly until: number;
  readonly deletes: number;
};

export const unsureKeys = (sql: Sql): Unsure[] => sql.all<Unsure>("SELECT * FROM unsure");

/** What is known of `key`; `null` when no call may act there. */
export function unsureOf(sql: Sql, key: StorageKey): Unsure | null {
  return sql.all<Unsure>("SELECT * FROM unsure WHERE key = ?", key)[0] ?? null;
}

/**
 * Until when a delete may act at `key`; `null` when none can. Puts have conditions and cannot hurt what is put after
 * them; what a delete takes must still be here.
 */
export function deleteUntil(sql: Sql, key: StorageKey): number | null {
  const unsure = unsureOf(sql, key);
  return unsure?.deletes === 1 ? unsure.until : null;
}

/** Writes down that a call may act at `key` for another minute; then the key is looked at (`check-unsure.ts`). */
export function markUnsure(sql: Sql, key: StorageKey, now: number, call: "put" | "delete"): void {
  sql.run(
    `INSERT INTO unsure(key, until, deletes) VALUES (?1, ?2, ?3)
     ON CONFLICT(key) DO UPDATE SET until = max(until, ?2), deletes = max(deletes, ?3)`,
    key,
    now + LATE_MS,
    call === "delete" ? 1 : 0,
  );
}

/** A store that is read from elsewhere may not show yet what was written so shortly before (KV). */
export const FRESH_MS = 120_000;

/**
 * Writes down that what the store has had at `key` is no news any more, though its gets and lists may still show it: it
 * was deleted, or taken in and is about to be written over.
 */
export function markOutdated(sql: Sql, key: StorageKey, now: number): void {
  sql.run("INSERT OR REPLACE INTO outdated(key, at) VALUES (?, ?)", key, now);
}

/** Whether `key` was marked so since `after` (ms), as far as that is remembered: for two minutes at least. */
export const isOutdated = (sql: Sql, key: StorageKey, after = 0): boolean =>
  sql.all("SELECT 1 FROM outdated WHERE key = ? AND at > ?", key, after).length > 0;

export function forgetOutdated(sql: Sql, now: number): void {
  sql.run("DELETE FROM outdated WHERE at <= ?", now - FRESH_MS);
}

export function clearUnsure(sql: Sql, key: StorageKey, until: number): void {
  sql.run("DELETE FROM unsure WHERE key = ? AND until <= ?", key, until);
}

/** Whether it is unknown if a put or delete that threw this has happened, or will. */
export const leavesUnsure = (error: unknown): boolean =>
  !(error instanceof StoreBusyError) && !(error instanceof RangeError);
