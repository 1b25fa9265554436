import type { Noted, NoteRequest } from "../../shared/memory-api.ts";
import { MemoryDocument } from "../consolidation/document.ts";
import type { RunParts } from "../consolidation/run-parts.ts";
import { FORGOTTEN_MS, saysForgotten } from "./forgotten-words.ts";

/**
 * Adds a section to a ledger: see `MemoryApi`. Nothing is awaited between the look at what was forgotten and the change;
 * nobody may forget anything until that is done.
 */
export async function noteSection(
  { files, rows, clock, log, assertThere }: RunParts,
  { path, text, op, saidAt, by }: NoteRequest,
): Promise<Noted> {
  assertThere();
  const document = new MemoryDocument(text);
  const { entries } = document;
  const forgotten = rows.forgottenSince(Math.max(saidAt, clock.now() - FORGOTTEN_MS));
  const meant = entries.filter((entry) => saysForgotten(entry, forgotten));
  for (const entry of meant) document.remove(entry);
  const answer = { noted: entries.length - meant.length, leftOut: meant.length };
  if (answer.leftOut > 0) log("info", "memory.left_out", { path, ...answer });
  if (answer.noted > 0)
    await files.change({ by, changes: [{ kind: "append", path, text: document.text, op }] });
  return answer;
}
