import * as z from "zod";

/**
 * Where something remembered comes from, written beside it as a comment that Markdown does not show. In a ledger it
 * stands under a section's heading and is about all its entries; in MEMORY.md it ends the entry's last line.
 */
export type Mark = {
  /** The session that it was said in: `<agent>/<session>`. */
  readonly session?: string;
  /** The turn, or the last of them. */
  readonly turn?: string;
  /** The first and the last seq of the session's journal that were read for it. */
  readonly seq?: readonly [number, number];
  /** Some of what was read there came from outside: a tool's result was part of the conversation. */
  readonly outside?: true;
  /** Entries of ledgers that it was made of: `2026-11-30#<id>`, the newest last. */
  readonly from?: readonly string[];
  /** The run of the consolidation that wrote it. */
  readonly run?: string;
};

const Mark = z.object({
  session: z.string().max(300).optional(),
  turn: z.string().max(300).optional(),
  seq: z.tuple([z.int(), z.int()]).readonly().optional(),
  outside: z.literal(true).optional(),
  from: z.array(z.string().max(64)).max(100).readonly().optional(),
  run: z.string().max(100).optional(),
});

const ANY = /[ \t]*<!-- carrel: (\{[^\n]*?\}) -->/g;
const LAST = /[ \t]*<!-- carrel: (\{[^\n]*?\}) -->[ \t]*$/;

/** The comment that holds a mark: one line, without a line end. */
export const writeMark = (mark: Mark): string =>
  `<!-- carrel: ${JSON.stringify(mark).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e")} -->`;

/** The mark that ends a line; `null` where there is none, or none that can be read. */
export function readMark(line: string): Mark | null {
  const body = LAST.exec(line)?.[1];
  if (body === undefined) return null;
  try {
    return (Mark.safeParse(JSON.parse(body)).data as Mark | undefined) ?? null;
  } catch {
    return null;
  }
}

/** A text as people and models read it: without marks. Lines stay lines, so their numbers hold. */
export const withoutMarks = (text: string): string =>
  text.includes("<!-- carrel:") ? text.replace(ANY, "") : text;

/** A text that holds no comment, so that nobody can forge a mark: for whatever is written into memory. */
export const withoutComments = (text: string): string =>
  text.replaceAll("<!--", "<! --").replaceAll("-->", "-- >");
