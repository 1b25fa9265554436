/** What one update may cost; the rest waits for the next. */
export type Bounds = {
  /** Text that is read, in UTF-16 units. */
  readonly chars: number;
  /** Units that are written. */
  readonly units: number;
  /** Files that are not here: their text has to be fetched. */
  readonly fetches: number;
};

/** What is left of the bounds of one update. What is begun is finished, so it may end a little below nothing. */
export class Budget {
  #chars: number;
  #units: number;
  #fetches: number;

  constructor({ chars, units, fetches }: Bounds) {
    this.#chars = chars;
    this.#units = units;
    this.#fetches = fetches;
  }

  get isSpent(): boolean {
    return this.#chars <= 0 || this.#units <= 0;
  }

  spend(chars: number, units: number): void {
    this.#chars -= chars;
    this.#units -= units;
  }

  /** Whether one more file may be fetched; if so, it counts. */
  mayFetch(): boolean {
    this.#fetches -= 1;
    return this.#fetches >= 0;
  }
}
