/**
 * A text as a shell would read it: lines that go on are one, quotes within a word are gone, `$IFS` is a space. `placeOf`
 * says where a unit of it stands in the text itself.
 */
export type ShellView = {
  readonly text: string;
  readonly placeOf: (at: number) => number;
  /** Not all of it could be read so. */
  readonly isCut: boolean;
};

/** A line that goes on; quotes and backslashes within a word or at its end; texts put together; what stands for a space. */
const HIDES =
  /\\\r?\n|(?<=\w)(?:["']|\\(?![xu\d])){1,4}(?=\w)|(?<=\w)["'](?=\s{1,9}(?:-|https?:))|(?<=\w)["']\s{0,3}\+\s{0,3}["'](?=\w)|\$\{IFS\}|\$IFS(?!\w)(?:\$\d)?/g;

/** In a text that has more of them the rest stays as it is. */
const MAX_HIDDEN = 50_000;

/** Linear in the text. */
export function shellView(text: string): ShellView {
  const parts: string[] = [];
  /** Ascending: from `at` on, a unit of the view is `gone` units further on in the text. */
  const shifts: { readonly at: number; readonly gone: number }[] = [];
  let from = 0;
  let gone = 0;
  for (const { 0: hidden, index } of text.matchAll(HIDES)) {
    if (shifts.length === MAX_HIDDEN) break;
    const instead = hidden.startsWith("$") ? " " : "";
    parts.push(text.slice(from, index), instead);
    from = index + hidden.length;
    gone += hidden.length - instead.length;
    shifts.push({ at: from - gone, gone });
  }
  if (parts.length === 0) return { text, placeOf: (at) => at, isCut: false };
  parts.push(text.slice(from));
  return {
    isCut: shifts.length === MAX_HIDDEN,
    text: parts.join(""),
    placeOf: (at) =>
      at + (shifts[lastAt(shifts.length, (no) => (shifts[no]?.at ?? 0) <= at)]?.gone ?? 0),
  };
}

/** The last of `count` numbers for which `holds`, which it does up to some number and not after; -1 for none. */
export function lastAt(count: number, holds: (no: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
