import type { Task, TaskState } from "../shared/tasks.ts";
import type { Sql } from "../shared/sql.ts";

/** Of what came of a task, in characters; a subagent's session has all of it. */
const MAX_TEXT = 200_000;

type Row = {
  id: string;
  agent: string;
  session: string | null;
  title: string;
  state: string;
  result: string | null;
  error: string | null;
  created_at: number;
  updated_at: number;
  delivered_at: number | null;
};

const COLUMNS =
  "id, agent, session, title, state, result, error, created_at, updated_at, delivered_at";
const OPEN = "state IN ('pending', 'running')";

const toTask = (row: Row): Task => ({
  id: row.id,
  agent: row.agent,
  session: row.session,
  title: row.title,
  state: row.state as TaskState,
  result: row.result,
  error: row.error,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  deliveredAt: row.delivered_at,
});

export type NewTask = Pick<Task, "id" | "agent" | "session" | "title"> & {
  /** The turn that waits for it, and takes it along when it is stopped; `null`: it goes on by itself. */
  readonly turn: string | null;
  readonly now: number;
};

/** Writes a task in the caller's transaction; `false` where there is one of that id. */
export const insertTask = (sql: Sql, { id, agent, session, title, turn, now }: NewTask): boolean =>
  sql.run(
    `INSERT INTO task(id, no, agent, session, title, state, turn, created_at, updated_at)
     VALUES (?, (SELECT coalesce(max(no), 0) + 1 FROM task), ?, ?, ?, 'pending', ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    id,
    agent,
    session,
    title,
    turn,
    now,
    now,
  );

/** The task of that id; `null` where there is none. */
export function findTask(sql: Sql, id: string): Task | null {
  const [row] = sql.all<Row>(`SELECT ${COLUMNS} FROM task WHERE id = ?`, id);
  return row ? toTask(row) : null;
}

export type TaskQuery = { readonly state?: TaskState; readonly limit: number };

/** The newest tasks, newest first. */
export const listTasks = (sql: Sql, { state, limit }: TaskQuery): Task[] =>
  sql
    .all<Row>(
      `SELECT ${COLUMNS} FROM task WHERE ?1 IS NULL OR state = ?1 ORDER BY no DESC LIMIT ?2`,
      state ?? null,
      limit,
    )
    .map(toTask);

/** Tasks in a list. */
const LISTED = 100;

/** The newest 100, newest first, and after them older ones that have not ended. */
export function newestTasks(sql: Sql): Task[] {
  const newest = listTasks(sql, { limit: LISTED });
  const shown = new Set(newest.map(({ id }) => id));
  return [
    ...newest,
    ...openTasks(sql)
      .filter(({ id }) => !shown.has(id))
      .toReversed(),
  ];
}

/** Those that have not ended, oldest first. */
export const openTasks = (sql: Sql): Task[] =>
  sql.all<Row>(`SELECT ${COLUMNS} FROM task WHERE ${OPEN} ORDER BY no`).map(toTask);

/** Those that have not ended and that this turn waits for. */
export const tasksOfTurn = (sql: Sql, turn: string): Task[] =>
  sql
    .all<Row>(`SELECT ${COLUMNS} FROM task WHERE ${OPEN} AND turn = ? ORDER BY no`, turn)
    .map(toTask);

/** The first that have ended and that the agent was not told of, in the order in which they began. */
export const newsTasks = (sql: Sql, limit: number): Task[] =>
  sql
    .all<Row>(
      `SELECT ${COLUMNS} FROM task WHERE delivered_at IS NULL AND turn IS NULL AND NOT ${OPEN}
       ORDER BY no LIMIT ?`,
      limit,
    )
    .map(toTask);

/** What became of a task, in the caller's transaction; `false` where it had ended before. */
export const updateTask = (
  sql: Sql,
  id: string,
  {
    state,
    result = null,
    error = null,
    now,
  }: Pick<Task, "state"> & {
    readonly result?: string | null;
    readonly error?: string | null;
    readonly now: number;
  },
): boolean =>
  sql.run(
    `UPDATE task SET state = ?, result = ?, error = ?, updated_at = ? WHERE id = ? AND ${OPEN}`,
    state,
    result?.slice(0, MAX_TEXT) ?? null,
    error?.slice(0, MAX_TEXT) ?? null,
    now,
    id,
  );

/** No turn waits for it any more: what comes of it is news. */
export function releaseTask(sql: Sql, id: string): void {
  sql.run("UPDATE task SET turn = NULL WHERE id = ?", id);
}

/** The agent was told what came of these. */
export function markDelivered(sql: Sql, ids: readonly string[], now: number): void {
  sql.run(
    `UPDATE task SET delivered_at = ? WHERE delivered_at IS NULL AND id IN (SELECT value FROM json_each(?))`,
    now,
    JSON.stringify(ids),
  );
}
