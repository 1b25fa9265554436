import { CarrelError, notFound } from "../shared/errors.ts";
import { sessionKey } from "../shared/ids.ts";
import { CHILD, type Claim, type Role } from "../shared/subagents.ts";
import { sessionTables } from "../session/schema.ts";
import { readState, writeState } from "../session/state-documents.ts";
import type { Harness } from "./harness.ts";
import type { Platform } from "./platform.ts";
import { Session } from "./session.ts";

/** The session of one object: an agent's, or once it was told so, that of a subagent. */
export class SessionHost {
  readonly #platform: Platform;
  readonly #harnessOf: (role: Role | null) => Harness;
  #role: Role | null;
  #session: Session;

  constructor(platform: Platform, harnessOf: (role: Role | null) => Harness) {
    this.#platform = platform;
    this.#harnessOf = harnessOf;
    this.#role = readState(sessionTables(platform.sql), "role");
    this.#session = this.#make();
  }

  get session(): Session {
    return this.#session;
  }

  /**
   * The session as that of a subagent, committed when this returns; what it is changes only while nothing goes on in it.
   * Throws `CarrelError('forbidden')` where it is nobody's, or another one's; `'not_found'` without a declaration at first.
   */
  adopt(claim: Claim): Session {
    const { address, sql } = this.#platform;
    const isFamily = this.#role
      ? sessionKey(this.#role.parent) === sessionKey(claim.parent)
      : CHILD.test(address.session) && this.#session.isEmpty;
    if (!isFamily)
      throw new CarrelError("forbidden", "This session is not one of a subagent of that session.");
    const declaration = claim.declaration ?? this.#role?.declaration;
    if (!declaration) throw notFound("The declaration of this subagent");
    const role = { ...claim, declaration };
    if (this.#session.isBusy || JSON.stringify(role) === JSON.stringify(this.#role))
      return this.#session;
    const tables = sessionTables(sql);
    tables.transaction(() => writeState(tables, "role", role));
    this.#role = role;
    return (this.#session = this.#make());
  }

  #make(): Session {
    return new Session(this.#platform, this.#harnessOf(this.#role));
  }
}
