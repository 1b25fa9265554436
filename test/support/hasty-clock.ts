import type { Clock } from "../../src/shared/clock.ts";

/** A clock on which whoever sleeps wakes at once, that much later. */
export class HastyClock implements Clock {
  #now = 0;

  now(): number {
    return this.#now;
  }

  async sleep(ms: number): Promise<void> {
    this.#now += ms;
    await Promise.resolve();
  }
}
