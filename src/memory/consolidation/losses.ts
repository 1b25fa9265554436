import { wordsOf } from "../../workspace/index/words.ts";
import type { MemoryEntry } from "../../shared/memory-entries.ts";
import { shareIn, shareOf } from "./text-gates.ts";

/** A text that stands for other entries from now on. */
export type Successor = {
  /** Ids of the entries that it was made of. */
  readonly of: ReadonlySet<string>;
  readonly text: string;
};

/** So much of an entry must be left in what stands for it, and entries that one text can stand for. */
const LEAST_LEFT = 1 / 3;
const MOST_IN_ONE = 10;
/** A text that says so much of another one says it. */
const SAME = 0.9;
/** An entry of which less is left in its new text is lost. */
const LEAST_KEPT = 0.2;

/** Of this part of the entries, rounded down, a run may lose at most. */
const MOST_LOST = 0.25;

/** How many of so many entries a run may lose: below four none. */
export const mayLose = (entries: number): number => Math.floor(entries * MOST_LOST);

/**
 * Those of `dropped` that nothing stands for: no text that was made of them and still says something of them (ten for one
 * at most), and no entry that stays and says the same.
 */
export function lostOf(
  dropped: readonly MemoryEntry[],
  successors: readonly Successor[],
  staying: readonly string[],
): readonly MemoryEntry[] {
  const said = staying.map((text) => new Set(wordsOf(text)));
  const heirs = successors.map(({ of, text }) => ({ of, words: new Set(wordsOf(text)), count: 0 }));
  return dropped.filter((entry) => {
    const own = new Set(wordsOf(entry.text));
    if (said.some((words) => words.size > 0 && shareIn(own, words) >= SAME)) return false;
    const heir = heirs.find(
      ({ of, words, count }) =>
        count < MOST_IN_ONE && of.has(entry.id) && shareIn(own, words) >= LEAST_LEFT,
    );
    if (heir) heir.count += 1;
    return heir === undefined;
  });
}

/** Whether an entry is lost in the text that it was given. */
export const isLostIn = (before: string, after: string): boolean =>
  shareOf(before, new Set(wordsOf(after))) < LEAST_KEPT;
