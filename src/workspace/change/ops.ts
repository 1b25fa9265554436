import { invalid } from "../../shared/errors.ts";
import type { Rows, RowsTx } from "../rows.ts";

/** Long enough for the key of a session with a turn and a call in it, whatever their ids. */
const OP = /^[\x21-\x7e]{1,1024}$/;

/** Throws `CarrelError('invalid')` unless `op` is 1 to 1,024 printable ASCII characters without spaces. */
export function assertOp(op: string): void {
  if (!OP.test(op))
    throw invalid("An operation id must be 1 to 1,024 printable ASCII characters without spaces.");
}

/** What the operation `op` was answered when it was done; `null` when it was not. */
export function answerOf<Answer>(rows: Pick<Rows, "sql">, op: string): Answer | null {
  const [row] = rows.sql.all<{ answer: string }>("SELECT answer FROM op WHERE id = ?", op);
  return row ? (JSON.parse(row.answer) as Answer) : null;
}

/** Writes down, in the transaction that does it, what an operation is answered. */
export function recordOp(tx: RowsTx, op: string, at: number, answer: unknown): void {
  tx.sql.run("INSERT INTO op(id, at, answer) VALUES (?, ?, ?)", op, at, JSON.stringify(answer));
}

/** Forgets operations older than `before` (ms): whoever repeats one later does it anew. Reads the whole ledger. */
export function forgetOps(tx: RowsTx, before: number): void {
  tx.sql.run("DELETE FROM op WHERE at < ?", before);
}
