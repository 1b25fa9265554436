import type { Sql, SqlValue } from "../src/shared/sql.ts";

/** A Durable Object's own SQLite behind the port that the session's logic uses. */
export function platformSql(storage: Pick<DurableObjectStorage, "sql" | "transactionSync">): Sql {
  const { sql } = storage;
  return {
    all: <Row>(query: string, ...params: SqlValue[]) =>
      sql.exec(query, ...params).toArray() as Row[],
    each: <Row>(query: string, ...params: SqlValue[]) =>
      sql.exec(query, ...params) as Iterable<Row>,
    run: (query, ...params) => sql.exec(query, ...params).rowsWritten > 0,
    transaction: (work) => storage.transactionSync(work),
  };
}
