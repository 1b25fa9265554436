import { utf8Length } from "../../shared/text.ts";

/** What one result may hold, in UTF-8 bytes, with room for a closing remark below the limit of 100,000. */
export const MAX_BYTES = 99_000;

/** How many of the first `blocks` fit into one result, each on lines of its own; at least one. */
export function fitting(blocks: readonly string[]): number {
  let bytes = 0;
  for (const [index, block] of blocks.entries()) {
    bytes += utf8Length(block) + 1;
    if (bytes > MAX_BYTES) return Math.max(index, 1);
  }
  return blocks.length;
}

/** A line with its number, from 1, as all tools show it. */
export const numbered = (number: number, line: string): string =>
  `${String(number).padStart(4)}|${line}`;
