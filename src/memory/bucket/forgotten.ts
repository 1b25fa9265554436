import type { Change } from "../../shared/workspace-changes.ts";

/** The records of forgetting: search leaves out what they name. */
export const FORGOTTEN = "memory/.forgotten.jsonl";

/** A line of a session's log that tells of something forgotten, from 1. */
export type HiddenLine = { readonly path: string; readonly line: number };

/** One line for the records, without a word of what was forgotten. */
export function forgottenLine(
  at: number,
  by: string,
  ids: readonly string[],
  messages: readonly HiddenLine[],
): Change {
  const text = `${JSON.stringify({ at, by, ids, messages })}\n`;
  return { kind: "append", path: FORGOTTEN, text };
}
