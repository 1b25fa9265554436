import type { Sql } from "../../shared/sql.ts";
import { splitLines } from "../../shared/text.ts";
import type { FileRow } from "../rows.ts";
import type { Lines } from "./segments.ts";

/** A row of a body with which a line begins, and how many lines are before it. */
type Mark = { readonly no: number; readonly first: number };

type Known = { readonly key: string; readonly marks: readonly Mark[]; readonly total: number };

/** Text between two marks, in UTF-16 units. */
const MARKED = 256 * 1024;

const START: Mark = { no: 0, first: 0 };

/**
 * Lines of the open text of logs, row by row: of all of it only what is asked for is in memory at a time. Of the log that
 * was read last it remembers where lines begin, so that going on from page to page reads each row once.
 */
export class OpenLines {
  readonly #sql: Sql;
  #known: Known | null = null;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Lines `from` to `to`, and how many there are; `sealed` lines are before them. Throws when the text is missing. */
  read({ path, version, body }: FileRow, sealed: number, from: number, to: number): Lines {
    const key = `${version} ${sealed} ${path}`;
    const known = this.#known?.key === key ? this.#known : null;
    const start = known?.marks.findLast(({ first }) => first <= from) ?? START;
    const marks: Mark[] = [];
    const found = new Lining(start.first, from, to);
    let isThere = false;
    let since = 0;
    const rows = "SELECT no, text FROM part WHERE body = ? AND no >= ? ORDER BY no";
    for (const { no, text } of this.#sql.each<{ no: number; text: string }>(rows, body, start.no)) {
      isThere = true;
      if (known && found.total >= to) break;
      if (found.isBetween && since >= MARKED) {
        marks.push({ no, first: found.total });
        since = 0;
      }
      since += text.length;
      found.add(text);
    }
    if (!isThere) throw new Error(`the end of "${path}" is missing`);
    found.end();
    const { lines, total } = found;
    if (known) return { lines, total: known.total };
    this.#known = { key, marks, total };
    return { lines, total };
  }
}

/** Lines of a text that comes in pieces, as `splitLines` has them. */
class Lining {
  readonly lines: string[] = [];
  /** Lines that are complete. */
  total: number;
  readonly #from: number;
  readonly #to: number;
  /** The beginning of a line, of which more may come. */
  #begun: string[] = [];

  constructor(first: number, from: number, to: number) {
    this.total = first;
    this.#from = from;
    this.#to = to;
  }

  /** Whether the next piece begins a line. */
  get isBetween(): boolean {
    return this.#begun.length === 0;
  }

  add(piece: string): void {
    if (piece === "") return;
    // CR at the end of a piece may be half of CRLF.
    const isHalf = this.#begun.at(-1)?.endsWith("\r") === true;
    const end = endOfLines(piece.endsWith("\r") ? piece.slice(0, -1) : piece);
    if (end > 0 || isHalf) {
      this.#take([...this.#begun, piece.slice(0, end)].join(""));
      this.#begun = [];
    }
    if (end < piece.length) this.#begun.push(piece.slice(end));
  }

  end(): void {
    this.#take(this.#begun.join(""));
    this.#begun = [];
  }

  #take(text: string): void {
    for (const line of splitLines(text)) {
      if (this.total >= this.#from && this.total < this.#to) this.lines.push(line);
      this.total += 1;
    }
  }
}

const endOfLines = (text: string): number =>
  Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
