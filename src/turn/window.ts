import type { JournalEntry } from "../session/entries.ts";
import { groupTurns, toModelMessages, type TurnEntries } from "../session/transcript.ts";
import { estimateMessageTokens } from "../context/tokens.ts";

/** When the context is cut, and how much of it stays. AgentScope's compaction defaults. */
export type WindowOptions = {
  readonly triggerMessages: number;
  readonly triggerTokens: number;
  readonly keepMessages: number;
};

export const defaultWindow: WindowOptions = {
  triggerMessages: 50,
  triggerTokens: 80_000,
  keepMessages: 20,
};

type TurnSize = { readonly messages: number; readonly tokens: number };

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
  const total = turns.reduce(
    (sum, turn) => ({ messages: sum.messages + turn.messages, tokens: sum.tokens + turn.tokens }),
    {
      messages: 0,
      tokens: 0,
    },
  );
  if (total.messages <= options.triggerMessages && total.tokens <= options.triggerTokens)
    return null;
  let messages = 0;
  let tokens = 0;
  let start: number | null = null;
  for (const turn of turns.toReversed()) {
    messages += turn.messages;
    tokens += turn.tokens;
    if (start !== null && (messages > options.keepMessages || tokens > options.triggerTokens / 2))
      break;
    start = turn.start;
  }
  return start === turns[0]?.start ? null : start;
}

function sizeOf(turn: TurnEntries, sizes: TurnSizes): TurnSize {
  const [first] = turn.entries;
  const known = first && sizes.get(first);
  if (known) return known;
  const messages = toModelMessages(turn.entries);
  const tokens = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  const size = { messages: messages.length, tokens };
  if (first && turn.entries.at(-1)?.kind === "end") sizes.set(first, size);
  return size;
}
