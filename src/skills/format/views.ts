/** A text written in another way; of each of its units where it stands in the first text: from `starts` to before `ends`. */
export type View = {
  readonly text: string;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
};

const BLANKS = /[ \t]*(?:\r\n|\n|\r)?/y;
const BREAK = /[\r\n]/;

/** Without whitespace at the ends of lines, which are LF. The last unit of a line reaches to the line's end. */
export function trimmed(text: string): View {
  const blanks = new RegExp(BLANKS);
  const view = new ViewWriter(text);
  for (let at = 0; at < text.length;) {
    blanks.lastIndex = at;
    const [run = ""] = blanks.exec(text) ?? [];
    const end = at + run.length;
    const breakAt = run.search(BREAK);
    if (breakAt >= 0 || (run !== "" && end === text.length)) {
      view.stretch(breakAt >= 0 ? at + breakAt : end);
      if (breakAt >= 0) view.put("\n", at, end);
    } else view.copy(at, Math.max(end, at + 1));
    at = Math.max(end, at + 1);
  }
  return view.finish();
}

/** Each run of whitespace is one space. */
export function collapsed(text: string): View {
  const view = new ViewWriter(text);
  for (const { 0: run, index } of text.matchAll(/\s+|\S+/g))
    if (/\s/.test(run.charAt(0))) view.put(" ", index, index + run.length);
    else view.copy(index, index + run.length);
  return view.finish();
}

/** Writes a view from left to right. It is never longer than its text. */
class ViewWriter {
  readonly #text: string;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  readonly #parts: string[] = [];
  #length = 0;
  #isBroken = true;

  constructor(text: string) {
    this.#text = text;
    this.#starts = new Int32Array(text.length);
    this.#ends = new Int32Array(text.length);
  }

  copy(from: number, to: number): void {
    this.#parts.push(this.#text.slice(from, to));
    for (let at = from; at < to; at += 1) this.#place(at, at + 1);
    this.#isBroken = false;
  }

  /** One unit instead of all that is between the places. */
  put(unit: string, from: number, to: number): void {
    this.#parts.push(unit);
    this.#place(from, to);
    this.#isBroken = true;
  }

  /** The last unit that was copied reaches to there. */
  stretch(to: number): void {
    if (!this.#isBroken) this.#ends[this.#length - 1] = to;
  }

  finish(): View {
    return { text: this.#parts.join(""), starts: this.#starts, ends: this.#ends };
  }

  #place(from: number, to: number): void {
    this.#starts[this.#length] = from;
    this.#ends[this.#length] = to;
    this.#length += 1;
  }
}
