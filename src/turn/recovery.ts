import type { JournalEntry } from "../session/entries.ts";
import type { LimitReached } from "./limits.ts";

/**
 * Bounds on picking an interrupted turn up again (promise T7), derived from the journal so that they survive
 * anything. The values are those Cloudflare's Agents SDK settled on after incidents.
 */
export const recoveryBounds = {
  attempts: 10,
  noProgressMs: 5 * 60_000,
  workUnits: 1_000,
  strikes: 3,
} as const;

const isWork = ({ kind }: JournalEntry): boolean => kind === "step" || kind === "result";

/**
 * The turn came to rest, or someone outside had it go on: no crash brings these about. A question does not count, since
 * an agent that is another one after every restart asks anew each time.
 */
const isFromOutside = ({ kind }: JournalEntry): boolean =>
  kind === "waiting" || kind === "answered" || kind === "woken" || kind === "steered";

/** Why the turn may not be picked up once more at `now`; `null` when it may. */
export function recoveryExhausted(
  entries: readonly JournalEntry[],
  now: number,
): LimitReached | null {
  let sinceProgress = 0;
  let firstAt: number | null = null;
  let work = 0;
  let wasInterrupted = false;
  for (const entry of entries) {
    if (entry.kind === "reset" && entry.reason === "interrupted") {
      wasInterrupted = true;
      sinceProgress++;
      firstAt ??= entry.at;
    } else if (isWork(entry) || isFromOutside(entry)) {
      if (wasInterrupted && isWork(entry)) work++;
      sinceProgress = 0;
      firstAt = null;
    }
  }
  const failed = (message: string): LimitReached => ({ code: "recovery_exhausted", message });
  if (sinceProgress >= recoveryBounds.attempts) {
    return failed(
      `The turn was interrupted ${sinceProgress} times without progress and was given up.`,
    );
  }
  if (firstAt !== null && now - firstAt > recoveryBounds.noProgressMs) {
    return failed(
      "The turn made no progress for 5 minutes after an interruption and was given up.",
    );
  }
  if (work >= recoveryBounds.workUnits) {
    return failed(`The turn did ${work} units of work after an interruption and was given up.`);
  }
  return null;
}
