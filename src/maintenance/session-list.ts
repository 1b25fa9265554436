import { parseListCursor, toListCursor } from "../shared/list-cursor.ts";
import type { RegistryPage, SessionNews, SessionSummary } from "../shared/registry-api.ts";
import type { SessionAddress } from "../shared/session-address.ts";
import type { Sql } from "../shared/sql.ts";
import { pageOf } from "./page.ts";

const MAX_PAGE = 100;

/** News as old as those that are known, or older, change nothing; nor do those of a session that is not there. */
export function updateSession(
  sql: Sql,
  { agent, user, session }: SessionAddress,
  { title, at, updatedAt, isWaiting }: SessionNews,
): void {
  sql.run(
    `UPDATE session SET title = ?, updated_at = max(created_at, ?), is_waiting = ?, news_at = ?
     WHERE user = ? AND agent = ? AND session = ? AND news_at < ?`,
    title,
    updatedAt,
    isWaiting ? 1 : 0,
    at,
    user,
    agent,
    session,
    at,
  );
}

type Row = Omit<SessionSummary, "isWaiting"> & { readonly isWaiting: number };

/**
 * A page of at most 100, the newest first. A session that moves up meanwhile is on a page that was read before, or comes
 * again; every other one comes once. Throws `CarrelError('invalid')` for a cursor that is none.
 */
export function listSessions(
  sql: Sql,
  { user, agent }: Pick<SessionAddress, "user" | "agent">,
  cursor: string | null,
  limit: number,
): RegistryPage<SessionSummary> {
  const after =
    cursor === null ? { updatedAt: Number.MAX_SAFE_INTEGER, session: "" } : parseListCursor(cursor);
  const size = Math.min(limit, MAX_PAGE);
  const rows = sql.all<Row>(
    `SELECT session, title, created_at AS createdAt, updated_at AS updatedAt, is_waiting AS isWaiting
     FROM session
     WHERE user = ? AND agent = ? AND updated_at <= ? AND (updated_at < ? OR session > ?)
     ORDER BY updated_at DESC, session LIMIT ?`,
    user,
    agent,
    after.updatedAt,
    after.updatedAt,
    after.session,
    size + 1,
  );
  const sessions = rows.map((row) => ({ ...row, isWaiting: row.isWaiting === 1 }));
  return pageOf(sessions, size, toListCursor);
}
