import type { Sql } from "./sql.ts";

/**
 * Deletes every row of an object, in the caller's transaction, but for what says which tables there are. Whatever those
 * are: one that a later release adds is emptied, too. A virtual table keeps its rows in tables of its own, so it is made
 * anew.
 */
export function emptyTables(sql: Sql): void {
  const virtual = sql.all<{ name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY rowid",
  );
  for (const { name } of virtual.toReversed()) sql.run(`DROP TABLE "${name}"`);
  const tables = sql.all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%schema\\_step' ESCAPE '\\'
     AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`,
  );
  for (const { name } of tables) sql.run(`DELETE FROM "${name}"`);
  for (const table of virtual) sql.run(table.sql);
}
