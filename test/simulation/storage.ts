import type { DatabaseSync } from "node:sqlite";
import type { Sql } from "../../src/shared/sql.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";

type Message = { readonly send: () => void; readonly drop: () => void; readonly owner: object };

/** Who uses the storage: `alive` throws when it is dead, `committing` may throw in the place of a commit. */
export type Owner = { readonly alive: () => void; readonly committing: () => void };

/**
 * The storage of one object as its platform keeps it. What is written without waiting in between becomes durable
 * at once or not at all, alarm included, and what is said meanwhile leaves only then (the output gate).
 */
export class Storage {
  readonly #database: DatabaseSync = openDatabase();
  readonly #sql: Sql = nodeSql(this.#database);
  #alarm: number | null = null;
  #durableAlarm: number | null = null;
  #isOpen = false;
  #outbox: Message[] = [];
  /** Whether something became durable since this was last set back. */
  hasChanged = false;

  /** For whoever looks on; sees what is not yet durable too. */
  get sql(): Sql {
    return this.#sql;
  }

  get alarm(): number | null {
    return this.#alarm;
  }

  set alarm(at: number | null) {
    this.#alarm = at;
    this.hasChanged = true;
  }

  /** An alarm whose handler was cut off comes back, unless an earlier one stands. */
  alarmAgain(at: number): void {
    this.#durableAlarm = Math.min(this.#durableAlarm ?? at, at);
    this.alarm = Math.min(this.#alarm ?? at, at);
  }

  /** The port as one instance of the object has it. */
  sqlOf(owner: Owner): Sql {
    const sql = this.#sql;
    return {
      all: (query, ...params) => {
        owner.alive();
        return sql.all(query, ...params);
      },
      each: (query, ...params) => {
        owner.alive();
        return sql.each(query, ...params);
      },
      run: (query, ...params) => {
        owner.alive();
        this.#write();
        return sql.run(query, ...params);
      },
      transaction: (work) => {
        owner.alive();
        this.#write();
        return sql.transaction(() => {
          const result = work();
          owner.committing();
          return result;
        });
      },
    };
  }

  /** Says something to the outside: `send` once all that was written so far is durable, `drop` if it never is. */
  say(owner: object, send: () => void, drop: () => void = () => {}): void {
    this.#outbox.push({ send, drop, owner });
  }

  /** Makes durable what was written, and lets go what was said by all but `silenced`. */
  flush(silenced: ReadonlySet<object>): void {
    if (this.#isOpen) this.#database.exec("COMMIT");
    this.#isOpen = false;
    this.#durableAlarm = this.#alarm;
    const outbox = this.#outbox;
    this.#outbox = [];
    for (const { send, drop, owner } of outbox) (silenced.has(owner) ? drop : send)();
  }

  /** Forgets what is not durable, and what was said since. */
  lose(): void {
    if (this.#isOpen) this.#database.exec("ROLLBACK");
    this.#isOpen = false;
    this.#alarm = this.#durableAlarm;
    const outbox = this.#outbox;
    this.#outbox = [];
    for (const { drop } of outbox) drop();
  }

  close(): void {
    this.lose();
    this.#database.close();
  }

  #write(): void {
    this.hasChanged = true;
    if (this.#isOpen) return;
    this.#database.exec("BEGIN");
    this.#isOpen = true;
  }
}
