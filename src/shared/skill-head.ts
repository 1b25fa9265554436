import { cutAt } from "./text.ts";

/** Front matter of more code points is not read (AgentScope's limit). */
export const MAX_FRONT_MATTER = 16_384;

/** How much of the body a head has, in UTF-16 units. */
export const REST_CHARS = 400;

/** Within so many units the line that opens the front matter has to end: a BOM and blank lines may be before it. */
const OPENING_CHARS = 1_024;

/** A line ending is taken in one way only, so that there is nothing to go back to. */
const OPENING = /^\uFEFF?(?:[ \t]*(?:\r\n|\n|\r(?!\n)))*---[ \t]*(?:\r\n|\n|\r)/;

/** A line that closes it has at most so many blanks after the hyphens. */
const CLOSING = /---[ \t]{0,64}(?:\r\n|\n|\r|$)/y;

/** What is between the two lines `---`, each of them whole and at the left edge, and what is after the second. */
export type SplitSkill =
  | { readonly kind: "split"; readonly frontMatter: string; readonly bodyAt: number }
  /** `end`: a beginning of so many units is split in the same way. `why`: in words. */
  | { readonly kind: "none"; readonly end: number; readonly why: string };

/** Finds the front matter of a SKILL.md. Linear, whatever the text is. */
export function splitSkill(text: string): SplitSkill {
  const opening = OPENING.exec(text.slice(0, OPENING_CHARS));
  if (!opening)
    return {
      kind: "none",
      end: OPENING_CHARS,
      why: "It has no front matter. Begin it with a line ---, name and description, and another line ---.",
    };
  const start = opening[0].length;
  const limit = afterCodePoints(text, start, MAX_FRONT_MATTER);
  const closing = findClosing(text, start, limit);
  if (closing)
    return {
      kind: "split",
      frontMatter: text.slice(start, closing.index),
      bodyAt: closing.index + closing[0].length,
    };
  const isOver = text.length > limit;
  return {
    kind: "none",
    end: limit + CLOSING_CHARS,
    why: isOver
      ? `Its front matter is longer than ${MAX_FRONT_MATTER.toLocaleString("en")} characters, or is not closed by a line ---.`
      : "Its front matter is not closed by a line ---.",
  };
}

/** Of the longest line that closes, with one unit more. */
const CLOSING_CHARS = 3 + 64 + 2 + 1;

/** The first line that closes, which begins at `limit` at the latest. */
function findClosing(text: string, start: number, limit: number): RegExpExecArray | null {
  const closing = new RegExp(CLOSING);
  let at = text.indexOf("---", start);
  while (at !== -1 && at <= limit) {
    const before = text.charAt(at - 1);
    closing.lastIndex = at;
    const found = before === "\n" || before === "\r" ? closing.exec(text) : null;
    if (found) return found;
    at = text.indexOf("---", at + 1);
  }
  return null;
}

/** Where `count` code points from `start` on end; the end of the text where it has fewer. */
function afterCodePoints(text: string, start: number, count: number): number {
  let at = start;
  for (let left = count; left > 0 && at < text.length; left -= 1)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

/**
 * The beginning of a SKILL.md: its front matter with the lines around it, and up to 400 units of what follows, so that who
 * reads it can tell whether there is a body. `parseSkill` finds in it what it finds in the whole text. At most 18,000 code
 * points; the whole text where that is shorter.
 */
export function headOf(text: string): string {
  const split = splitSkill(text);
  return cutAt(text, split.kind === "split" ? split.bodyAt + REST_CHARS : split.end + 1);
}
