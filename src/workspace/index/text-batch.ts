import type { Budget } from "./budget.ts";
import type { IndexChange } from "./held.ts";
import { unitsOf } from "./units.ts";
import { isStill, type UpdateParts } from "./update-parts.ts";
import type { Wanted } from "./wanted.ts";

/** About so much is written in one transaction: many small ones would be slow, a large one would keep others waiting. */
const UNITS = 256;
const CHARS = 256 * 1024;

/** Texts on their way into the index, several in one transaction. */
export class TextBatch {
  readonly #parts: UpdateParts;
  readonly #budget: Budget;
  #waiting: { readonly it: Wanted; readonly change: IndexChange }[] = [];
  #units = 0;
  #chars = 0;

  constructor(parts: UpdateParts, budget: Budget) {
    this.#parts = parts;
    this.#budget = budget;
  }

  /** Reads a text. One that is not here, when no more may be fetched, is left out. Throws what reading throws. */
  async add(it: Wanted): Promise<void> {
    const { entry, source } = it;
    const { path, layer, file } = entry;
    const isAway = layer === "shared" || file.row?.body === null;
    if (isAway && !this.#budget.mayFetch()) return;
    const content = await this.#parts.layers.content(entry);
    // Bytes that are no text have no units.
    const text = "text" in content ? content.text : "";
    const units = unitsOf(path, source, text, file.at);
    const row = { path, etag: file.etag, whole: true, lines: 0, last: "", hidden: "" };
    this.#waiting.push({ it, change: { kind: "put", continued: null, row, units } });
    this.#units += units.length;
    this.#chars += text.length;
    this.#budget.spend(text.length, units.length);
    if (this.#units >= UNITS || this.#chars >= CHARS) await this.flush();
  }

  /** Writes what was read and still is as it was. */
  async flush(): Promise<void> {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#units = 0;
    this.#chars = 0;
    const still = waiting.filter(({ it }) => isStill(this.#parts, it.entry));
    this.#parts.held.commit(still.map(({ change }) => change));
    await this.#parts.breathe();
  }
}
