import type { JournalEntry } from "../../session/entries.ts";
import { sizeOf as charsOf } from "../../session/journal.ts";
import { groupTurns } from "../../session/transcript.ts";
import type { Keep } from "./bounds.ts";
import { messagesIn, type Measure } from "./size.ts";

/** Where a context may begin instead, and what would be left out then, oldest first. */
export type Cut = {
  readonly from: number;
  /** Where that is inside a turn: the seq of its user entry. */
  readonly turn?: number;
  readonly left: readonly JournalEntry[];
  readonly tokens: number;
  readonly messages: number;
};

/** What is never parted: a message of the user with what belongs to it, or a step with its results. */
type Unit = {
  readonly entries: JournalEntry[];
  readonly turn: number;
};

/**
 * The cut that leaves the newest messages within `keep`, at least the newest unit; `null` where nothing would be left
 * out. `entries`: all that are held; `view`: as the model is shown them.
 */
export function chooseCut(
  entries: readonly JournalEntry[],
  view: readonly JournalEntry[],
  from: number,
  keep: Keep,
  measure: Measure,
): Cut | null {
  const units = unitsOf(entries, view, from);
  let [tokens, messages, chars] = [0, 0, 0];
  let first = units.length;
  for (let at = units.length - 1; at >= 0; at--) {
    const unit = units[at];
    if (!unit) break;
    tokens += measure.sumOf(unit.entries);
    messages += messagesIn(unit.entries);
    chars += unit.entries.reduce((sum, entry) => sum + charsOf(entry), 0);
    const isFull = tokens > keep.tokens || messages > keep.messages || chars > keep.chars;
    if (isFull && first < units.length) break;
    first = at;
  }
  const [start] = units[first]?.entries ?? [];
  if (first === 0 || !start) return null;
  const left = units.slice(0, first).flatMap((unit) => unit.entries);
  const turn = units[first]?.turn ?? start.seq;
  return {
    from: start.seq,
    ...(turn === start.seq ? {} : { turn }),
    left,
    tokens: measure.sumOf(left),
    messages: messagesIn(left),
  };
}

function unitsOf(
  entries: readonly JournalEntry[],
  view: readonly JournalEntry[],
  from: number,
): Unit[] {
  const starts = new Map(
    entries.flatMap((entry) => (entry.kind === "user" ? [[entry.turn, entry.seq]] : [])),
  );
  const units: Unit[] = [];
  for (const { turn, entries: all } of groupTurns(view)) {
    const own = all.filter(({ seq }) => seq >= from);
    const start = starts.get(turn) ?? own[0]?.seq ?? from;
    let unit: Unit | null = null;
    for (const entry of own) {
      if (!unit || entry.kind === "step") units.push((unit = { entries: [], turn: start }));
      unit.entries.push(entry);
    }
  }
  return units;
}
