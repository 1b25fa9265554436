import { readState, writeState } from "../../session/state-documents.ts";
import type { PermissionMode, Permissions } from "../../shared/permissions.ts";
import type { Sql } from "../../shared/sql.ts";

/** What holds where nobody has chosen yet, and the modes that may be chosen. */
export type OfferedPermissions = {
  readonly defaults: Permissions;
  readonly modes: readonly PermissionMode[];
  /** Whether sessions can plan. */
  readonly hasPlanMode?: boolean;
};

/** What a session's person allows. A change holds from its commit on. */
export class SessionPermissions {
  readonly #sql: Sql;
  readonly #offered: OfferedPermissions;
  #current: Permissions | null;

  /** `stored`: the state document, which was read already. */
  constructor(sql: Sql, offered: OfferedPermissions, stored: Permissions | null) {
    this.#sql = sql;
    this.#offered = offered;
    this.#current = this.#holding(stored);
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

  /** Stores another choice in the caller's commit. */
  write(permissions: Permissions): void {
    writeState(this.#sql, "permissions", permissions);
    // Read again when it is asked for.
    this.#current = null;
  }

  /** Looks it up again, after a commit that failed. */
  forget(): void {
    this.#current = null;
  }
}
