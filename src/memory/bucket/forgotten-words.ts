import type { MemoryEntry } from "../../shared/memory-entries.ts";
import { shortHash } from "../../shared/short-hash.ts";
import { cutAt } from "../../shared/text.ts";
import { wordsOf } from "../../workspace/index/words.ts";
import { shareIn } from "../consolidation/text-gates.ts";

/** How long it is known what was forgotten, in milliseconds. */
export const FORGOTTEN_MS = 7 * 86_400_000;

/** A forgotten entry, by the hashes of what it said: enough to know it again, and none of its text. */
export type ForgottenWords = {
  /** Of all of it: see `entryId`. */
  readonly id: string;
  /** Of each word that says something, once. */
  readonly words: readonly string[];
};

/** What counts of a text. */
const MOST_CHARS = 2_000;
const MOST_WORDS = 300;

/** So much of what was forgotten an entry must say to be taken for it. */
const SAME = 0.6;

/** What is kept of an entry that is forgotten. */
export const forgottenWords = ({ id, text }: Pick<MemoryEntry, "id" | "text">): ForgottenWords => ({
  id,
  words: hashesOf(cutAt(text, MOST_CHARS)).slice(0, MOST_WORDS),
});

/** Whether an entry says something of what was forgotten. What has no words that say anything is only known as a whole. */
export function saysForgotten(
  { id, text }: Pick<MemoryEntry, "id" | "text">,
  forgotten: readonly ForgottenWords[],
): boolean {
  if (forgotten.length === 0) return false;
  const said = new Set(hashesOf(text));
  return forgotten.some(
    (one) => one.id === id || (one.words.length > 0 && shareIn(new Set(one.words), said) >= SAME),
  );
}

const hashesOf = (text: string): string[] => [...new Set(wordsOf(text))].map(shortHash);
