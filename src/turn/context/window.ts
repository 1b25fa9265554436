import type { JournalEntry } from "../../session/entries.ts";
import { sizeOf as charsOf } from "../../session/journal.ts";
import { groupTurns, toModelMessages, type TurnEntries } from "../../session/transcript.ts";
import { estimateMessageTokens } from "../../context/tokens.ts";

/** When the context is cut, and how much of it stays. AgentScope's compaction defaults. */
export type WindowOptions = {
  readonly triggerMessages: number;
  readonly triggerTokens: number;
  /** Text and base64 of images together: what is held in memory and sent with every step. Ours, not AgentScope's. */
  readonly triggerChars: number;
  readonly keepMessages: number;
};

export const defaultWindow: WindowOptions = {
  triggerMessages: 50,
  triggerTokens: 80_000,
  triggerChars: 8_000_000,
  keepMessages: 20,
};

/** So many entries are always too many, also when answers given anew hide most of them. */
const MAX_ENTRIES = 1_000;

type TurnSize = { readonly messages: number; readonly tokens: number; readonly chars: number };

const nothing: TurnSize = { messages: 0, tokens: 0, chars: 0 };

const plus = (a: TurnSize, b: TurnSize): TurnSize => ({
  messages: a.messages + b.messages,
  tokens: a.tokens + b.tokens,
  chars: a.chars + b.chars,
});

/** The sizes of ended turns by their first entry: these never change, and counting a full context takes a while. */
export type TurnSizes = WeakMap<JournalEntry, TurnSize>;

/**
 * Where the context should start instead: the seq of a user entry, such that the newest turns with at most
 * `keepMessages` messages (and half the token trigger) stay, at least the newest turn. `null` while it fits.
 * Cutting rarely and by much keeps the prompt's prefix the same for many turns, which providers bill less.
 */
export function chooseWatermark(
  entries: readonly JournalEntry[],
  options: WindowOptions,
  sizes: TurnSizes = new WeakMap(),
): number | null {
  const turns = groupTurns(entries).map((turn) => ({
    start: turn.entries[0]?.seq ?? 0,
    ...sizeOf(turn, sizes),
  }));
  const total = turns.reduce(plus, nothing);
  if (
    total.messages <= options.triggerMessages &&
    total.tokens <= options.triggerTokens &&
    total.chars <= options.triggerChars &&
    entries.length <= MAX_ENTRIES
  )
    return null;
  let kept = nothing;
  let start: number | null = null;
  for (const turn of turns.toReversed()) {
    kept = plus(kept, turn);
    const isFull =
      kept.messages > options.keepMessages ||
      kept.tokens > options.triggerTokens / 2 ||
      kept.chars > options.triggerChars / 2;
    if (start !== null && isFull) break;
    start = turn.start;
  }
  return start === entries[0]?.seq ? null : start;
}

function sizeOf(turn: TurnEntries, sizes: TurnSizes): TurnSize {
  const [first] = turn.entries;
  const known = first && sizes.get(first);
  if (known) return known;
  const messages = toModelMessages(turn.entries);
  const tokens = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  const chars = turn.entries.reduce((sum, entry) => sum + charsOf(entry), 0);
  const size = { messages: messages.length, tokens, chars };
  if (first && turn.entries.at(-1)?.kind === "end") sizes.set(first, size);
  return size;
}
