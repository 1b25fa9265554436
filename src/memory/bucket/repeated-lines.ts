import type { SearchAnswer, SearchHit } from "../../shared/workspace-api.ts";
import { messageIn } from "../../workspace/index/log-units.ts";
import { wordsOf } from "../../workspace/index/words.ts";
import type { RunParts } from "../consolidation/run-parts.ts";
import { shareIn } from "../consolidation/text-gates.ts";
import type { BucketFiles } from "./files.ts";
import type { HiddenLine } from "./forgotten.ts";

/** So much of what was forgotten a message of its turn must say; and one of another turn, of three words at least. */
const SAME_TURN = 0.6;
const OTHER_TURN = 0.8;
const LEAST_WORDS = 3;

/** What one search finds at most, searches in one call, and hits that say nothing of it, one after the other, that end one. */
const MOST_HITS = 100;
const MOST_SEARCHES = 500;
const MOST_MISSES = 30;

/** Whether a message tells of what was forgotten; its words are given, too. */
export type Tells = (text: string, words: ReadonlySet<string>, isSameTurn: boolean) => boolean;

/** Tells messages by what was forgotten. */
export function tellsOf(forgotten: string): Tells {
  const own = new Set(wordsOf(forgotten));
  return (text, words, isSameTurn) => {
    const share = own.size === 0 ? Number(text.includes(forgotten)) : shareIn(own, words);
    return isSameTurn ? share >= SAME_TURN : own.size >= LEAST_WORDS && share >= OTHER_TURN;
  };
}

/**
 * Finds lines of all of an agent's session logs that say such a text, and gives them to `hide`, which answers how many of
 * them are new: those are not found any more.
 */
export async function repeatedLines(
  { files, log }: RunParts,
  agent: string,
  texts: readonly string[],
  hide: (lines: readonly HiddenLine[]) => Promise<number>,
): Promise<void> {
  let left = MOST_SEARCHES;
  const search = async (query: string): Promise<SearchAnswer> => {
    left -= 1;
    const path = `agents/${agent}/sessions`;
    return files.search({ query, path, sources: ["session"], limit: MOST_HITS });
  };
  const wanted = texts.filter((text) => new Set(wordsOf(text)).size >= LEAST_WORDS);
  if (wanted.length === 0) return;
  let isComplete = false;
  for (let pending = Infinity; !isComplete && left > 0;) {
    const answer = await search("");
    isComplete = answer.isComplete || answer.pending >= pending;
    pending = answer.pending;
    if (isComplete && pending > 0) log("warn", "memory.logs_not_searched", { agent, pending });
  }
  for (const text of wanted)
    for (let isMore = true; isMore && left > 0;) {
      const { hits } = await search(text);
      const lines = await linesIn(files, hits, tellsOf(text));
      isMore = (await hide(lines)) > 0 && hits.length === MOST_HITS;
    }
}

/** Those of the hits whose messages tell of it. */
async function linesIn(
  files: BucketFiles,
  hits: readonly SearchHit[],
  tells: Tells,
): Promise<readonly HiddenLine[]> {
  const found: HiddenLine[] = [];
  let misses = 0;
  for (const { path, line } of hits) {
    if (misses === MOST_MISSES) break;
    const { lines } = await files.page({ path, offset: line - 1, limit: 1 });
    const message = messageIn(lines?.[0] ?? "", line);
    const isMeant = message !== null && tells(message.text, new Set(wordsOf(message.text)), false);
    if (isMeant) found.push({ path, line });
    misses = isMeant ? 0 : misses + 1;
  }
  return found;
}
