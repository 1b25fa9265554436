import { expandBraces } from "./braces.ts";
import { DEEP, type Segment } from "./path-pattern.ts";
import { ONE, type Piece, RUN, wildcardOf } from "./wildcard.ts";

/** The paths that a shell may put in the place of a word with `*`, `?`, `[…]` or `{…}` in it: more rather than fewer. */
export function globsOf(word: string): readonly (readonly Segment[])[] {
  if (!hasChoice(word)) return /[*?[]/.test(word) ? [segmentsOf(word)] : [];
  const text = word.replaceAll(/\{[^{},]*\.\.[^{},]*\}/g, "*");
  const words = expandBraces(text);
  if (words) return words.map(segmentsOf);
  // Too many to tell, or odd ones: what stands before them is sure.
  const begin = segmentsOf(`${text.slice(0, Math.max(text.indexOf("{"), 0))}*`);
  return [begin, [...begin, DEEP]];
}

/** A brace without a choice is a character like any. */
const hasChoice = (word: string): boolean =>
  word.includes("{") && word.includes("}") && (word.includes(",") || word.includes(".."));

/** `..` takes back the name before it. */
function segmentsOf(text: string): readonly Segment[] {
  const names: string[] = [];
  for (const name of text.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names.map((name) => (name === "**" ? DEEP : wildcardOf(piecesOf(name))));
}

/** One of several characters in brackets is any. */
const piecesOf = (name: string): Piece[] =>
  Array.from(name.normalize("NFC").replaceAll(/\[[!^]?\]?[^\]]*\]/g, "?"), (char) =>
    char === "*" ? RUN : char === "?" ? ONE : char,
  );
