/** What a prompt needs of a workspace, in one answer. */
import type { LayerName } from "./workspace-files.ts";

/** `isRead`: the caller reads these files, so that another text of one is another snapshot. Default false. */
export type SnapshotList = {
  readonly directory: string;
  readonly limit: number;
  readonly isRead?: boolean;
};

export type SnapshotRequest = {
  /** The version of the snapshot that the caller has. */
  readonly known: string | null;
  /** Files whose text is wanted. */
  readonly files: readonly string[];
  /** Directories whose files, of all levels, are wanted as paths; at most `limit` of each. */
  readonly lists: readonly SnapshotList[];
  /** Directories whose skills are wanted: of each directory in one of these, the head of its SKILL.md. Default: none. */
  readonly skills?: readonly string[];
  /** Asks the shared layer anew, however young the copy of it is: for who has just changed it. Default false. */
  readonly fresh?: boolean;
};

/**
 * A directory of skills has one: the layer that shows, and the beginning of its SKILL.md as `headOf` gives it. Its other
 * files are not told, nor how long the body is.
 */
export type SkillHead = {
  /** `skills/pdf`. */
  readonly directory: string;
  readonly layer: LayerName;
  /** `skills/pdf/SKILL.md`, or in lower case as it is written there; `null`: it has none. */
  readonly path: string | null;
  /** `null`: it has none, or it is not text. */
  readonly head: string | null;
};

export type SnapshotFile = {
  readonly path: string;
  readonly layer: LayerName;
  readonly size: number;
  /** `null` when the file is not text. */
  readonly text: string | null;
};

/** What the prompt needs, as of one moment. `version` is the same exactly while nothing asked for has changed. */
export type Snapshot = {
  readonly version: string;
  /** Those that exist, in the order asked for. */
  readonly files: readonly SnapshotFile[];
  /** In the order asked for. */
  readonly lists: readonly {
    readonly directory: string;
    readonly paths: readonly string[];
    readonly total: number;
  }[];
  /** Those of all directories asked for, by directory; at most 1,000. Absent where none were asked for. */
  readonly skills?: readonly SkillHead[];
};
