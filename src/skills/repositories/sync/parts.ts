import type { Clock } from "../../../shared/clock.ts";
import type { Fetch } from "../../../shared/guarded-fetch.ts";
import type { Log } from "../../../shared/log.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import type { RepositoryLimits, SkillRepository } from "../repository.ts";

/** What repositories are brought up to date with. */
export type SyncParts = {
  /** Of the bucket that the agent's users share: what is fetched is kept there. */
  readonly workspace: Pick<Workspace, "tree" | "readMany" | "change">;
  /** Refuses the operator's own network, apart from the repository's origins. */
  readonly fetchOf: (repository: SkillRepository) => Fetch;
  /** A binding or variable of the deployment by its name. */
  readonly binding: (name: string) => unknown;
  readonly limits: RepositoryLimits;
  readonly clock: Clock;
  readonly log: Log;
};

/** Who changes what is kept, as `FileInfo.by` shows it. */
export const BY = "job:skills";
