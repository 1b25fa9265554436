import { cutAt } from "../../shared/text.ts";
import { lastAt } from "./shell-view.ts";

const MAX_EXCERPT = 200;
const BEFORE = 60;

/** What nobody sees, or what changes how the rest is seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\u115f\u1160\u3164]/gu;

/** Where each line of a text begins; LF ends one. */
export class Lines {
  readonly #text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1))
      this.#starts.push(at + 1);
  }

  /** From 0. */
  lineAt(place: number): number {
    return lastAt(this.#starts.length, (no) => (this.#starts[no] ?? 0) <= place);
  }

  /** The line around a place, or the part of it that can be shown, with all characters visible. */
  excerpt(place: number): string {
    const line = this.lineAt(place);
    const start = this.#starts[line] ?? 0;
    const end = this.#starts[line + 1] ?? this.#text.length;
    const from = place - start > MAX_EXCERPT - BEFORE ? place - BEFORE : start;
    return visible(this.#text.slice(from, Math.min(end, from + MAX_EXCERPT)).trim());
  }
}

/** On one line, at most 200 characters. A character that is not seen is written as `\u{202e}`. */
export function visible(text: string): string {
  const shown = text.replaceAll(UNSEEN, (unit) =>
    unit === "\t" ? " " : `\\u{${(unit.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return cutAt(shown, MAX_EXCERPT);
}
