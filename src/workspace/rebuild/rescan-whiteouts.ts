import type { ListPage } from "../store/blob-store.ts";
import { fetchStored } from "../contents/blobs.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { isHideable, ruleOf } from "../layers/path-rules.ts";
import { BucketTotals } from "../quota.ts";
import { TOO_FRESH, isFresh } from "./rescan-scan.ts";
import type { Scan } from "./rescan-scan.ts";
import { OUTSIDE } from "../settle/outside.ts";
import { parseStorageKey, storageKey } from "../store/storage-key.ts";
import { FRESH_MS, unsureOf, isOutdated } from "../settle/unsure.ts";

/** Takes in whiteouts that were put or removed outside; see `rescan`. */
export async function rescanWhiteouts(scan: Scan, entries: ListPage["entries"]): Promise<void> {
  const { rows, store, bucket, clock } = scan;
  const listed = new Set<WorkspacePath>();
  for (const { key } of entries) {
    const stored = parseStorageKey(bucket, key);
    if (stored?.kind !== "whiteouts" || !isUnit(stored.path)) {
      scan.refuse(key, "It names no file, skill or declaration that could be hidden.");
      continue;
    }
    const { path } = stored;
    listed.add(path);
    if (rows.whiteouts.has(path) || unsureOf(rows.sql, key)) continue;
    const why = !hasRoom(scan)
      ? "The workspace is full."
      : isOutdated(rows.sql, key, clock.now() - FRESH_MS)
        ? TOO_FRESH
        : null;
    if (why !== null) {
      scan.refuse(key, why);
      continue;
    }
    if (!(await fetchStored(store, key)) || rows.whiteouts.has(path)) continue;
    const at = clock.now();
    rows.commit("rescan", (tx) =>
      tx.putWhiteout({
        path,
        version: tx.nextVersion(),
        at,
        author: OUTSIDE,
        present: true,
        dirty: null,
        settled: at,
      }),
    );
    scan.taken.push(path);
  }
  for (const path of rows.whiteouts.keys()) if (!listed.has(path)) await lookForMissing(scan, path);
}

const isUnit = (path: WorkspacePath): boolean => isHideable(path) && ruleOf(path).layers === "all";

function hasRoom({ rows, limits }: Scan): boolean {
  const { totals } = new BucketTotals(rows);
  return totals.files + totals.whiteouts < limits.files;
}

async function lookForMissing(scan: Scan, path: WorkspacePath): Promise<void> {
  const { rows, store, bucket, clock } = scan;
  const row = rows.whiteouts.get(path);
  if (!row?.present || row.dirty !== null) return;
  const key = storageKey(bucket, { kind: "whiteouts", path });
  if (unsureOf(rows.sql, key)) return;
  if (isFresh(row, clock.now())) return scan.refuse(key, TOO_FRESH);
  if (await fetchStored(store, key)) return;
  const now = rows.whiteouts.get(path);
  if (now?.version !== row.version || now.dirty !== null) return;
  rows.commit("rescan", (tx) => {
    tx.nextVersion();
    tx.dropWhiteout(path);
  });
  scan.removed.push(path);
}
