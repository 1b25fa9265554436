import { invalid } from "../../shared/errors.ts";

/** What a long search needs of its surroundings. */
export type GrepTurns = {
  /** Lets others run: resolves in a later task of the event loop, not only a later microtask. */
  readonly yield: () => Promise<void>;
  /** Milliseconds. It may stand still between yields. Default `Date.now`. */
  readonly now?: () => number;
};

/** A turn's work, in UTF-16 units of text, and how long it should take. */
const TURN = { least: 16 * 1024, first: 64 * 1024, most: 512 * 1024, ms: 8 } as const;

/** After so long no further file is begun. */
const SPENT_MS = 5_000;

/** A search that takes so long, within one file, is given up. */
const GIVEN_UP_MS = 15_000;

/**
 * Splits work into turns of about 8 ms or 512 KB, whichever is less. Time passes only between turns on the platform,
 * so the size of the next turn follows from how long the last one took.
 */
export class Pace {
  readonly #most: number;
  readonly #yield: () => Promise<void>;
  readonly #now: () => number;
  #turn: number = TURN.first;
  #done = 0;
  #since: number;
  #spent = 0;

  /** `most`: UTF-16 units of a turn, however fast the last one was; at least 64 Ki. */
  constructor({ yield: pause, now = Date.now }: GrepTurns, most: number = TURN.most) {
    this.#most = Math.min(TURN.most, Math.max(TURN.first, most));
    this.#yield = pause;
    this.#now = now;
    this.#since = now();
  }

  /** Whether to call `rest` now, after this much more work. */
  isDue(work: number): boolean {
    this.#done += work;
    return this.#done >= this.#turn;
  }

  /** Whether there is no time for another file. */
  get isSpent(): boolean {
    return this.#spent >= SPENT_MS;
  }

  /** Throws `CarrelError('invalid')` when the search takes too long to go on at all. */
  async rest(): Promise<void> {
    await this.#yield();
    const took = this.#now() - this.#since;
    this.#spent += took;
    if (this.#spent > GIVEN_UP_MS)
      throw invalid("The search takes too long. Use a simpler expression or a smaller path.");
    const next = this.#turn * Math.min(2, TURN.ms / Math.max(took, 1));
    this.#turn = Math.min(this.#most, Math.max(TURN.least, next));
    this.start();
  }

  /** What was waited for until now, a fetch, is nobody's work. */
  start(): void {
    this.#done = 0;
    this.#since = this.#now();
  }
}
