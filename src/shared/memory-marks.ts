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
  /** When it was saved, in milliseconds; where no ledger's section says it. */
  readonly at?: number;
  /** The run of the consolidation that wrote it. */
  readonly run?: string;
};

const Mark = z.object({
  session: z.string().max(300).optional(),
  turn: z.string().max(300).optional(),
  seq: z.tuple([z.int(), z.int()]).readonly().optional(),
  outside: z.literal(true).optional(),
  from: z.array(z.string().max(64)).max(100).readonly().optional(),
  at: z.int().min(0).max(8.64e15).optional(),
  run: z.string().max(100).optional(),
});

const OPENING = "<!-- carrel: {";

/**
 * A mark that was written holds no "<" and no ">". So each place of a text is looked at about once, however many openings
 * or spaces it has: what anybody may write is read in time that grows with its length.
 */
const ANY = /(?<![ \t])[ \t]*<!-- carrel: \{[^<>\r\n]*\} -->/g;
const WHOLE = /^<!-- carrel: (\{[^<>\r\n]*\}) -->[ \t]*$/;

/** The comment that holds a mark: one line, without a line end. */
export const writeMark = (mark: Mark): string =>
  `<!-- carrel: ${JSON.stringify(mark).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e")} -->`;

/** The mark that ends a line; `null` where there is none, or none that can be read. */
export function readMark(line: string): Mark | null {
  const at = line.lastIndexOf(OPENING);
  const body = at === -1 ? undefined : WHOLE.exec(line.slice(at))?.[1];
  if (body === undefined) return null;
  try {
    return (Mark.safeParse(JSON.parse(body)).data as Mark | undefined) ?? null;
  } catch {
    return null;
  }
}

/**
 * A text as people and models read it: without marks. Lines stay lines, so their numbers hold. What would become a mark
 * where one was taken out is broken up.
 */
export function withoutMarks(text: string): string {
  if (!text.includes(OPENING)) return text;
  const rest = text.replace(ANY, "");
  return rest.search(ANY) === -1 ? rest : rest.replaceAll("<!--", "<! --");
}

/** A text that holds no comment, so that nobody can forge a mark: for whatever is written into memory. */
export const withoutComments = (text: string): string =>
  text.replaceAll("<!--", "<! --").replaceAll("-->", "-- >");
