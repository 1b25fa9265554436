import type { Clock } from "../../shared/clock.ts";
import type { Log } from "../../shared/log.ts";
import type { WorkspaceBucket } from "../../workspace/bucket.ts";

/** What the skills of a bucket are made of. `files` is their only store: no row of theirs is elsewhere. */
export type SkillParts = {
  readonly files: Pick<WorkspaceBucket, "tree" | "read" | "readMany" | "change" | "assertThere">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
};
