import { shortHash } from "../../shared/short-hash.ts";
import type { LayerFile } from "../layers/layers.ts";
import type { OverlayEntry } from "../layers/overlay.ts";
import type { Budget } from "./budget.ts";
import { hiddenLines } from "./forgotten.ts";
import { endsTurn, forgettingIn, messageIn } from "./log-units.ts";
import { isStill, type UpdateParts } from "./update-parts.ts";
import type { Unit } from "./units.ts";

/** Lines that are read first; then as many as make up about `BYTES`, in these bounds. */
const FIRST = 100;
const LEAST = 20;
const MOST = 1_000;
const BYTES = 1024 * 1024;

/**
 * Reads what a log has gained since it was last read, wherever that is now: its lines are counted, so it does not matter
 * when they leave the tables. It is read in whole turns, as far as 1,000 lines hold one. A log whose last known line is not where it was is another one, and is read anew. Stops
 * when the budget is spent, or the log has changed meanwhile: the next update goes on from there. Throws what reading throws.
 */
export async function readLog(
  parts: UpdateParts,
  entry: OverlayEntry<LayerFile>,
  forgotten: ReadonlySet<number> = new Set(),
  budget: Budget,
): Promise<void> {
  const { path, file } = entry;
  if (!file.row) return;
  let held = parts.held.files.get(path) ?? null;
  for (let wanted = FIRST; ;) {
    const from = held?.lines ?? 0;
    const known = Math.min(1, from);
    const { lines, total } = await parts.contents.lines(file.row, from - known, wanted + known);
    if (!isStill(parts, entry)) return;
    if (held && known === 1 && shortHash(lines[0] ?? "") !== held.last) {
      held = null;
      continue;
    }
    const read = lines.slice(known);
    const isEnd = from + read.length >= total;
    const turns = isEnd ? read.length : read.findLastIndex(endsTurn) + 1;
    if (turns === 0 && wanted < MOST) {
      wanted = MOST;
      continue;
    }
    const fresh = turns === 0 ? read : read.slice(0, turns);
    const upTo = from + fresh.length;
    const units = unitsIn(fresh, from, forgotten);
    held = parts.held.put(held, units, {
      path,
      etag: file.etag,
      whole: upTo >= total,
      lines: upTo,
      last: fresh.length === 0 ? (held?.last ?? "") : shortHash(fresh.at(-1) ?? ""),
      hidden: hiddenLines(forgotten, upTo),
    });
    budget.spend(charsIn(fresh), units.length);
    if (held.whole || budget.isSpent) return;
    await parts.breathe();
    const mean = Math.max(1, file.size / total);
    wanted = Math.min(MOST, Math.max(LEAST, Math.floor(BYTES / mean)));
  }
}

/**
 * The messages in whole turns. One that is forgotten keeps its place, and says nothing; so do all of a turn in which
 * something was to be forgotten, as they say what.
 */
function unitsIn(lines: readonly string[], from: number, forgotten: ReadonlySet<number>): Unit[] {
  const muted = new Set(lines.map(forgettingIn));
  return lines.flatMap((line, at) => {
    const unit = messageIn(line, from + at + 1);
    if (unit === null) return [];
    const isMuted = forgotten.has(unit.line) || (unit.said !== null && muted.has(unit.said.turn));
    return isMuted ? [{ ...unit, text: "" }] : [unit];
  });
}

const charsIn = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + line.length + 1, 0);
