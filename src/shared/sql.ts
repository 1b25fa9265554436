export type SqlValue = string | number | null;

/**
 * The slice of SQLite that a session needs. Two implementations, one contract
 * (`test/contracts/sql-contract.ts`): a Durable Object's storage, and `node:sqlite` for simulation.
 */
export interface Sql {
  /** All rows at once. */
  all<Row>(query: string, ...params: SqlValue[]): Row[];
  /** Rows one by one; the caller may stop early but must not await in between. */
  each<Row>(query: string, ...params: SqlValue[]): Iterable<Row>;
  /** Runs a statement; whether it wrote any row. */
  run(query: string, ...params: SqlValue[]): boolean;
  /** All of `work` or nothing: an exception rolls back and is thrown on. Synchronous; not nested. */
  transaction<Result>(work: () => Result): Result;
}
