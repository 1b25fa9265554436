import type { JournalEntry } from "../../session/entries.ts";
import type { ContextDocument } from "../../session/state-documents.ts";
import { groupTurns } from "../../session/transcript.ts";
import type { KeptResult } from "../context/kept.ts";
import type { View } from "../context/view.ts";
import type { CompactionConfig } from "./config.ts";
import { messagesIn, type Measure } from "./size.ts";

/** Cutting arguments changes what a provider has cached, so it is done only where it frees so many tokens. */
const LEAST_FREED = 2_000;

type State = {
  /** Whether the context is too long as a whole. */
  readonly isOver: boolean;
  readonly tokens: number;
  /** Results that stay whole. */
  readonly live: readonly KeptResult[];
};

type Marks = Pick<ContextDocument, "pruned" | "truncated">;

/**
 * Below which seqs results and arguments should be shown cut from now on: those of the document, or higher ones where
 * the options say so. `view`: the entries as they are shown.
 */
export function marksOf(
  { prune, truncateArgs }: Pick<CompactionConfig, "prune" | "truncateArgs">,
  view: readonly JournalEntry[],
  viewer: View,
  measure: Measure,
  { isOver, tokens, live }: State,
): Marks {
  const entries = groupTurns(view).flatMap((turn) => turn.entries);
  const marks: { pruned?: number; truncated?: number } = {};
  if (truncateArgs) {
    const isDue =
      tokens >= truncateArgs.triggerTokens || messagesIn(entries) >= truncateArgs.triggerMessages;
    const old = isDue ? olderThan(entries, truncateArgs.keepMessages) : [];
    const steps = old.filter((entry) => entry.kind === "step");
    const freed = steps.reduce(
      (sum, step) => sum + measure.tokensOf(step) - measure.tokensOf(viewer.truncated(step)),
      0,
    );
    if (freed >= LEAST_FREED) marks.truncated = (steps.at(-1)?.seq ?? 0) + 1;
  }
  if (prune && isOver) {
    const results = entries.filter((entry) => entry.kind === "result");
    const kept = new Set(live.map(({ seq }) => seq));
    const own = results.filter(
      ({ seq, name }) => !prune.excludedTools.includes(name) && !kept.has(seq),
    );
    let newest = 0;
    let at = own.length;
    while (at > 0) {
      const result = own[at - 1];
      newest += result ? measure.tokensOf(result) : 0;
      if (newest > prune.protectTokens) break;
      at -= 1;
    }
    const old = own.slice(0, at);
    const freed = old.reduce(
      (sum, result) => sum + measure.tokensOf(result) - measure.tokensOf(viewer.pruned(result)),
      0,
    );
    if (freed >= prune.minimumTokens) marks.pruned = (old.at(-1)?.seq ?? 0) + 1;
  }
  return marks;
}

/** All but what makes the newest `messages`. */
function olderThan(entries: readonly JournalEntry[], messages: number): readonly JournalEntry[] {
  let at = entries.length;
  while (at > 0 && messagesIn(entries.slice(at - 1)) <= messages) at--;
  return entries.slice(0, at);
}
