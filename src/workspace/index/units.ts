import { memoryEntries, type MemoryEntry } from "../../shared/memory-entries.ts";
import type { SearchSource } from "../../shared/workspace-api.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { nameOf } from "../layers/path.ts";
import { blocksOf } from "./blocks.ts";
import { dayOf } from "./sources.ts";

/** What is found as one: an entry of memory, a block of a text, a message. */
export type Unit = {
  /** Lines of the file, from 1, both included. */
  readonly line: number;
  readonly end: number;
  /** When it was written, in milliseconds; `null` when unknown. */
  readonly at: number | null;
  /** Without marks. Empty: it is not to be found. */
  readonly text: string;
  /** What else it is about, such as the headings above. */
  readonly about: string;
  readonly said: { readonly role: string; readonly turn: string } | null;
};

/** Headings that the harness writes over what it adds to a ledger. */
const ADDED = /^Memory (?:Flush|Save) — (\S+)$/;

/** The units of a text that is no log, in their order. `at`: when the file was written. */
export function unitsOf(
  path: WorkspacePath,
  source: SearchSource,
  text: string,
  at: number | null,
): Unit[] {
  if (source === "knowledge" || !path.endsWith(".md"))
    return blocksOf(text, nameOf(path)).map((block) => ({ ...block, at, said: null }));
  const day = source === "memory" ? null : dayOf(path);
  return memoryEntries(text).map((entry) => unitOf(entry, day));
}

function unitOf({ start, end, text, section, mark }: MemoryEntry, day: number | null): Unit {
  const added = ADDED.exec(section)?.[1];
  const last = mark?.from?.at(-1);
  const at = day ?? timeOf(last?.split("#", 1)[0]) ?? timeOf(added);
  return { line: start, end, at, text, about: added === undefined ? section : "", said: null };
}

function timeOf(spelt: string | undefined): number | null {
  const at = Date.parse(spelt ?? "");
  return Number.isNaN(at) ? null : at;
}
