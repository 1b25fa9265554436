import { spellSize, utf8Length } from "../../shared/text.ts";

const MIB = 1024 * 1024;

/** UTF-8 bytes of one file, as many as a text of a workspace may have. */
const PART_BYTES = MIB;
/** Files of one result. */
const MAX_PARTS = 8;

export type Parts = {
  /** Each fits one file; together they are the text, or its beginning. */
  readonly parts: readonly string[];
  /** How many characters of the text they have. */
  readonly kept: number;
};

/**
 * A text as the files that hold it: one as a rule, up to eight of at most 1 MiB, each ending with a line where there are
 * lines. What is longer is cut there, and the last file says so.
 */
export function partsOf(text: string): Parts {
  if (text.length * 3 <= PART_BYTES || utf8Length(text) <= PART_BYTES)
    return { parts: [text], kept: text.length };
  const parts: string[] = [];
  let from = 0;
  while (from < text.length && parts.length < MAX_PARTS) {
    const room = parts.length === MAX_PARTS - 1 ? PART_BYTES - NOTICE_BYTES : PART_BYTES;
    const to = endOf(text, from, room);
    parts.push(text.slice(from, to));
    from = to;
  }
  if (from < text.length) parts.push(`${parts.pop() ?? ""}\n${CUT}`);
  return { parts, kept: from };
}

const CUT = `[Cut here: no more than ${spellSize(MAX_PARTS * PART_BYTES)} of a result is kept.]`;
const NOTICE_BYTES = 100;

/** Where a part that begins at `from` ends: after a line of its second half, else between code points. */
function endOf(text: string, from: number, room: number): number {
  let bytes = 0;
  let to = from;
  while (to < text.length) {
    const code = text.codePointAt(to) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > room) break;
    to += code < 0x10000 ? 1 : 2;
  }
  if (to === text.length) return to;
  const line = text.lastIndexOf("\n", to - 1) + 1;
  return line - from > (to - from) / 2 ? line : to;
}
