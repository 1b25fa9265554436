import { sha256Hex } from "../../shared/sha256.ts";
import type { PutOutcome } from "../store/blob-store.ts";
import { meetKey, type Met } from "../contents/blobs.ts";
import { factsOf } from "../store/metadata.ts";
import type { WorkspacePath } from "../layers/path.ts";
import type { WhiteoutRow } from "../rows.ts";
import { WRITE_GAP_MS, deleteKeys, putKey } from "./desk.ts";
import type { Again, Desk } from "./desk.ts";
import { settleVersion } from "./versions.ts";
import { storageKey } from "../store/storage-key.ts";
import type { StorageKey } from "../store/storage-key.ts";
import { markOutdated, markUnsure } from "./unsure.ts";
import { versionRows } from "../versions.ts";

/** Brings a whiteout, or its absence, to the store as an empty object. */
export async function settleWhiteout(desk: Desk, path: WorkspacePath): Promise<Again> {
  const { rows, store, bucket, clock, mayBeUnderWay } = desk;
  const row = rows.whiteouts.get(path);
  if (!row || row.dirty === null) return null;
  const wait = await settleDeletions(desk, row);
  if (wait !== null) return wait;
  const key = storageKey(bucket, { kind: "whiteouts", path });
  if (row.present) {
    const found = await meetKey(store, key);
    const isThere = found !== null && factsOf(found.metadata)?.version === row.version;
    if (!isThere && (await put(desk, row, key, found)).kind === "conflict")
      return clock.now() + WRITE_GAP_MS;
  } else await deleteKeys(desk, [key]);
  rows.commit("settle", (tx) => {
    if (mayBeUnderWay(row.dirty))
      markUnsure(tx.sql, key, clock.now(), row.present ? "put" : "delete");
    if (!row.present) markOutdated(tx.sql, key, clock.now());
    if (rows.whiteouts.get(path)?.version !== row.version) return;
    if (row.present) return tx.putWhiteout({ ...row, dirty: null, settled: clock.now() });
    tx.dropWhiteout(path);
  });
  return null;
}

async function put(
  desk: Desk,
  row: WhiteoutRow,
  key: StorageKey,
  over: Met | null,
): Promise<PutOutcome> {
  const bytes = new Uint8Array();
  const facts = { ...row, type: "text", size: 0, lines: 0, executable: false } as const;
  const sha256 = await sha256Hex(bytes);
  return putKey(desk, key, bytes, { ...facts, sha256 }, over ?? "absent");
}

/** A file of a lower layer that was hidden, or shows again, has no row here, but may have a history that says so. */
async function settleDeletions(desk: Desk, { path, dirty }: WhiteoutRow): Promise<Again> {
  const paths = desk.rows.sql.all<{ path: WorkspacePath }>(
    `SELECT DISTINCT path FROM version
     WHERE (path = ?1 OR path > ?1 || '/' AND path < ?1 || '0') AND type = 'gone' AND at >= ?2`,
    path,
    dirty,
  );
  for (const hidden of paths) {
    for (const version of versionRows(desk.rows, hidden.path)) {
      if (version.type !== "gone" || version.at < (dirty ?? 0)) continue;
      const wait = await settleVersion(desk, version);
      if (wait !== null) return wait;
    }
  }
  return null;
}
