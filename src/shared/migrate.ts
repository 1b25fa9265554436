import type { Sql } from "./sql.ts";

/** The tables of one kind of object, as numbered steps of statements. Add a step; never edit one that was deployed. */
export type SchemaSteps = readonly (readonly string[])[];

/** The name of the table that says which step is done. */
export type StepTable = "schema_step" | `${string}_schema_step`;

/**
 * Brings the tables up to date; cheap when they are. Which step they are at stands in the table `steps`: what shares a
 * database with other tables has one of its own, whose name ends with `schema_step`. A database written by newer code is refused, never
 * guessed at: after a rollback the object answers errors until the newer code is back.
 */
export function migrate(
  sql: Sql,
  what: string,
  steps: SchemaSteps,
  table: StepTable = "schema_step",
): void {
  sql.run(`CREATE TABLE IF NOT EXISTS ${table}(step INTEGER PRIMARY KEY)`);
  const done =
    sql.all<{ step: number | null }>(`SELECT max(step) AS step FROM ${table}`)[0]?.step ?? 0;
  if (done > steps.length)
    throw new Error(`the ${what}'s tables are at step ${done}, this code knows ${steps.length}`);
  for (let step = done; step < steps.length; step++) {
    sql.transaction(() => {
      for (const statement of steps[step] ?? []) sql.run(statement);
      sql.run(`INSERT INTO ${table}(step) VALUES (?)`, step + 1);
    });
  }
}

/**
 * The same tables, made only when something is first written: until then they read as empty. So looking at an object
 * that does not exist leaves nothing behind.
 */
export function tablesOnWrite(
  sql: Sql,
  what: string,
  steps: SchemaSteps,
  table: StepTable = "schema_step",
): Sql {
  let exist = sql.all("SELECT 1 FROM sqlite_schema WHERE name = ?", table).length > 0;
  const make = (): void => {
    migrate(sql, what, steps, table);
    exist = true;
  };
  if (exist) make();
  if (exist) return sql;
  const beforeWrite = (): void => {
    if (!exist) make();
  };
  return {
    all: (query, ...params) => (exist ? sql.all(query, ...params) : []),
    each: (query, ...params) => (exist ? sql.each(query, ...params) : []),
    run(query, ...params) {
      beforeWrite();
      return sql.run(query, ...params);
    },
    transaction(work) {
      beforeWrite();
      return sql.transaction(work);
    },
  };
}
