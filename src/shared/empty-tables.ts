import type { Sql } from "./sql.ts";

/**
 * Deletes every row of an object, in the caller's transaction, but for what says which tables there are. Whatever those
 * are: one that a later release adds is emptied, too.
 */
export function emptyTables(sql: Sql): void {
  const tables = sql.all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_step'
     AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`,
  );
  for (const { name } of tables) sql.run(`DELETE FROM "${name}"`);
}
