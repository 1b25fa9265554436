import { invalid, tooLarge } from "../shared/errors.ts";
import { spellSize } from "../shared/text.ts";
import type { TextEdit } from "../shared/workspace-changes.ts";

/** A text after its edits. `replaced`: occurrences, one number an edit. `line`: of the first replacement, from 1. */
export type EditedText = {
  readonly text: string;
  readonly replaced: readonly number[];
  readonly line: number;
};

type Match = { readonly start: number; readonly end: number };

/**
 * Replaces exact literal text (promise W13). Edits apply in order, each to what the one before left; all or none.
 * Matches count from left to right without overlap, and there must be one, unless `replaceAll`. Where nothing matches
 * exactly, a match that differs in its line endings only counts, and the new text takes the file's endings; so it
 * does when lines are put into a file that has CRLF throughout. All other endings and a BOM stay. Throws
 * `CarrelError`: `invalid` with how to mend it, `too_large` when the text would grow beyond `limit` UTF-16 units.
 */
export function editText(text: string, edits: readonly TextEdit[], limit: number): EditedText {
  if (edits.length === 0) throw invalid("An edit needs at least one pair of old and new text.");
  let edited = text;
  let first = Infinity;
  const replaced = edits.map((edit, at) => {
    const where = edits.length === 1 ? "" : ` (edit ${at + 1} of ${edits.length}; none was made)`;
    assertEdit(edit, where);
    const { matches, newText } = find(edited, edit);
    assertMatches(matches, edit, where);
    const next = splice(edited, matches, newText, limit);
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

function find(text: string, { oldText, newText }: TextEdit) {
  const exact = literalMatches(text, oldText);
  if (exact.length > 0) {
    const isCrlf = !/[\r\n]/.test(oldText) && /\r\n/.test(text) && !/(?<!\r)\n|\r(?!\n)/.test(text);
    return { matches: exact, newText: isCrlf ? withEndings(newText, "\r\n") : newText };
  }
  const matches = /[\r\n]/.test(oldText) ? looseMatches(text, oldText) : [];
  const [found] = matches;
  const ending = found && ENDING.exec(text.slice(found.start, found.end))?.[0];
  return { matches, newText: withEndings(newText, ending ?? "\n") };
}

const ENDING = /\r\n|\n|\r/;

const withEndings = (text: string, ending: string): string =>
  text.replaceAll(/\r\n|\n|\r/g, () => ending);

function literalMatches(text: string, oldText: string): Match[] {
  const matches: Match[] = [];
  let start = text.indexOf(oldText);
  while (start !== -1) {
    const end = start + oldText.length;
    matches.push({ start, end });
    start = text.indexOf(oldText, end);
  }
  return matches;
}

/** Matches where CRLF, LF and CR are alike, as places in the text itself. */
function looseMatches(text: string, oldText: string): Match[] {
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

function splice(text: string, matches: readonly Match[], newText: string, limit: number): string {
  const removed = matches.reduce((sum, { start, end }) => sum + end - start, 0);
  if (text.length - removed + matches.length * newText.length > limit)
    throw tooLarge("The text after the edit", spellSize(limit));
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of matches) {
    parts.push(text.slice(from, start), newText);
    from = end;
  }
  return [...parts, text.slice(from)].join("");
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (const { index } of text.matchAll(/\r\n|\n|\r/g)) {
    if (index >= offset) break;
    line += 1;
  }
  return line;
}
