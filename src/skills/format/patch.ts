import { invalid, tooLarge } from "../../shared/errors.ts";
import type { DraftChanged } from "../../shared/skill-drafts.ts";
import { spellSize } from "../../shared/text.ts";
import { findAll, type Place } from "./find-all.ts";
import { collapsed, trimmed, type View } from "./views.ts";

export type Patch = {
  readonly text: string;
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
};

/** `matched`: the step of the ladder that found the place. */
export type Patched = {
  readonly text: string;
  readonly matched: NonNullable<DraftChanged["matched"]>;
};

/** In UTF-16 units: as large as a file of text may be. */
const MAX_TEXT = 1024 * 1024;

/**
 * Replaces a text by AgentScope's ladder: where it stands exactly; else where only whitespace at the ends of lines differs;
 * else where runs of whitespace differ. It must be there once at its step, unless `replaceAll`; matches do not overlap. In
 * a text that has CRLF throughout the new text gets CRLF, too. Linear in the texts. Throws `invalid` with how to mend it,
 * `too_large` when the text would grow beyond 1 MiB.
 */
export function patchText({ text, oldText, newText, replaceAll }: Patch): Patched {
  assertPatch(oldText, newText);
  const endings = withEndingsOf(text, newText);
  const exact = findAll(text, oldText);
  if (exact.length > 0 && !exact.some((place) => splitsPair(text, place)))
    return finish("exact", exact, endings);
  const lines = placesIn(trimmed(text), trimmed(oldText).text);
  if (lines.length > 0) return finish("trailing whitespace ignored", lines, endings);
  // What is around the text stays as it is there, so that lines and their indentation do.
  const words = placesIn(collapsed(text), collapsed(oldText.trim()).text);
  const inner = insteadOf(oldText, endings);
  if (words.length > 0) return finish("whitespace collapsed", words, inner);
  throw invalid(
    "The old text does not occur in the file. Read the file and copy the text exactly, with its spaces and indentation.",
  );

  function finish(matched: Patched["matched"], places: readonly Place[], inserted: string) {
    if (places.length > 1 && !replaceAll)
      throw invalid(
        `The old text occurs ${places.length} times (${matched}). Add lines around it until it is unique, or ask for all of them to be replaced.`,
      );
    const changed = splice(text, places, inserted);
    if (changed === text) throw invalid("The change would change nothing.");
    return { text: changed, matched };
  }
}

function assertPatch(oldText: string, newText: string): void {
  if (oldText === "")
    throw invalid("The old text is empty. Give the text to replace, or write the whole file.");
  if (oldText === newText) throw invalid("Old and new text are the same, so nothing would change.");
  if (!oldText.isWellFormed() || !newText.isWellFormed() || newText.includes("\0"))
    throw invalid("Old and new text must be whole Unicode characters without NUL.");
}

const isPair = (text: string, at: number): boolean =>
  text.charAt(at - 1) === "\r" && text.charAt(at) === "\n";

/** Whether a place begins or ends within a CRLF. */
const splitsPair = (text: string, { start, end }: Place): boolean =>
  isPair(text, start) || isPair(text, end);

const withEndingsOf = (text: string, newText: string): string =>
  text.includes("\r\n") && !/(?<!\r)\n/.test(text)
    ? newText.replaceAll(/\r\n?|\n/g, "\r\n")
    : newText;

/** The new text without the whitespace at its ends where the old one had some that is not replaced. */
function insteadOf(oldText: string, newText: string): string {
  const after = oldText.trimStart() === oldText ? newText : newText.trimStart();
  return oldText.trimEnd() === oldText ? after : after.trimEnd();
}

/** Where `wanted` stands in a view, as places in the text that it is of. */
function placesIn({ text, starts, ends }: View, wanted: string): Place[] {
  if (wanted === "") return [];
  return findAll(text, wanted).map(({ start, end }) => ({
    start: starts[start] ?? 0,
    end: ends[end - 1] ?? 0,
  }));
}

function splice(text: string, places: readonly Place[], inserted: string): string {
  const removed = places.reduce((sum, { start, end }) => sum + end - start, 0);
  if (text.length - removed + places.length * inserted.length > MAX_TEXT)
    throw tooLarge("The text after the change", spellSize(MAX_TEXT));
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of places) {
    parts.push(text.slice(from, start), inserted);
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join("");
}
