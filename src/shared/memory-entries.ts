import { readMark, withoutMarks, type Mark } from "./memory-marks.ts";
import { shortHash } from "./short-hash.ts";
import { splitLines } from "./text.ts";

/** One thing remembered: a bullet with what belongs to it, a paragraph, or a fenced block. */
export type MemoryEntry = {
  /** Names it by what it says: the same text has the same id in every file, however it is set. */
  readonly id: string;
  /** Without its mark and the bullet's dash; several lines where it has them. */
  readonly text: string;
  /** The nearest heading above, without its signs; empty before the first. */
  readonly section: string;
  /** Lines of the file, from 1, both included. */
  readonly start: number;
  readonly end: number;
  readonly isBullet: boolean;
  /** Its own mark, or that of its section. */
  readonly mark: Mark | null;
};

const HEADING = /^#{1,6}\s+(.*)$/s;
const BULLET = /^(?:[-*+]|\d{1,9}[.)])\s+/;
const FENCE = /^\s*(?:```|~~~)/;

/** The entries of MEMORY.md or of a ledger, in their order. Headings, blank lines and marks are none. */
export function memoryEntries(text: string): MemoryEntry[] {
  const entries: MemoryEntry[] = [];
  let section = "";
  let sectionMark: Mark | null = null;
  let open: { start: number; lines: string[] } | null = null;
  let isFenced = false;
  const close = () => {
    if (open) entries.push(entryOf(open.start, open.lines, section, sectionMark));
    open = null;
  };
  for (const [at, line] of splitLines(text.replace(/^\uFEFF/, "")).entries()) {
    const wasFenced = isFenced;
    if (FENCE.test(line)) isFenced = !isFenced;
    const heading = wasFenced ? null : HEADING.exec(line);
    if (heading) {
      close();
      section = withoutMarks(heading[1] ?? "").trim();
      sectionMark = null;
    } else if (!wasFenced && withoutMarks(line).trim() === "") {
      const mark = open === null ? readMark(line) : null;
      if (mark) sectionMark = mark;
      close();
    } else if (!wasFenced && BULLET.test(line)) {
      close();
      open = { start: at + 1, lines: [line] };
    } else if (open === null) open = { start: at + 1, lines: [line] };
    else open.lines.push(line);
  }
  close();
  return entries;
}

function entryOf(
  start: number,
  lines: readonly string[],
  section: string,
  sectionMark: Mark | null,
): MemoryEntry {
  const isBullet = BULLET.test(lines[0] ?? "");
  const text = withoutMarks(lines.join("\n")).replace(BULLET, "").trim();
  const mark = readMark(lines.at(-1) ?? "") ?? sectionMark;
  return { id: entryId(text), text, section, start, end: start + lines.length - 1, isBullet, mark };
}

/** The id of an entry that says this. White space counts as one space. */
export const entryId = (text: string): string => shortHash(text.replace(/\s+/g, " ").trim());
