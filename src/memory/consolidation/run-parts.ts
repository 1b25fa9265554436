import type { Clock } from "../../shared/clock.ts";
import type { Log } from "../../shared/log.ts";
import type { BucketFiles } from "../bucket/files.ts";
import type { Lease, MemoryRows } from "../bucket/memory-rows.ts";

export const MEMORY = "MEMORY.md";

/** Who consolidates, as versions name it. */
export const CONSOLIDATION = "job:consolidation";

/** What runs work with. */
export type RunParts = {
  readonly files: BucketFiles;
  readonly rows: MemoryRows;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  /** Throws `CarrelError('gone')` once the bucket is erased. Synchronous: called before each write to `rows`. */
  readonly assertThere: () => void;
};

/**
 * Lets go of the lease of a run that has come to its end. Its slot is done, unless there is more to read: then the next
 * run may follow at once.
 */
export function endRun(
  { rows, clock }: Pick<RunParts, "rows" | "clock">,
  { slot, shown }: Lease,
  state: "applied" | "refused" | "lost",
): void {
  const { last } = rows;
  const refusals = state === "applied" ? 0 : last.refusals + 1;
  const goesOn = state === "applied" && shown.hasMore;
  rows.setLast(
    goesOn ? { ...last, refusals } : { at: clock.now(), slot: slot ?? last.slot, refusals },
  );
  rows.dropLease();
}
