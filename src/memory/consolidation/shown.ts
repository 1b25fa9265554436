import { estimateTokens } from "../../context/tokens.ts";
import type { MemoryEntry } from "../../shared/memory-entries.ts";
import type { NumberedEntry } from "../../shared/memory-api.ts";
import { listLedgers, isDone, readLedgers, entriesOf, unreadOf } from "../bucket/ledgers.ts";
import type { LedgerEntry, LedgerFile } from "../bucket/ledgers.ts";
import type { BucketFiles } from "../bucket/files.ts";
import { isComment } from "./plan.ts";
import { shownText } from "./prompt.ts";
import type { State } from "./state.ts";

/** What a run is shown at most, of MEMORY.md and of ledgers each; and what one entry costs beside its text. */
const MOST_TOKENS = 24_000;
const FRAME_TOKENS = 10;

/** Ledgers read at a time. */
const BATCH = 20;

export type Fresh = {
  readonly entries: readonly LedgerEntry[];
  readonly hasMore: boolean;
};

/** What no run has read yet, the oldest first, as much as one run takes. */
export async function freshEntries(files: BucketFiles, state: State): Promise<Fresh> {
  const ledgers = (await listLedgers(files)).filter((ledger) => !isDone(state, ledger));
  return gather(files, ledgers, (ledger) => unreadOf(state, ledger));
}

/**
 * What MEMORY.md can be made anew from: the newest entries of all ledgers, in their order. Without those that became
 * something that was taken back.
 */
export async function allEntries(files: BucketFiles, state: State): Promise<Fresh> {
  const ledgers = (await listLedgers(files)).toReversed();
  const { entries } = await gather(files, ledgers, (ledger) =>
    entriesOf(ledger)
      .filter(({ ref }) => !state.excluded.has(ref))
      .toReversed(),
  );
  return { entries: entries.toReversed(), hasMore: false };
}

type Read = Awaited<ReturnType<typeof readLedgers>>[number];

async function gather(
  files: BucketFiles,
  ledgers: readonly LedgerFile[],
  wanted: (ledger: Read) => readonly LedgerEntry[],
): Promise<Fresh> {
  const found = new Map<string, LedgerEntry>();
  let room = MOST_TOKENS;
  for (let at = 0; at < ledgers.length; at += BATCH)
    for (const it of (await readLedgers(files, ledgers.slice(at, at + BATCH))).flatMap(wanted)) {
      if (found.has(it.ref)) continue;
      const cost = costOf(it.entry);
      if (cost > room && found.size > 0) return { entries: [...found.values()], hasMore: true };
      room -= cost;
      found.set(it.ref, it);
    }
  return { entries: [...found.values()], hasMore: false };
}

const costOf = ({ text }: MemoryEntry): number => FRAME_TOKENS + estimateTokens(shownText(text));

/** Entries of MEMORY.md that a run is shown: all of them, or the last ones where there is far too much. */
export function shownMemory(entries: readonly MemoryEntry[]): readonly MemoryEntry[] {
  const own = entries.filter((entry) => !isComment(entry));
  let room = MOST_TOKENS;
  const first = own.findLastIndex((entry) => {
    room -= costOf(entry);
    return room < 0;
  });
  return own.slice(first + 1);
}

/** As the model is shown it. */
export const numberedEntry = (
  no: string,
  { id, text, section, mark }: MemoryEntry,
  day: string | null,
): NumberedEntry => ({ no, id, text: shownText(text), section, day, mark });
