import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Sql, SqlValue } from "../../src/shared/sql.ts";

/**
 * The `Sql` port over `node:sqlite`, for running sessions in plain Node. Statements are prepared once; of a loop that runs
 * the same query inside itself, each has its own.
 */
export function nodeSql(database: DatabaseSync): Sql {
  const prepared = new Map<string, StatementSync>();
  const spare = new Map<string, StatementSync[]>();
  const prepare = (query: string): StatementSync => {
    const known = prepared.get(query) ?? database.prepare(query);
    prepared.set(query, known);
    return known;
  };
  return {
    all: <Row>(query: string, ...params: SqlValue[]) => prepare(query).all(...params) as Row[],
    *each<Row>(query: string, ...params: SqlValue[]) {
      const idle = spare.get(query) ?? [];
      spare.set(query, idle);
      const statement = idle.pop() ?? database.prepare(query);
      try {
        yield* statement.iterate(...params) as Iterable<Row>;
      } finally {
        idle.push(statement);
      }
    },
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
