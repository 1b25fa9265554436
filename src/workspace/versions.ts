import type { FileVersion } from "../shared/workspace-files.ts";
import type { BucketLimits } from "./limits.ts";
import { workspacePath } from "./layers/path.ts";
import type { WorkspacePath } from "./layers/path.ts";
import type { FileRow, Rows, RowsTx, VersionRow } from "./rows.ts";
import { dropVersion, trimHistory, type DroppedVersion } from "./version-allowance.ts";

/** Who makes a version, and when. */
export type Signature = Pick<VersionRow, "version" | "at" | "author">;

/** What `path` held before, newest first. A path that is not there now has its `gone` as the newest. */
export function versionRows({ sql }: Pick<Rows, "sql">, path: WorkspacePath): VersionRow[] {
  type Stored = Omit<VersionRow, "executable"> & { readonly executable: number };
  const rows = sql.all<Stored>("SELECT * FROM version WHERE path = ? ORDER BY version DESC", path);
  return rows.map((row) => ({ ...row, executable: row.executable === 1 }));
}

/**
 * That nothing of this bucket is at `path` from now on: it was deleted, or reset so that lower layers show. Both are
 * stored as `gone`; a reset has the executable bit, which means nothing else there.
 */
export const goneVersion = (
  path: WorkspacePath,
  why: "deleted" | "reset",
  { version, at, author }: Signature,
): VersionRow => ({
  path,
  version,
  type: "gone",
  size: 0,
  sha256: null,
  executable: why === "reset",
  at,
  author,
  body: null,
});

/** Whether a version says that its path was reset and not deleted. */
export const isReset = (row: Pick<VersionRow, "type" | "executable">): boolean =>
  row.type === "gone" && row.executable;

/**
 * Keeps what a file held, and drops what is then more than `limits.versions` of this file, oldest first, with its text;
 * past the allowance of the bucket old versions of any file go (`trimHistory`).
 */
export function keepVersion(tx: RowsTx, row: VersionRow, limits: BucketLimits): void {
  tx.countHistory(1, row.size);
  tx.sql.run(
    "INSERT OR REPLACE INTO version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    row.path,
    row.version,
    row.type,
    row.size,
    row.sha256,
    row.executable ? 1 : 0,
    row.at,
    row.author,
    row.body,
  );
  const over = tx.sql.all<DroppedVersion>(
    "SELECT path, version, size, body FROM version WHERE path = ? ORDER BY version DESC LIMIT -1 OFFSET ?",
    row.path,
    limits.versions,
  );
  for (const old of over) dropVersion(tx, old);
  trimHistory(tx, limits);
}

/**
 * Drops for good what files held before, whatever that is: those at these paths, and below those that end in a slash.
 * That a file was deleted once stays known. Gives what was dropped.
 */
export function purgeVersions(tx: RowsTx, paths: readonly string[]): readonly DroppedVersion[] {
  const dropped = paths.flatMap((path) =>
    tx.sql.all<DroppedVersion>(
      `SELECT path, version, size, body FROM version
       WHERE type <> 'gone' AND (path = ?1 OR (?1 LIKE '%/' AND substr(path, 1, length(?1)) = ?1))`,
      path,
    ),
  );
  for (const old of dropped) dropVersion(tx, old);
  return dropped;
}

/** The versions of one path in any spelling, newest first, the present one included; none where nothing is known. */
export function history(rows: Pick<Rows, "sql" | "files">, raw: string): readonly FileVersion[] {
  const path = workspacePath(raw);
  const present = rows.files.get(path);
  const earlier = versionRows(rows, path).map(shown);
  return present && present.type !== "gone" ? [shown(present), ...earlier] : earlier;
}

function shown(row: VersionRow | FileRow): FileVersion {
  const { version, size, at, author } = row;
  const gone = isReset(row) ? "reset" : "deleted";
  const type = row.type === "gone" ? gone : row.type;
  return { version, etag: String(version), type, size, at, by: author };
}
