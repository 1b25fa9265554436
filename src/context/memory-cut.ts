import { splitLines } from "../shared/text.ts";
import { fit, type Fitted } from "./sections.ts";
import { estimateTokens, TOKEN, tokenCost } from "./tokens.ts";

export type MemoryCut = {
  /** Most tokens of the result, as `estimateTokens` counts them, indentation and notice included; at least 200. */
  readonly tokens: number;
  readonly indent: string;
  /** How to get at the rest: one sentence, or empty. */
  readonly hint: string;
};

/** Most characters of the result for each of its tokens, so that spaces do not get around the bound. */
const TOKEN_CHARS = 4;

/** Room for the line that says what is left out. */
const NOTICE_TOKENS = 64;

/** Room for the heading over the first entry that stays, which is shown with it if it is no longer. */
const HEADING_TOKENS = 50;

const HEADING = /^#{1,6}\s/;
const BULLET = /^(?:[-*+]|\d{1,9}[.)])\s/;
const FENCE = /^\s*(?:```|~~~)/;

/**
 * MEMORY.md as far as it fits, indented: the newest entries, which are its last ones, in whole (promise C4). An entry
 * is a heading, a bullet with what belongs to it, a paragraph, or a fenced block. Where even the newest one is too
 * long its last lines stay, and of a line its end, between code points. The first line then says what is missing.
 */
export function cutMemory(text: string, cut: MemoryCut): Fitted {
  const { tokens, indent, hint } = cut;
  const whole = fit(text, { cap: Infinity, room: Infinity, indent, notice: () => "" });
  const isSmall = whole.text.length <= tokens * TOKEN_CHARS;
  if (isSmall && estimateTokens(whole.text) <= tokens) return whole;
  const lines = splitLines(text.replace(/^\uFEFF/, "").trimEnd());
  const room = (tokens - NOTICE_TOKENS - HEADING_TOKENS) * TOKEN;
  const { kept, heading } = newestOf(lines, room, indent);
  const shown = kept.reduce((sum, line) => sum + line.length + 1, -1);
  const counts = `${shown} of ${whole.total}`;
  const notice = `[The older part of MEMORY.md is left out here: the newest ${counts} characters are shown.${hint && ` ${hint}`}]`;
  const body = [notice, ...heading, ...kept].map((line) => indented(line, indent)).join("\n");
  return { text: body, shown, total: whole.total };
}

type Newest = { readonly kept: readonly string[]; readonly heading: readonly string[] };

/** `room` is in hundredths of a token. */
function newestOf(lines: readonly string[], room: number, indent: string): Newest {
  const starts = entryStarts(lines);
  let from = lines.length;
  for (let at = from - 1, left = room; at >= 0; at--) {
    left -= costOf(lines[at] ?? "", indent);
    if (left < 0) break;
    if (starts[at]) from = at;
  }
  if (from === lines.length) return { kept: lastLines(lines, room, indent), heading: [] };
  const heading = headingOf(lines, from, starts);
  const isCheap = heading !== null && costOf(heading, indent) <= HEADING_TOKENS * TOKEN;
  return { kept: lines.slice(from), heading: isCheap ? [heading] : [] };
}

/** Whether each line begins an entry. */
function entryStarts(lines: readonly string[]): boolean[] {
  let isFenced = false;
  let isFirst = true;
  return lines.map((line) => {
    const isBlank = line.trim() === "";
    const isHeading = !isFenced && HEADING.test(line);
    const isStart =
      !isFenced && !isBlank && (isHeading || BULLET.test(line) || (isFirst && !/^\s/.test(line)));
    if (FENCE.test(line)) isFenced = !isFenced;
    isFirst = isBlank || isHeading;
    return isStart;
  });
}

/** The heading above an entry; `null` when the entry is one, or has none. */
function headingOf(
  lines: readonly string[],
  entry: number,
  starts: readonly boolean[],
): string | null {
  const isHeading = (at: number) => starts[at] === true && HEADING.test(lines[at] ?? "");
  if (isHeading(entry)) return null;
  for (let at = entry - 1; at >= 0; at--) if (isHeading(at)) return lines[at] ?? null;
  return null;
}

function lastLines(lines: readonly string[], room: number, indent: string): string[] {
  const kept: string[] = [];
  let left = room;
  for (const line of lines.toReversed()) {
    const cost = costOf(line, indent);
    if (cost > left) {
      if (kept.length === 0) kept.push(endOf(line, left, indent));
      break;
    }
    left -= cost;
    kept.unshift(line);
  }
  return kept;
}

/** The longest end of `line` that costs at most `room`, indented, and does not begin inside a surrogate pair. */
function endOf(line: string, room: number, indent: string): string {
  let fits = 0;
  let tooLong = Math.min(line.length, room) + 1;
  while (tooLong - fits > 1) {
    const length = Math.floor((fits + tooLong) / 2);
    if (costOf(line.slice(line.length - length), indent) <= room) fits = length;
    else tooLong = length;
  }
  const end = line.slice(line.length - fits);
  return /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end;
}

/** Of an indented line with its end, in hundredths of a token. */
function costOf(line: string, indent: string): number {
  const text = `${indented(line, indent)}\n`;
  return Math.max(tokenCost(text), (text.length * TOKEN) / TOKEN_CHARS);
}

const indented = (line: string, indent: string): string =>
  line.trim() === "" ? "" : indent + line;
