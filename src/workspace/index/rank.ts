import type { Sql } from "../../shared/sql.ts";
import type { Layout, Span } from "./layout.ts";
import { unitsWith, UNITS } from "./tables.ts";
import type { QueryWords } from "./words.ts";

/** How all units of an index answer a query. */
export type Ranking = {
  /** For each unit of the layout, 0 to 1: 1 is what no unit can exceed. */
  readonly scores: Float64Array;
  /** The units with a score, in no order: those that have some of the words, and their neighbours. */
  readonly found: readonly number[];
  /** Not 0 for units that have some of the words themselves. */
  readonly own: Uint8Array;
};

const K1 = 1.2;
const B = 0.75;

/** What each view of a unit weighs beside the others, as measured on LoCoMo (`bench/memory.mjs`). */
const WEIGHTS = { alone: 1, near: 1, wide: 0.5, file: 0.5 } as const;

/** How far the views reach to both sides of a unit. */
const NEAR = 1;
const WIDE = 3;

/**
 * Ranks by BM25 (Robertson and Zaragoza, 2009), fused from four views of each unit: alone, with its neighbours, with
 * three to each side, and its file.
 */
export function rank(sql: Sql, layout: Layout, query: QueryWords): Ranking {
  const sums = new Sums(layout);
  for (const word of query.words) sums.add(unitsWith(sql, word, false));
  for (const char of query.beginnings) sums.add(unitsWith(sql, char, true));
  return sums.ranking();
}

class Sums {
  readonly #layout: Layout;
  readonly #scores: Float64Array;
  readonly #found: number[] = [];
  readonly #own: Uint8Array;
  /** What the words add to all units of a span. */
  readonly #files: Float64Array;
  /** How often each unit has the word that is being added. */
  readonly #counts: Uint8Array;
  #most = 0;

  constructor(layout: Layout) {
    this.#layout = layout;
    this.#scores = new Float64Array(layout.count);
    this.#own = new Uint8Array(layout.count);
    this.#files = new Float64Array(layout.spans.length);
    this.#counts = new Uint8Array(layout.count);
  }

  /** `lists`: the units that have a word, those that have it twice, and so on. */
  add(lists: readonly (readonly number[])[]): void {
    const units = this.#count(lists);
    this.#addUnits(units);
    this.#addFiles(units);
    for (const unit of units) this.#counts[unit] = 0;
  }

  ranking(): Ranking {
    const { spanOf } = this.#layout;
    for (const unit of this.#found) {
      const file = this.#files[spanOf[unit] ?? 0] ?? 0;
      this.#scores[unit] = ((this.#scores[unit] ?? 0) + file) / this.#most;
    }
    return { scores: this.#scores, found: this.#found, own: this.#own };
  }

  /** The places in the layout of the units that have the word, in order. */
  #count(lists: readonly (readonly number[])[]): readonly number[] {
    const units: number[] = [];
    for (const list of lists) {
      let [first, end] = [0, 0];
      let span: Span | undefined;
      for (const id of list) {
        if (id >= end) {
          const no = Math.floor(id / UNITS);
          [first, end] = [no * UNITS, (no + 1) * UNITS];
          span = this.#layout.byNo.get(no);
        }
        if (!span) continue;
        const unit = span.start + id - first;
        const count = this.#counts[unit] ?? 0;
        if (count === 0) units.push(unit);
        this.#counts[unit] = count + 1;
        this.#own[unit] = 1;
      }
    }
    return units;
  }

  #addUnits(units: readonly number[]): void {
    const { alone, near, wide, count } = this.#layout;
    const weights = {
      alone: WEIGHTS.alone * rarity(units.length, count),
      near: WEIGHTS.near * rarity(this.#around(units, NEAR), count),
      wide: WEIGHTS.wide * rarity(this.#around(units, WIDE), count),
    };
    this.#most += (weights.alone + weights.near + weights.wide) * (K1 + 1);
    this.#around(units, WIDE, (unit, { start, end }) => {
      const own = this.#counts[unit] ?? 0;
      const nearby = this.#sum(Math.max(start, unit - NEAR), Math.min(end, unit + NEAR + 1));
      const all = this.#sum(Math.max(start, unit - WIDE), Math.min(end, unit + WIDE + 1));
      const before = this.#scores[unit] ?? 0;
      if (before === 0) this.#found.push(unit);
      this.#scores[unit] =
        before +
        weights.alone * saturated(own, (alone.lengths[unit] ?? 0) / alone.mean) +
        weights.near * saturated(nearby, (near.lengths[unit] ?? 0) / near.mean) +
        weights.wide * saturated(all, (wide.lengths[unit] ?? 0) / wide.mean);
    });
  }

  #sum(from: number, end: number): number {
    let sum = 0;
    for (let unit = from; unit < end; unit += 1) sum += this.#counts[unit] ?? 0;
    return sum;
  }

  /** Visits each unit that lies so near to one of these, once, in order. Gives how many there are. */
  #around(
    units: readonly number[],
    reach: number,
    visit: (unit: number, span: Span) => void = () => {},
  ): number {
    const { spans, spanOf } = this.#layout;
    let count = 0;
    let next = 0;
    for (const unit of units) {
      const span = spans[spanOf[unit] ?? 0];
      if (!span) continue;
      const end = Math.min(span.end, unit + reach + 1);
      const from = Math.max(next, span.start, unit - reach);
      for (let at = from; at < end; at += 1) visit(at, span);
      count += Math.max(0, end - from);
      next = Math.max(next, end);
    }
    return count;
  }

  #addFiles(units: readonly number[]): void {
    const { spans, spanOf, meanFile } = this.#layout;
    const counts = new Map<number, number>();
    for (const unit of units) {
      const at = spanOf[unit] ?? 0;
      counts.set(at, (counts.get(at) ?? 0) + (this.#counts[unit] ?? 0));
    }
    const weight = WEIGHTS.file * rarity(counts.size, spans.length);
    this.#most += weight * (K1 + 1);
    for (const [at, count] of counts) {
      const length = (spans[at]?.length ?? 0) / meanFile;
      this.#files[at] = (this.#files[at] ?? 0) + weight * saturated(count, length);
    }
  }
}

/** How much a word says that `having` of `all` have. */
const rarity = (having: number, all: number): number =>
  Math.log(1 + (all - having + 0.5) / (having + 0.5));

/** How much it says that a text of this length, in mean lengths, has the word so often. */
const saturated = (count: number, length: number): number =>
  (count * (K1 + 1)) / (count + K1 * (1 - B + B * length));
