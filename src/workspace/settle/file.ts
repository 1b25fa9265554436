import { sha256Hex } from "../../shared/sha256.ts";
import { meetKey, type Met } from "../contents/blobs.ts";
import { isLog } from "../change/content.ts";
import type { WorkspacePath } from "../layers/path.ts";
import type { FileRow } from "../rows.ts";
import { WRITE_GAP_MS, deleteKeys, listAll, putKey } from "./desk.ts";
import type { Again, Desk } from "./desk.ts";
import { settleLog } from "./log.ts";
import { isOurs, keepOutside } from "./outside.ts";
import { settleVersions } from "./versions.ts";
import { parseStorageKey, storageKey, storagePrefix } from "../store/storage-key.ts";
import type { StorageKey } from "../store/storage-key.ts";
import { markOutdated, markUnsure } from "./unsure.ts";

/** What is being put: of which version, and since when later changes count as not put. */
type Put = { readonly row: FileRow; readonly began: number; readonly sha256: string };

/**
 * Brings the store to where a file is: its earlier versions first, then the file, or its absence. The row is clean
 * afterwards if it still is what was put. Throws what the store throws; then everything is as dirty as before.
 */
export async function settleFile(desk: Desk, path: WorkspacePath): Promise<Again> {
  const { rows, clock } = desk;
  const began = clock.now();
  const first = rows.files.get(path);
  if (!first || first.dirty === null) return null;
  const wait = await settleVersions(desk, first);
  if (wait !== null) return wait;
  const row = rows.files.get(path);
  if (row?.version !== first.version) return began;
  if (row.type === "gone") return settleGone(desk, row);
  if (row.type === "log") return settleLog(desk, row, began);
  return settleContent(desk, row, began);
}

async function settleContent(desk: Desk, row: FileRow, began: number): Promise<Again> {
  const { rows, contents, bucket, clock } = desk;
  const content = await contents.read(row);
  const bytes = "text" in content ? new TextEncoder().encode(content.text) : content.bytes;
  const sha256 = await sha256Hex(bytes);
  if (row.sha256 !== null && row.sha256 !== sha256)
    throw new Error(`the text of "${row.path}" is not what was written`);
  // Reading may have fetched the text, and with it the tag.
  const tag = rows.files.get(row.path)?.tag ?? null;
  const key = storageKey(bucket, { kind: "files", path: row.path });
  const facts = { ...row, sha256, size: bytes.length, lines: 0 };
  const outcome = await putKey(desk, key, bytes, facts, tag === null ? "absent" : { tag });
  const put = { row, began, sha256 };
  if (outcome.kind === "stored") return confirm(desk, put, key, outcome.tag);
  return (await meet(desk, put, key)) ?? clock.now() + WRITE_GAP_MS;
}

/** The store holds what was put. A file that changed meanwhile stays dirty, from when the put began. */
function confirm(desk: Desk, { row, began, sha256 }: Put, key: StorageKey, tag: string): Again {
  const { rows, clock, mayBeUnderWay } = desk;
  rows.commit("settle", (tx) => {
    const now = rows.files.get(row.path);
    const isSame = now?.version === row.version;
    if (now && isSame) tx.putFile({ ...now, sha256, tag, dirty: null, settled: clock.now() });
    else if (now)
      tx.putFile({ ...now, tag, dirty: now.dirty === null ? null : Math.min(began, now.at) });
    if (!now || mayBeUnderWay(row.dirty)) markUnsure(tx.sql, key, clock.now(), "put");
  });
  return null;
}

/** Something else is under the key: an earlier put of ours, perhaps this very one, or the work of other hands. */
async function meet(desk: Desk, put: Put, key: StorageKey): Promise<Again> {
  const { rows, store, log } = desk;
  const { row, sha256 } = put;
  const found = await meetKey(store, key);
  if (found && (await isOurs(found, row.version))) {
    const isThis = found.metadata.version === String(row.version);
    if (isThis && found.metadata.sha256 === sha256) return confirm(desk, put, key, found.tag);
  } else if (found) {
    log("warn", "workspace.outside_edit", { key });
    const isSame = found.bytes && (await sha256Hex(found.bytes)) === sha256;
    if (!isSame) return keepOutside(desk, row, found);
  }
  rows.commit("settle", (tx) => {
    const now = rows.files.get(row.path);
    if (now) tx.putFile({ ...now, tag: found?.tag ?? null });
  });
  return null;
}

/**
 * Deletes what the store has of a file, then lets the row go. A log of many parts leaves a mark until the last of them is
 * gone, so that what is left of a deletion is never taken for a log (`rebuild.ts`).
 */
async function settleGone(desk: Desk, row: FileRow): Promise<Again> {
  const { rows, bucket, clock, mayBeUnderWay } = desk;
  const { path, version } = row;
  const key = storageKey(bucket, { kind: "files", path });
  const parts = isLog(path) ? await partsOf(desk, path) : [];
  if (rows.files.get(path)?.version !== version) return clock.now();
  const keys = [...parts, key];
  if (parts.length > ONE_PART) {
    if (!(await markDeletion(desk, row, key))) return clock.now() + WRITE_GAP_MS;
    if (rows.files.get(path)?.version !== version) return clock.now();
    await deleteKeys(desk, parts);
    await clock.sleep(WRITE_GAP_MS);
  }
  await deleteKeys(desk, parts.length > ONE_PART ? [key] : keys);
  rows.commit("settle", (tx) => {
    const now = rows.files.get(path);
    markOutdated(tx.sql, key, clock.now());
    if (now?.version === version) {
      tx.dropFile(path);
      if (isLog(path)) tx.sql.run("DELETE FROM segment WHERE path = ?", path);
    } else if (now) tx.putFile({ ...now, tag: null });
    if (mayBeUnderWay(row.dirty))
      for (const doomed of keys) markUnsure(tx.sql, doomed, clock.now(), "delete");
  });
  return null;
}

/** Keys that a log of one part is deleted under: that part, and the next, which may not be listed yet. */
const ONE_PART = 2;

async function partsOf({ store, bucket }: Desk, path: WorkspacePath): Promise<StorageKey[]> {
  const numbers = new Set([0]);
  for (const { key } of await listAll(store, `${storagePrefix(bucket, "segments")}${path}/`)) {
    const stored = parseStorageKey(bucket, key);
    if (stored?.kind === "segments" && stored.path === path) numbers.add(stored.number);
  }
  numbers.add(Math.max(...numbers) + 1);
  return [...numbers].map((number) => storageKey(bucket, { kind: "segments", path, number }));
}

/** Says under the file's key which parts are being deleted: all up to this version. Whether it is said. */
async function markDeletion(desk: Desk, row: FileRow, key: StorageKey): Promise<boolean> {
  const bytes = new Uint8Array();
  const facts = { ...row, sha256: await sha256Hex(bytes), lines: 0 };
  const found = await meetKey(desk.store, key);
  if (found && (await isOurs(found, row.version)) && isFor(found, row)) return true;
  return (await putKey(desk, key, bytes, facts, found ?? "absent")).kind === "stored";
}

const isFor = ({ metadata }: Met, { version }: FileRow): boolean =>
  metadata.version === String(version);
