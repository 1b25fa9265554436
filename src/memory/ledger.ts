import { withoutComments, writeMark, type Mark } from "../shared/memory-marks.ts";
import { cutAt, splitLines } from "../shared/text.ts";
import { dayIn } from "../shared/time-zone.ts";

/** What wrote a section of a ledger: the work after turns, or the agent with memory_save. */
export type LedgerKind = "Memory Flush" | "Memory Save";

/** Bullets in one text; characters (UTF-16 units) in one bullet. */
export const bulletLimits = { bullets: 200, characters: 2_000 } as const;

/** The ledger of the day that it is at `at` (ms) in a person's zone. */
export const ledgerPath = (zone: string, at: number): string => `memory/${dayIn(zone, at)}.md`;

/**
 * One section, to be appended as it is to a ledger that is there or not. The mark is about all its bullets. Comments in
 * bullets are broken up, so that none is taken for a mark. At least one bullet.
 */
export const ledgerSection = (
  kind: LedgerKind,
  at: number,
  mark: Mark,
  bullets: readonly string[],
): string =>
  `\n## ${kind} — ${new Date(at).toISOString()}\n${writeMark(mark)}\n\n${bullets.map((text) => `${bulletLines(text)}\n`).join("")}`;

/** The same bullets as MEMORY.md has them: each ends in its own mark. To be appended after a line end. */
export const memoryBullets = (bullets: readonly string[], mark: Mark): string =>
  bullets.map((text) => `${bulletLines(text)} ${writeMark(mark)}\n`).join("");

/** A bullet that is read as one entry again: further lines are indented, blank ones and fences left out. */
function bulletLines(text: string): string {
  const [first = "", ...further] = splitLines(withoutComments(text));
  const lines = [first, ...further.filter((line) => !isNothing(line))];
  return `- ${lines.map((line) => line.trim()).join("\n  ")}`;
}

/**
 * The bullets of a model's text, each without its sign; a further line of one follows on a line of its own. A line that is
 * in no list is a bullet too. Headings, rules and fences are left out, and so is what is over `bulletLimits`: the end of
 * a bullet that is too long, the last of too many. None for a blank text.
 */
export const bulletsOf = (modelText: string): string[] =>
  allBulletsOf(modelText)
    .slice(0, bulletLimits.bullets)
    .map((bullet) => cutBullet(bullet));

const cutBullet = (bullet: string): string =>
  bullet.length <= bulletLimits.characters
    ? bullet
    : `${cutAt(bullet, bulletLimits.characters - 1).trimEnd()}…`;

const BULLET = /^(\s*)(?:[-*+•]|\d{1,9}[.)])(?:\s+|$)(.*)$/s;

/** Whether a text holds a list, or a part of one. */
export const hasBullets = (text: string): boolean =>
  splitLines(text).some((line) => BULLET.test(line) && !isNothing(line));

/** The same, however many there are and however long they are. */
export function allBulletsOf(modelText: string): string[] {
  const bullets: string[][] = [];
  /** The indentation of the bullet that is open; `null` when none is. */
  let indent: number | null = null;
  for (const line of splitLines(cleaned(modelText))) {
    if (isNothing(line) || /^\s*#{1,6}(?:\s|$)/.test(line)) {
      if (line.trim() !== "") indent = null;
      continue;
    }
    const bullet = BULLET.exec(line);
    const depth = (bullet?.[1] ?? /^\s*/.exec(line)?.[0] ?? "").length;
    if (indent !== null && depth > indent) {
      bullets.at(-1)?.push(line.trim());
      continue;
    }
    indent = bullet || indent === null ? depth : indent;
    bullets.push([(bullet?.[2] ?? line).trim()]);
  }
  return bullets.map((lines) => lines.join("\n").trim()).filter((text) => text !== "");
}

/** Nothing that anybody said: a blank line, a rule, the beginning or end of a fenced block. */
const isNothing = (line: string): boolean =>
  /^\s*(?:`{3,}|~{3,})/.test(line) ||
  /^\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})?$/.test(line);

/** Well-formed text without control characters other than line ends and tabs, and without comments. */
const cleaned = (text: string): string =>
  withoutComments(text.toWellFormed().replace(/[^\P{Cc}\n\r\t]|\uFEFF/gu, ""));
