import type { Clock } from "../../src/shared/clock.ts";

type Sleeper = { readonly until: number; readonly wake: () => void };

/** A clock that stands still until it is told to go on. */
export class ManualClock implements Clock {
  #now = 0;
  #sleepers: Sleeper[] = [];

  now(): number {
    return this.#now;
  }

  /** Sleeps that have not ended. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      const sleeper: Sleeper = {
        until: this.#now + ms,
        wake: () => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
          resolve();
        },
      };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", sleeper.wake, { once: true });
    });
  }

  /** Lets `ms` pass and wakes who slept until then, in order, each with time to go back to sleep. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const next = this.#sleepers.toSorted((a, b) => a.until - b.until)[0];
      if (!next || next.until > end) break;
      this.#now = next.until;
      next.wake();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets everything that waits for nothing but promises run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
