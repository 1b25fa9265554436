import { emptyTables } from "../shared/empty-tables.ts";
import type { Sql } from "../shared/sql.ts";
import type { Job } from "./jobs.ts";
import { readState, writeState } from "./state-documents.ts";

/** Deletes every row of a deleted session, in the caller's transaction, but for the one that says that it was deleted. */
export function eraseRows(sql: Sql): void {
  const deleted = readState(sql, "deleted");
  if (!deleted) throw new Error("only a deleted session is erased");
  emptyTables(sql);
  writeState(sql, "deleted", deleted);
}

const HOUR_MS = 3_600_000;

/**
 * Backs off from 2 s, doubling up to an hour, and is never parked: a deletion goes on until it is done. When the job is
 * due again.
 */
export function postponeErase(sql: Sql, { id, attempts }: Job, now: number): number {
  const due = now + Math.min(2_000 * 2 ** Math.min(attempts, 20), HOUR_MS);
  sql.run("UPDATE job SET attempts = attempts + 1, due = ? WHERE id = ?", due, id);
  return due;
}
