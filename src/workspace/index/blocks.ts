import { withoutMarks } from "../../shared/memory-marks.ts";
import { cutAt, splitLines } from "../../shared/text.ts";

/** Some lines of a text that belong together. */
export type Block = {
  readonly line: number;
  readonly end: number;
  readonly text: string;
  /** The heading that it stands under, where it does not begin with it; of the first block the file's name. */
  readonly about: string;
};

/** The most text of a block, in UTF-16 units. */
const LONGEST = 1_200;
/** From this length on a blank line ends a block. */
const ENOUGH = 400;

const HEADING = /^#{1,6}\s+(.*)$/s;
const FENCE = /^\s*(?:```|~~~)/;

/** A text as blocks: a heading begins one, a paragraph ends one that is long enough. */
export function blocksOf(text: string, name: string): Block[] {
  const blocks = new Blocks(name.replace(/\.[^.]*$/, ""));
  let isFenced = false;
  for (const [at, raw] of splitLines(text.replace(/^\uFEFF/, "")).entries()) {
    const line = withoutMarks(raw);
    const heading = isFenced ? null : HEADING.exec(line);
    if (FENCE.test(line)) isFenced = !isFenced;
    if (heading) blocks.begin(heading[1] ?? "");
    blocks.add(line, at + 1);
  }
  return blocks.all();
}

class Blocks {
  readonly #done: Block[] = [];
  #lines: string[] = [];
  #length = 0;
  #first = 0;
  #last = 0;
  /** What the block that is open is about, and what the next one is. */
  #about: string;
  #next: string;

  constructor(name: string) {
    this.#about = name;
    this.#next = "";
  }

  begin(heading: string): void {
    this.#close();
    if (this.#done.length > 0) this.#about = "";
    this.#next = heading;
  }

  add(line: string, no: number): void {
    if (line.trim() === "") {
      if (this.#length >= ENOUGH) this.#close();
      return;
    }
    if (this.#length > 0 && this.#length + line.length > LONGEST) this.#close();
    for (let rest = line; rest !== "";) {
      const piece = pieceOf(rest);
      this.#push(piece, no);
      rest = rest.slice(piece.length);
      if (rest !== "") this.#close();
    }
  }

  all(): Block[] {
    this.#close();
    return this.#done;
  }

  #push(piece: string, no: number): void {
    if (this.#lines.length === 0) this.#first = no;
    this.#last = no;
    this.#lines.push(piece);
    this.#length += piece.length + 1;
  }

  #close(): void {
    if (this.#lines.length === 0) return;
    const text = this.#lines.join("\n").trim();
    this.#done.push({ line: this.#first, end: this.#last, text, about: this.#about });
    this.#lines = [];
    this.#length = 0;
    this.#about = this.#next;
  }
}

/** The beginning of a line that fits a block, up to a space where there is one. */
function pieceOf(line: string): string {
  const piece = cutAt(line, LONGEST);
  if (piece.length === line.length) return piece;
  const space = piece.lastIndexOf(" ");
  return space > LONGEST / 2 ? piece.slice(0, space + 1) : piece;
}
