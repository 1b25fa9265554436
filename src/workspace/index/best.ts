import { compareHits, pickHits, type Ranked } from "./pick-hits.ts";

/** The hits among which the best ones are, of any number that were found: each kind sorted, and no longer than it can count. */
export class Best<Hit extends Ranked> {
  readonly #limit: number;
  readonly #said: Hit[] = [];
  readonly #others: Hit[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(hit: Hit): void {
    const list = hit.source === "session" ? this.#said : this.#others;
    const last = list[this.#limit - 1];
    if (last && compareHits(hit, last) > 0) return;
    let at = list.length;
    for (let before = list[at - 1]; before && compareHits(hit, before) < 0; before = list[at - 1])
      at -= 1;
    list.splice(at, 0, hit);
    if (list.length > this.#limit) list.pop();
  }

  /** As `pickHits` does. */
  all(): Hit[] {
    return pickHits([...this.#said, ...this.#others], this.#limit);
  }
}
