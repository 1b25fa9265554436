import { cutAt } from "../../shared/text.ts";
import type { QueryWords } from "./words.ts";
import { textWords } from "./words.ts";

/** The most of a text that a hit shows, in UTF-16 units, with the signs that it was cut. */
const MOST = 400;
/** A piece of a text that is looked at as one. */
const PIECE = /[^\n.!?。！？]{1,200}(?:[\n.!?。！？]+|\s|$)|[^\n]{1,200}/gu;

/** A text, or of a long one the part with most of the words; on one line, `…` where it was cut. */
export function snippetOf(text: string, query: QueryWords): string {
  const line = plain(text);
  if (line.length <= MOST) return line;
  const pieces = text.match(PIECE) ?? [];
  const counts = pieces.map((piece) => shared(piece, query));
  const best = counts.indexOf(Math.max(...counts));
  let first = best;
  let length = (pieces[best] ?? "").length;
  // Some of what comes before makes what was found easier to read.
  for (; first > 0 && length < MOST / 2; first -= 1) {
    const before = (pieces[first - 1] ?? "").length;
    if (length + before > MOST / 2) break;
    length += before;
  }
  const begin = first > 0 ? "…" : "";
  const rest = plain(pieces.slice(first).join(""));
  if (begin.length + rest.length <= MOST) return begin + rest;
  return `${begin}${cutAt(rest, MOST - begin.length - 1).trimEnd()}…`;
}

const plain = (text: string): string => text.replace(/\s+/g, " ").trim();

/** How many of the words a piece has. */
function shared(piece: string, { words, beginnings }: QueryWords): number {
  const found = textWords(piece);
  const all = new Set([...found.words, ...found.common]);
  const begun = beginnings.filter((char) => piece.includes(char));
  return words.filter((word) => all.has(word)).length + begun.length;
}
