import type { PendingCall } from "../shared/events.ts";
import type { Sql } from "../shared/sql.ts";

/** A subagent's session, as its parent knows it. */
export type Child = {
  readonly session: string;
  /** The id of its declaration. */
  readonly agent: string;
  /** In lower case. */
  readonly label: string | null;
  readonly isExposed: boolean;
  /** The id of the newest event that was heard of it. */
  readonly reported: string;
  /** What it asks, as far as was heard. */
  readonly pending: readonly PendingCall[];
};

type Row = {
  session: string;
  agent: string;
  label: string | null;
  exposed: number;
  reported: string;
  pending: string;
};

const COLUMNS = "session, agent, label, exposed, reported, pending";

const toChild = ({ exposed, pending, ...row }: Row): Child => ({
  ...row,
  isExposed: exposed === 1,
  pending: JSON.parse(pending) as PendingCall[],
});

/** Writes one in the caller's transaction, unless it is there. Throws what SQLite throws for a label that is taken. */
export const insertChild = (
  sql: Sql,
  { session, agent, label, isExposed }: Pick<Child, "session" | "agent" | "label" | "isExposed">,
): boolean =>
  sql.run(
    `INSERT INTO child(session, no, agent, label, exposed, reported, pending)
     VALUES (?, (SELECT coalesce(max(no), 0) + 1 FROM child), ?, ?, ?, '0.0', '[]')
     ON CONFLICT(session) DO NOTHING`,
    session,
    agent,
    label,
    isExposed ? 1 : 0,
  );

const one = (sql: Sql, where: string, value: string): Child | null => {
  const [row] = sql.all<Row>(`SELECT ${COLUMNS} FROM child WHERE ${where} = ?`, value);
  return row ? toChild(row) : null;
};

/** The one with this session; `null` where there is none. */
export const findChild = (sql: Sql, session: string): Child | null => one(sql, "session", session);

/** The one with this label; `null` where there is none. */
export const childByLabel = (sql: Sql, label: string): Child | null =>
  one(sql, "label", label.toLowerCase());

/** The newest, newest first. */
export const listChildren = (sql: Sql, limit: number): Child[] =>
  sql.all<Row>(`SELECT ${COLUMNS} FROM child ORDER BY no DESC LIMIT ?`, limit).map(toChild);

/** Those that ask something. */
export const askingChildren = (sql: Sql): Child[] =>
  sql.all<Row>(`SELECT ${COLUMNS} FROM child WHERE pending <> '[]' ORDER BY no`).map(toChild);

/** The sessions of all. */
export const childSessions = (sql: Sql): string[] =>
  sql
    .all<{ session: string }>("SELECT session FROM child ORDER BY no")
    .map(({ session }) => session);

/** What was heard of one, in the caller's transaction. */
export function updateChild(
  sql: Sql,
  session: string,
  { reported, pending }: Pick<Child, "reported" | "pending">,
): void {
  sql.run(
    "UPDATE child SET reported = ?, pending = ? WHERE session = ?",
    reported,
    JSON.stringify(pending),
    session,
  );
}
