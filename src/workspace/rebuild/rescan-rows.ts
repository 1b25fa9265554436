import { keepsVersions } from "../change/content.ts";
import type { BucketLimits } from "../limits.ts";
import type { WorkspacePath } from "../layers/path.ts";
import type { FileRow, RowsTx } from "../rows.ts";
import { OUTSIDE } from "../settle/outside.ts";
import { goneVersion, keepVersion } from "../versions.ts";

/** What a file held goes into its history if it has one, and away otherwise. */
export function keepBefore(tx: RowsTx, row: FileRow, limits: BucketLimits): void {
  const { path, version, type, size, sha256, executable, at, author, body } = row;
  // A text that only the store had is not there any more.
  const isLost = type === "text" && body === null;
  if (keepsVersions(path) && type !== "gone" && !isLost)
    keepVersion(tx, { path, version, type, size, sha256, executable, at, author, body }, limits);
  else if (body !== null) tx.dropBody(body);
}

/** A file that was deleted outside, until the store was told so, too. */
export function goneRow(
  tx: RowsTx,
  path: WorkspacePath,
  now: number,
  limits: BucketLimits,
): FileRow {
  const version = goneVersion(path, "deleted", {
    version: tx.nextVersion(),
    at: now,
    author: OUTSIDE,
  });
  if (keepsVersions(path)) keepVersion(tx, version, limits);
  return { ...version, dirty: now, tag: null, settled: null };
}
