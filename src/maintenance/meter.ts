import type { Clock } from "../shared/clock.ts";

/** What one invocation may use: calls to other objects and services, and milliseconds. */
export type Allowance = { readonly calls: number; readonly ms: number };

/** What an invocation has used of its allowance. Work is begun only if it can also be ended. */
export class Meter {
  readonly #clock: Clock;
  readonly #allowance: Allowance;
  readonly #began: number;
  #calls = 0;
  #reserved = 0;

  constructor(clock: Clock, allowance: Allowance) {
    this.#clock = clock;
    this.#allowance = allowance;
    this.#began = clock.now();
  }

  get calls(): number {
    return this.#calls;
  }

  /** Whether there is still time to begin something. */
  get hasTime(): boolean {
    return this.#clock.now() - this.#began < this.#allowance.ms;
  }

  /** Whether there is time, and calls for something that makes at most so many. */
  has(calls: number): boolean {
    return this.hasTime && this.#calls + this.#reserved + calls <= this.#allowance.calls;
  }

  /** Counts a call that is about to be made. */
  count<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    this.#calls += 1;
    return call();
  }

  /** Keeps so many calls free for `work` while it runs; what it does not make of them is free again. */
  async reserve<Answer>(calls: number, work: () => Promise<Answer>): Promise<Answer> {
    this.#reserved += calls;
    try {
      return await work();
    } finally {
      this.#reserved -= calls;
    }
  }
}
