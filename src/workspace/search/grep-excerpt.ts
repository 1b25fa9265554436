import { cutAt } from "../../shared/text.ts";

/** UTF-16 units of a line that are shown. */
const WIDTH = 500;

/** How many of them stand before the hit. */
const LEAD = 100;

/** A line, or of a long one about 500 characters around `indexIn()`, with `…` where it was cut. Splits no character. */
export function excerpt(line: string, indexIn: () => number): string {
  if (line.length <= WIDTH) return line;
  const from = Math.max(0, Math.min(indexIn() - LEAD, line.length - WIDTH));
  const start = isLowSurrogate(line.charCodeAt(from)) ? from + 1 : from;
  const shown = cutAt(line.slice(start), WIDTH);
  const isWhole = start + shown.length === line.length;
  return `${start > 0 ? "…" : ""}${shown}${isWhole ? "" : "…"}`;
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
