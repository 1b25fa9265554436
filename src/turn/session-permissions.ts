import type { Fact } from "../session/entries.ts";
import { readState, writeState } from "../session/state-documents.ts";
import type { Permissions } from "../shared/permissions.ts";
import type { Sql } from "../shared/sql.ts";

type PermissionsFact = Extract<Fact, { kind: "permissions" }>;

/**
 * What a session's person allows. A change holds from its commit on. The fact
 * about it cannot be appended while a step is being streamed, since that step's place in the journal comes before it: it
 * is stored beside the journal and appended in the commit that ends the step, or gives it up.
 */
export class SessionPermissions {
  readonly #sql: Sql;
  readonly #defaults: Permissions;
  #current: Permissions | null;
  /** The facts that are not in the journal yet; `null` when that is not known. */
  #unsaid: readonly PermissionsFact[] | null;

  /**
   * `defaults`: what is allowed where nobody has chosen yet; `current`: what was read already. `isStepOpen`: whether facts
   * may be waiting.
   */
  constructor(
    sql: Sql,
    defaults: Permissions,
    { current, isStepOpen }: { readonly current: Permissions; readonly isStepOpen: boolean },
  ) {
    this.#sql = sql;
    this.#defaults = defaults;
    this.#current = current;
    this.#unsaid = isStepOpen ? null : [];
  }

  get current(): Permissions {
    return (this.#current ??= readState(this.#sql, "permissions") ?? this.#defaults);
  }

  /** Stores another choice in the caller's commit; `append` is `null` while no fact may be appended. */
  write(fact: PermissionsFact, append: ((fact: PermissionsFact) => void) | null): void {
    const { kind: _, by: __, ...permissions } = fact;
    writeState(this.#sql, "permissions", permissions);
    if (append) append(fact);
    else writeState(this.#sql, "unsaid", [...this.#waiting(), fact]);
    // Read again when it is asked for.
    this.#current = null;
    this.#unsaid = append ? this.#unsaid : null;
  }

  /** Appends what could not be appended before, in a commit that makes that possible. */
  say(append: (fact: PermissionsFact) => void): void {
    const waiting = this.#waiting();
    if (waiting.length === 0) return;
    for (const fact of waiting) append(fact);
    this.#sql.run("DELETE FROM state WHERE name = 'unsaid'");
    this.#unsaid = null;
  }

  /** Looks everything up again, after a commit that failed. */
  forget(): void {
    this.#current = null;
    this.#unsaid = null;
  }

  #waiting(): readonly PermissionsFact[] {
    return (this.#unsaid ??= readState(this.#sql, "unsaid") ?? []);
  }
}
