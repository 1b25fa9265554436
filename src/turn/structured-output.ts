import type { JournalEntry } from "../session/entries.ts";
import type { RunningTurn } from "../session/turns.ts";
import type { StepContext } from "./step.ts";

/**
 * Ends a turn that was asked for JSON and has given it, or has failed to twice; whether it did. Asked when no call of the
 * newest step is open.
 */
export function settleStructured(
  _context: StepContext,
  _turn: RunningTurn,
  _entries: readonly JournalEntry[],
): boolean {
  return false;
}
