import type { Spent } from "../shared/registry-api.ts";
import type { Sql } from "../shared/sql.ts";

const DAY_MS = 86_400_000;
/** A turn may be told of again for so long after its day; then it is forgotten. */
const KEPT_DAYS = 2;
/** Old rows that one call drops at most of each table: more than it adds. */
const DROPPED = 100;

/** Adds tokens to a user's day, each id once while its day is kept, and drops some of what is older. */
export function recordSpent(sql: Sql, user: string, day: string, spent: readonly Spent[]): void {
  sql.transaction(() => {
    let tokens = 0;
    for (const turn of spent) if (insertTurn(sql, user, day, turn)) tokens += turn.tokens;
    if (tokens > 0)
      sql.run(
        `INSERT INTO spent_day(day, user, tokens) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET tokens = tokens + excluded.tokens`,
        day,
        user,
        tokens,
      );
    dropBefore(sql, new Date(Date.parse(day) - KEPT_DAYS * DAY_MS).toISOString().slice(0, 10));
  });
}

/** Whether it is new. */
const insertTurn = (sql: Sql, user: string, day: string, { id, tokens }: Spent): boolean =>
  sql.run(
    "INSERT INTO spent_turn(day, user, id, tokens) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    day,
    user,
    id,
    tokens,
  );

function dropBefore(sql: Sql, day: string): void {
  sql.run(
    `DELETE FROM spent_turn WHERE (day, user, id) IN
     (SELECT day, user, id FROM spent_turn WHERE day < ? LIMIT ${DROPPED})`,
    day,
  );
  sql.run(
    `DELETE FROM spent_day WHERE (day, user) IN
     (SELECT day, user FROM spent_day WHERE day < ? LIMIT ${DROPPED})`,
    day,
  );
}

/** What was added to that day so far. */
export function spentOn(sql: Sql, user: string, day: string): number {
  const [row] = sql.all<{ tokens: number }>(
    "SELECT tokens FROM spent_day WHERE day = ? AND user = ?",
    day,
    user,
  );
  return row?.tokens ?? 0;
}
