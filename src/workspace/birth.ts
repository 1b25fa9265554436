import { errorFacts, type Log } from "../shared/log.ts";
import type { Layers } from "./layers/layers.ts";
import { needsRebuild, rebuild, recordBirth } from "./rebuild/rebuild.ts";
import type { RebuildParts } from "./rebuild/outside.ts";

export type BirthParts = RebuildParts & {
  readonly layers: Pick<Layers, "refresh">;
  /** Makes the registry know the bucket; resolves when it does. */
  readonly register: () => Promise<void>;
  /** Lets other calls run. */
  readonly breathe: () => Promise<void>;
  /** Sees to it that the bucket wakes for what is to be done. */
  readonly wake: () => void;
  readonly log: Log;
};

/** What comes before a bucket's first answer, and before its first change. Both cost nothing once they were done. */
export class Birth {
  readonly #parts: BirthParts;
  #born: Promise<void> | null = null;
  #registered: Promise<void> | null = null;

  constructor(parts: BirthParts) {
    this.#parts = parts;
  }

  /** Tables that are empty may be new, or lost: the store knows. */
  whenBorn(): Promise<void> | null {
    const { rows, wake } = this.#parts;
    if (this.#born === null && !needsRebuild(rows)) {
      this.#born = Promise.resolve();
      // The alarm may have been lost with the instance before.
      wake();
    }
    this.#born ??= this.#rebuild().catch((error: unknown) => {
      this.#born = null;
      throw error;
    });
    return this.#born;
  }

  /** What exists is registered. */
  whenRegistered(): Promise<void> | null {
    const { rows, register } = this.#parts;
    if (this.#registered === null && rows.meta(REGISTERED) !== null)
      this.#registered = Promise.resolve();
    this.#registered ??= register()
      .then(() =>
        rows.commit("register", ({ sql }) => {
          recordBirth({ sql });
          sql.run("INSERT OR REPLACE INTO meta(name, value) VALUES (?, '1')", REGISTERED);
        }),
      )
      .catch((error: unknown) => {
        this.#registered = null;
        throw error;
      });
    return this.#registered;
  }

  /** Resolves when the registry is not being told any more. */
  async rest(): Promise<void> {
    await this.#registered?.catch(() => {});
  }

  async #rebuild(): Promise<void> {
    const { rows, layers, breathe, wake, log } = this.#parts;
    // Both take their time, and whoever calls first mostly needs both.
    layers.refresh().catch(() => {});
    if (await rebuild(this.#parts)) {
      // What was found exists, also if nobody ever changes it. Should this fail, the first change tries again.
      this.whenRegistered()?.catch(() => {});
      return wake();
    }
    // Nobody's first answer waits until it is on disk that there was nothing.
    breathe()
      .then(() => rows.commit("born", recordBirth))
      .catch((error: unknown) => log("warn", "workspace.not_born", errorFacts(error)));
  }
}

const REGISTERED = "registered";
