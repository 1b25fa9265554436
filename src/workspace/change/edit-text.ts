import { invalid, tooLarge } from "../../shared/errors.ts";
import { spellSize } from "../../shared/text.ts";
import type { TextEdit } from "../../shared/workspace-changes.ts";

/** A text after its edits. `replaced`: occurrences, one number an edit. `line`: of the first replacement, from 1. */
export type EditedText = {
  readonly text: string;
  readonly replaced: readonly number[];
  readonly line: number;
};

type Place = { readonly start: number; readonly end: number };
type Match = Place & { readonly newText: string };

/**
 * Replaces exact literal text (promise W13). Edits apply in order, each to what the one before left; all or none.
 * Matches count from left to right without overlap, and there must be one, unless `replaceAll`. Where nothing matches
 * exactly, or only with half of a CRLF, a match that differs in its line endings only counts, and the new text takes
 * the endings of what it replaces; those of the file it takes when lines are put into one that has CRLF throughout.
 * All other endings and a BOM stay, so an edit that would make one CRLF out of a CR and an LF is refused. Throws
 * `CarrelError`: `invalid` with how to mend it, `too_large` when the text would grow beyond `limit` UTF-16 units.
 */
export function editText(text: string, edits: readonly TextEdit[], limit: number): EditedText {
  if (edits.length === 0) throw invalid("An edit needs at least one pair of old and new text.");
  let edited = text;
  let first = Infinity;
  const replaced = edits.map((edit, at) => {
    const where = edits.length === 1 ? "" : ` (edit ${at + 1} of ${edits.length}; none was made)`;
    assertEdit(edit, where);
    const matches = find(edited, edit);
    assertMatches(matches, edit, where);
    const next = splice(edited, matches, limit, where);
    if (next === edited) throw invalid(`The edit would change nothing${where}.`);
    first = Math.min(first, matches[0]?.start ?? 0);
    edited = next;
    return matches.length;
  });
  return { text: edited, replaced, line: lineAt(edited, first) };
}

function assertEdit({ oldText, newText }: TextEdit, where: string): void {
  if (oldText === "")
    throw invalid(
      `The old text is empty${where}. Give the text to replace, or write the whole file.`,
    );
  if (oldText === newText)
    throw invalid(`Old and new text are the same${where}, so nothing would change.`);
  if (!oldText.isWellFormed() || !newText.isWellFormed() || newText.includes("\0"))
    throw invalid(`Old and new text must be whole Unicode characters without NUL${where}.`);
}

function assertMatches(matches: readonly Match[], edit: TextEdit, where: string): void {
  if (matches.length === 0)
    throw invalid(
      `The old text does not occur in the file${where}. Read the file and copy the text exactly, with its spaces and indentation.`,
    );
  if (matches.length > 1 && edit.replaceAll !== true)
    throw invalid(
      `The old text occurs ${matches.length} times${where}. Add lines around it until it is unique, or ask for all of them to be replaced.`,
    );
}

function find(text: string, { oldText, newText }: TextEdit): Match[] {
  const exact = literalMatches(text, oldText);
  if (exact.length > 0 && !exact.some((place) => splitsPair(text, place))) {
    const isCrlf = !/[\r\n]/.test(oldText) && /\r\n/.test(text) && !/(?<!\r)\n|\r(?!\n)/.test(text);
    const inserted = isCrlf ? withEndings(newText, "\r\n") : newText;
    return exact.map((place) => ({ ...place, newText: inserted }));
  }
  const places = /[\r\n]/.test(oldText) ? looseMatches(text, oldText) : [];
  return places.map((place) => {
    const [ending = "\n"] = ENDING.exec(text.slice(place.start, place.end)) ?? [];
    return { ...place, newText: withEndings(newText, ending) };
  });
}

const isPair = (before: string, after: string): boolean => before === "\r" && after === "\n";

/** Whether a place begins on the LF of a CRLF or ends on its CR. */
const splitsPair = (text: string, { start, end }: Place): boolean =>
  isPair(text.charAt(start - 1), text.charAt(start)) ||
  isPair(text.charAt(end - 1), text.charAt(end));

const ENDING = /\r\n|\n|\r/;

const withEndings = (text: string, ending: string): string =>
  text.replaceAll(/\r\n|\n|\r/g, () => ending);

function literalMatches(text: string, oldText: string): Place[] {
  const matches: Place[] = [];
  let start = text.indexOf(oldText);
  while (start !== -1) {
    const end = start + oldText.length;
    matches.push({ start, end });
    start = text.indexOf(oldText, end);
  }
  return matches;
}

/** Matches where CRLF, LF and CR are alike, as places in the text itself. */
function looseMatches(text: string, oldText: string): Place[] {
  const found = literalMatches(withEndings(text, "\n"), withEndings(oldText, "\n"));
  const pairs = text.matchAll(/\r\n/g);
  let pair = pairs.next();
  let passed = 0;
  /** Ascending places only: each CRLF before the place is one unit longer than its LF. */
  const place = (at: number): number => {
    while (!pair.done && pair.value.index < at + passed) {
      passed += 1;
      pair = pairs.next();
    }
    return at + passed;
  };
  return found.map(({ start, end }) => ({ start: place(start), end: place(end) }));
}

function splice(text: string, matches: readonly Match[], limit: number, where: string): string {
  const grown = matches.reduce((sum, it) => sum + it.newText.length - (it.end - it.start), 0);
  if (text.length + grown > limit) throw tooLarge("The text after the edit", spellSize(limit));
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, newText } of matches) {
    parts.push(text.slice(from, start), newText);
    from = end;
  }
  parts.push(text.slice(from));
  const filled = parts.filter((part) => part !== "");
  if (filled.some((part, at) => isPair(filled[at - 1]?.at(-1) ?? "", part.charAt(0))))
    throw invalid(
      `The edit would put a CR before an LF, and make one line ending of two${where}. Replace the line endings with the text beside them.`,
    );
  return filled.join("");
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (const { index } of text.matchAll(/\r\n|\n|\r/g)) {
    if (index >= offset) break;
    line += 1;
  }
  return line;
}
