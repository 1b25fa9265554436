import type { Lines } from "./lines.ts";
import type { ScanRule } from "./rule.ts";

const WITHIN = 300;

/** So many places of a rule are enough: a file that has more is no better known by them. */
const MAX_PLACES = 10;

type Span = { readonly start: number; readonly end: number; readonly first: number };

/**
 * A text that rules are tried on. Each step of a rule is searched for once in the whole text, and goes with the nearest
 * place of the step before it; so the work is linear in the text.
 */
export class SearchedText {
  readonly #text: string;
  readonly #lines: Lines;
  readonly #known = new Map<RegExp, boolean>();

  constructor(text: string, lines: Lines) {
    this.#text = text;
    this.#lines = lines;
  }

  /** Where a rule applies: where its first step begins, at most once a line. */
  placesOf(rule: ScanRule): number[] {
    const places: number[] = [];
    // Rules share steps, and most are nowhere.
    if (!rule.steps.every((step) => this.#has(step))) return places;
    let line = -1;
    for (const { first } of this.#spansOf(rule)) {
      if (this.#lines.lineAt(first) === line) continue;
      line = this.#lines.lineAt(first);
      places.push(first);
      if (places.length === MAX_PLACES) break;
    }
    return places;
  }

  #has(step: RegExp): boolean {
    const has = this.#known.get(step) ?? this.#text.search(step) >= 0;
    this.#known.set(step, has);
    return has;
  }

  #spansOf(rule: ScanRule): Iterable<Span> {
    const [first, ...rest] = rule.steps;
    let spans: Iterable<Span> = first ? this.#all(first) : [];
    for (const step of rest) spans = this.#after(spans, step, rule);
    return spans;
  }

  *#all(step: RegExp): Generator<Span> {
    for (const { 0: found, index } of this.#text.matchAll(step))
      yield { start: index, end: index + found.length, first: index };
  }

  *#after(spans: Iterable<Span>, step: RegExp, rule: ScanRule): Generator<Span> {
    const { within = WITHIN, across = false } = rule;
    const before = spans[Symbol.iterator]();
    let next = before.next();
    let near: Span | null = null;
    for (const span of this.#all(step)) {
      while (next.done !== true && next.value.end <= span.start) {
        near = next.value;
        next = before.next();
      }
      if (!near || span.start - near.end > within) continue;
      if (!across && this.#lines.lineAt(near.start) !== this.#lines.lineAt(span.start)) continue;
      yield { ...span, first: near.first };
    }
  }
}
