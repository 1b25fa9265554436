import type { Fact } from "../../session/entries.ts";
import { fitsRow } from "../../session/journal.ts";
import { readState, writeState } from "../../session/state-documents.ts";
import type { PermissionMode, Permissions } from "../../shared/permissions.ts";
import type { Sql } from "../../shared/sql.ts";

/** What holds where nobody has chosen yet, and the modes that may be chosen. */
export type OfferedPermissions = {
  readonly defaults: Permissions;
  readonly modes: readonly PermissionMode[];
};

type PermissionsFact = Extract<Fact, { kind: "permissions" }>;

/**
 * What a session's person allows. A change holds from its commit on. The fact about it cannot be appended while a step is
 * being streamed, since that step's place in the journal comes before it: it is stored beside the journal and appended in
 * the commit that ends the step, or gives it up. Of facts that wait so, the newest that one row holds are kept.
 */
export class SessionPermissions {
  readonly #sql: Sql;
  readonly #offered: OfferedPermissions;
  #current: Permissions | null;
  /** The facts that are not in the journal yet; `null` when that is not known. */
  #unsaid: readonly PermissionsFact[] | null;

  /** `stored`: the state document, which was read already. `isStepOpen`: whether facts may be waiting. */
  constructor(
    sql: Sql,
    offered: OfferedPermissions,
    { stored, isStepOpen }: { readonly stored: Permissions | null; readonly isStepOpen: boolean },
  ) {
    this.#sql = sql;
    this.#offered = offered;
    this.#current = this.#holding(stored);
    this.#unsaid = isStepOpen ? null : [];
  }

  /** The operator's mode stands for one that was chosen and is offered no more. */
  get current(): Permissions {
    return (this.#current ??= this.#holding(readState(this.#sql, "permissions")));
  }

  #holding(stored: Permissions | null): Permissions {
    const { defaults, modes } = this.#offered;
    if (!stored || modes.includes(stored.mode)) return stored ?? defaults;
    return { ...stored, mode: defaults.mode };
  }

  /** Stores another choice in the caller's commit; `append` is `null` while no fact may be appended. */
  write(fact: PermissionsFact, append: ((fact: PermissionsFact) => void) | null): void {
    const { kind: _, by: __, ...permissions } = fact;
    writeState(this.#sql, "permissions", permissions);
    if (append) append(fact);
    else writeState(this.#sql, "unsaid", newestOf([...this.#waiting(), fact]));
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

/**
 * As many of the newest facts as one row can hold. Each is whole, so the newest says all that counts; that one fits, since
 * the most and longest rules that are taken come to 1.86 MB.
 */
function newestOf(facts: readonly PermissionsFact[]): readonly PermissionsFact[] {
  let kept = facts;
  while (kept.length > 1 && !fitsRow(JSON.stringify(kept))) kept = kept.slice(1);
  return kept;
}
