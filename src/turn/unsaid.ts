import type { Fact } from "../session/entries.ts";
import type { Sql } from "../shared/sql.ts";

/** A fact about the session itself, of no turn. */
export type SessionFact = Extract<
  Fact,
  { kind: "permissions" | "plan" | "todos" | "task" | "subagent" }
>;

/** Facts of these kinds say all that holds: of each the newest stay that have so many characters together, one at least. */
const whole: ReadonlySet<SessionFact["kind"]> = new Set(["permissions", "plan", "todos"]);
const MAX_CHARS = 1_900_000;

/**
 * Facts of no turn that could not be appended: while a step is being streamed, its place in the journal comes before
 * theirs. They are stored beside the journal, and appended in the commit that ends the step, or gives it up.
 */
export class Unsaid {
  readonly #sql: Sql;
  /** Whether none waits; `null` when that is not known. */
  #isEmpty: boolean | null;

  /** `mayWait`: whether a step was being streamed. */
  constructor(sql: Sql, mayWait: boolean) {
    this.#sql = sql;
    this.#isEmpty = mayWait ? null : true;
  }

  /** Stores a fact that cannot be appended now, in the caller's commit. */
  keep(fact: SessionFact): void {
    const kind = "json_extract(body, '$.kind')";
    this.#sql.run("INSERT INTO unsaid(body) VALUES (?)", JSON.stringify(fact));
    this.#sql.run(
      `DELETE FROM unsaid WHERE no < (SELECT max(no) FROM unsaid) AND no IN (
         SELECT no FROM (
           SELECT no, sum(length(body)) OVER (ORDER BY no DESC) AS chars FROM unsaid WHERE ${kind} = ?
         ) WHERE chars > ?
       )`,
      whole.has(fact.kind) ? fact.kind : "",
      MAX_CHARS,
    );
    this.#isEmpty = null;
  }

  /** Appends what waits, in a commit that makes that possible. */
  say(append: (fact: SessionFact) => void): void {
    if (this.#isEmpty === true) return;
    const rows = this.#sql.all<{ body: string }>("SELECT body FROM unsaid ORDER BY no");
    this.#isEmpty = true;
    if (rows.length === 0) return;
    for (const { body } of rows) append(JSON.parse(body) as SessionFact);
    this.#sql.run("DELETE FROM unsaid");
  }

  /** Looks anew, after a commit that failed. */
  forget(): void {
    this.#isEmpty = null;
  }
}
