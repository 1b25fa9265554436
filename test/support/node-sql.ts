import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Sql, SqlValue } from "../../src/shared/sql.ts";

/**
 * The `Sql` port over `node:sqlite`, for running sessions in plain Node. Statements of `all` and `run` are
 * prepared once; `each` prepares its own, so that a loop may run the same query inside itself.
 */
export function nodeSql(database: DatabaseSync): Sql {
  const prepared = new Map<string, StatementSync>();
  const prepare = (query: string): StatementSync => {
    const known = prepared.get(query) ?? database.prepare(query);
    prepared.set(query, known);
    return known;
  };
  return {
    all: <Row>(query: string, ...params: SqlValue[]) => prepare(query).all(...params) as Row[],
    each: <Row>(query: string, ...params: SqlValue[]) =>
      database.prepare(query).iterate(...params) as Iterable<Row>,
    run: (query, ...params) => Number(prepare(query).run(...params).changes) > 0,
    // A savepoint, so that simulation may put several transactions into one commit, as a Durable Object does.
    transaction(work) {
      database.exec("SAVEPOINT work");
      try {
        const result = work();
        database.exec("RELEASE work");
        return result;
      } catch (error) {
        database.exec("ROLLBACK TO work; RELEASE work");
        throw error;
      }
    },
  };
}

/** A database that lives as long as it is referred to, or a file that outlives the process. */
export const openDatabase = (path = ":memory:"): DatabaseSync => new DatabaseSync(path);
