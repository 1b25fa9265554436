import { invalid } from "../../shared/errors.ts";

export type Accepts = (char: string) => boolean;

/** A piece of a glob. */
export type GlobPiece =
  /** One character. */
  | { readonly kind: "one"; readonly accepts: Accepts }
  /** Any number of characters. */
  | { readonly kind: "run"; readonly accepts: Accepts }
  /** Any number of directories, each with its slash. */
  | { readonly kind: "directories" }
  | { readonly kind: "either"; readonly options: readonly (readonly GlobPiece[])[] };

export const anything: Accepts = () => true;
export const isSlash: Accepts = (char) => char === "/";
const noSlash: Accepts = (char) => char !== "/";

/** The pieces of a glob. Throws `CarrelError('invalid')` when a bracket, brace or backslash is left open. */
export function parseGlob(pattern: string): readonly GlobPiece[] {
  return new GlobReader(pattern).sequence(true, false);
}

/** Goes through a pattern once. `startsName`: the place is at the start of a name in the path. */
class GlobReader {
  readonly #chars: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#chars = Array.from(pattern);
  }

  /** Up to the end, or to the comma or brace that ends it inside a group. */
  sequence(startsName: boolean, isInGroup: boolean): GlobPiece[] {
    const pieces: GlobPiece[] = [];
    let isStart = startsName;
    for (let char = this.#peek(); char !== undefined; char = this.#peek()) {
      if (isInGroup && (char === "," || char === "}")) break;
      this.#at += 1;
      const piece = char === "*" ? this.#stars(isStart) : this.#piece(char, isStart);
      pieces.push(piece);
      isStart = char === "/" || piece.kind === "directories";
    }
    return pieces;
  }

  #peek(): string | undefined {
    return this.#chars[this.#at];
  }

  #next(open: string): string {
    const char = this.#peek();
    if (char === undefined)
      throw invalid(`The pattern does not finish its ${open}. Write \\${open} for the character.`);
    this.#at += 1;
    return char;
  }

  #stars(isStart: boolean): GlobPiece {
    const from = this.#at;
    while (this.#peek() === "*") this.#at += 1;
    if (this.#at === from) return { kind: "run", accepts: noSlash };
    if (!isStart || this.#peek() !== "/") return { kind: "run", accepts: anything };
    this.#at += 1;
    return { kind: "directories" };
  }

  #piece(char: string, isStart: boolean): GlobPiece {
    if (char === "{") return this.#group(isStart);
    if (char === "[") return { kind: "one", accepts: this.#set() };
    if (char === "?") return { kind: "one", accepts: noSlash };
    const literal = char === "\\" ? this.#next("\\") : char;
    return { kind: "one", accepts: (other) => other === literal };
  }

  #group(isStart: boolean): GlobPiece {
    const options: GlobPiece[][] = [];
    do options.push(this.sequence(isStart, true));
    while (this.#next("{") === ",");
    return { kind: "either", options };
  }

  /** A `]` that comes first is one of the set. */
  #set(): Accepts {
    const isNot = this.#peek() === "!" || this.#peek() === "^";
    if (isNot) this.#at += 1;
    const ranges: (readonly [number, number])[] = [];
    for (let char = this.#next("["); char !== "]" || ranges.length === 0; char = this.#next("[")) {
      const low = char === "\\" ? this.#next("[") : char;
      const isRange = this.#peek() === "-" && this.#chars[this.#at + 1] !== "]";
      if (isRange) this.#at += 1;
      ranges.push([codePoint(low), codePoint(isRange ? this.#next("[") : low)]);
    }
    return (char) => {
      const point = codePoint(char);
      return noSlash(char) && isNot !== ranges.some(([low, high]) => low <= point && point <= high);
    };
  }
}

const codePoint = (char: string): number => char.codePointAt(0) ?? 0;
