import type { BucketLimits } from "./limits.ts";
import type { RowsTx, VersionRow } from "./rows.ts";

export type DroppedVersion = Pick<VersionRow, "path" | "version" | "size" | "body">;

type Kept = DroppedVersion & {
  readonly type: VersionRow["type"];
  readonly at: number;
  /** What is at the path now; `null`: nothing, not even a row. */
  readonly present: number | null;
  readonly isThere: number;
};

/** How much of the allowance is left in use once it was exceeded, so that few changes have to look for what goes. */
const REST = 0.9;

/** A file that was deleted so shortly before keeps its versions like one that is there. */
const DELETED_MS = 24 * 60 * 60 * 1000;

/** Drops an earlier version with its text; the store's copy goes with the next sweep. */
export function dropVersion(tx: RowsTx, { path, version, size, body }: DroppedVersion): void {
  if (body !== null) tx.dropBody(body);
  tx.sql.run("DELETE FROM version WHERE path = ? AND version = ?", path, version);
  tx.countHistory(-1, -size);
}

/**
 * When there are more earlier versions, or bytes of them, than the bucket may keep: drops a tenth, first those of files
 * that were deleted more than a day before, then of all, in the order in which they were replaced. Looks at all
 * versions, but only then.
 */
export function trimHistory(
  tx: RowsTx,
  { versionRows, versionBytes }: Pick<BucketLimits, "versionRows" | "versionBytes">,
): void {
  const { rows, bytes } = tx.countHistory(0, 0);
  if (rows <= versionRows && bytes <= versionBytes) return;
  for (const old of inOrder(tx)) {
    const left = tx.countHistory(0, 0);
    if (left.rows <= versionRows * REST && left.bytes <= versionBytes * REST) return;
    dropVersion(tx, old);
  }
}

function inOrder({ sql }: RowsTx): readonly DroppedVersion[] {
  const kept = sql.all<Kept>(
    `SELECT v.path, v.version, v.type, v.size, v.body, v.at, f.version AS present,
       coalesce(f.type <> 'gone', 0) AS isThere
     FROM version v LEFT JOIN file f ON f.path = v.path ORDER BY v.path, v.version`,
  );
  const newest = kept.reduce((at, row) => Math.max(at, row.at), 0);
  /** Of each path, the row that says that it is gone, if it is that for long. */
  const gone = new Set<string>();
  for (const [index, row] of kept.entries()) {
    const isLast = kept[index + 1]?.path !== row.path;
    if (!isLast || row.isThere === 1 || row.type !== "gone") continue;
    if (row.at <= newest - DELETED_MS) gone.add(row.path);
  }
  const replacedIn = (row: Kept, index: number): number => {
    const next = kept[index + 1];
    if (next?.path === row.path) return next.version;
    if (row.type === "gone") return row.version;
    // Not written yet what replaces it.
    return row.present !== null && row.present > row.version ? row.present : Infinity;
  };
  return kept
    .map((row, index) => ({ row, isGone: gone.has(row.path), until: replacedIn(row, index) }))
    .toSorted(
      (a, b) =>
        Number(b.isGone) - Number(a.isGone) ||
        (a.until === b.until ? a.row.version - b.row.version : a.until - b.until),
    )
    .map(({ row }) => row);
}
