import { CarrelError } from "../../shared/errors.ts";
import { sha256Hex } from "../../shared/sha256.ts";
import type { RescanReport } from "../../shared/workspace-api.ts";
import { storeLimits } from "../store/blob-store.ts";
import type { ListEntry, ListPage, StoredBlob } from "../store/blob-store.ts";
import { fetchStored, unreachable } from "../contents/blobs.ts";
import { isLog, pieceOf, type Piece } from "../change/content.ts";
import { defaultBucketLimits } from "../limits.ts";
import { factsOf } from "../store/metadata.ts";
import { isWithin, parentsOf } from "../layers/overlay.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { BucketTotals, assertQuota, exchanged } from "../quota.ts";
import { TOO_FRESH, isFresh } from "./rescan-scan.ts";
import type { RescanParts, Scan } from "./rescan-scan.ts";
import { rescanWhiteouts } from "./rescan-whiteouts.ts";
import type { FileRow, Rows, RowsTx } from "../rows.ts";
import { listAll } from "../settle/desk.ts";
import { OUTSIDE, isOurs, keepOutside } from "../settle/outside.ts";
import { parseStorageKey, storageKey, storagePrefix } from "../store/storage-key.ts";
import type { StorageKey } from "../store/storage-key.ts";
import { FRESH_MS, isOutdated, markOutdated, unsureOf } from "../settle/unsure.ts";
import { keepBefore, goneRow } from "./rescan-rows.ts";

/**
 * Takes in what other hands did in the store since it was settled: new and changed files and whiteouts, as written by
 * `outside`, and deletions. Only what the store had confirmed is replaced or removed. Where a file has changed here,
 * too, ours stays and theirs becomes an earlier version; where it is an older version of ours, the newer one is put
 * again. The rest is refused, each with why. Throws `CarrelError('overloaded')` when the store fails; what was taken
 * in until then stays, and the next rescan goes on.
 */
export async function rescan(parts: RescanParts): Promise<RescanReport> {
  const refused: { key: string; why: string }[] = [];
  const scan: Scan = {
    limits: defaultBucketLimits,
    ...parts,
    taken: [],
    removed: [],
    refuse: (key, why) => void refused.push({ key, why }),
  };
  const listed = new Set<WorkspacePath>();
  for (const entry of await listKind(scan, "files")) {
    const { key } = entry;
    const stored = parseStorageKey(scan.bucket, key);
    if (stored?.kind !== "files")
      scan.refuse(key, "Its name is not a path as Carrel spells it. Store it under another.");
    else {
      listed.add(stored.path);
      await lookAt(scan, stored.path, entry);
    }
  }
  for (const row of scan.rows.files.values())
    if (!listed.has(row.path)) await lookForMissing(scan, row);
  await rescanWhiteouts(scan, await listKind(scan, "whiteouts"));
  const { taken, removed } = scan;
  parts.log("info", "workspace.rescanned", {
    taken: taken.length,
    removed: removed.length,
    refused: refused.length,
  });
  return { taken, removed, refused };
}

async function listKind(
  { store, bucket }: Scan,
  kind: "files" | "whiteouts",
): Promise<ListPage["entries"]> {
  try {
    return await listAll(store, storagePrefix(bucket, kind));
  } catch (error) {
    throw unreachable(error);
  }
}

async function lookAt(
  scan: Scan,
  path: WorkspacePath,
  { key, metadata, size = 0 }: ListEntry,
): Promise<void> {
  const { rows, store, clock } = scan;
  const isSettled = (row: FileRow | undefined) => {
    const facts = factsOf(metadata);
    return row?.dirty === null && facts?.version === row.version && facts.sha256 === row.sha256;
  };
  if (isSettled(rows.files.get(path))) return;
  if (unsureOf(rows.sql, key))
    return scan.refuse(key, "A write of ours may be under way there. Rescan in a minute.");
  // The mark of a log that is being deleted.
  if (isLog(path) && factsOf(metadata)?.type === "gone") return;
  if (isLog(path)) return scan.refuse(key, "Logs are kept in parts. Store it under another name.");
  if (size > storeLimits.valueBytes) return scan.refuse(key, "It is larger than 25 MiB.");
  const row = rows.files.get(path);
  const found = await fetchStored(store, key);
  if (!found || rows.files.get(path)?.version !== row?.version) return;
  if (row && row.dirty !== null) return keepBoth(scan, row, key, found);
  const sha256 = await sha256Hex(found.bytes);
  if (row && (await isOurs(found, row.version))) {
    if (factsOf(found.metadata)?.version === row.version) return;
    scan.refuse(key, "It is an older version of ours. The newer one will be put there again.");
    return putAgain(scan, row, found);
  }
  if (row && row.sha256 === sha256) return putAgain(scan, row, found);
  if (isOutdated(rows.sql, key, clock.now() - FRESH_MS)) return scan.refuse(key, TOO_FRESH);
  await takeIn(scan, path, key, { found, sha256, row });
}

/** Ours is not settled yet: it stays, and what was put outside becomes an earlier version. */
async function keepBoth(
  scan: Scan,
  row: FileRow,
  key: StorageKey,
  found: StoredBlob,
): Promise<void> {
  if (await isOurs(found, row.version)) return;
  if ((await sha256Hex(found.bytes)) === row.sha256) return;
  await keepOutside(scan, row, found);
  scan.refuse(key, "It was changed here, too, and that stays. If it has a history, this is in it.");
}

/** The bytes are no news, but what stands beside them is not what we wrote. */
function putAgain({ rows, clock, markDirty }: Scan, row: FileRow, { tag }: StoredBlob): void {
  rows.commit("rescan", (tx) => {
    const now = rows.files.get(row.path);
    if (now?.version !== row.version || now.dirty !== null) return;
    tx.putFile({ ...now, tag, dirty: clock.now() });
    markDirty(tx);
  });
}

type News = {
  readonly found: StoredBlob;
  readonly sha256: string;
  readonly row: FileRow | undefined;
};

async function takeIn(
  scan: Scan,
  path: WorkspacePath,
  key: StorageKey,
  { found, sha256, row }: News,
): Promise<void> {
  const { rows, contents, limits, clock } = scan;
  try {
    const piece = pieceOf(path, { bytes: found.bytes }, limits);
    if (piece.type === "blob") await contents.putBlob(piece.bytes);
    rows.commit("rescan", (tx) => {
      const now = rows.files.get(path);
      if (now?.version !== row?.version || (now && now.dirty !== null))
        throw new CarrelError("conflict", "It was changed here meanwhile. Rescan again.");
      assertPlace(rows, path);
      assertRoom(scan, now, piece);
      write(scan, tx, path, { found, sha256, row: now }, piece);
      markOutdated(tx.sql, key, clock.now());
    });
    scan.taken.push(path);
  } catch (error) {
    if (!(error instanceof CarrelError) || error.code === "overloaded") throw error;
    scan.refuse(key, error.message);
  }
}

function write(
  { limits, clock, markDirty }: Scan,
  tx: RowsTx,
  path: WorkspacePath,
  { found, sha256, row }: News,
  piece: Piece,
): void {
  if (row) keepBefore(tx, row, limits);
  const now = clock.now();
  const facts = factsOf(found.metadata);
  tx.putFile({
    path,
    version: tx.nextVersion(),
    type: piece.type,
    size: piece.size,
    sha256,
    executable: facts?.executable ?? row?.executable ?? false,
    at: now,
    author: OUTSIDE,
    body: piece.type === "text" ? tx.newBody(piece.text) : null,
    dirty: now,
    tag: found.tag,
    settled: null,
  });
  markDirty(tx);
}

function assertPlace({ files }: Rows, path: WorkspacePath): void {
  const isFile = (other: WorkspacePath) => (files.get(other)?.type ?? "gone") !== "gone";
  if (parentsOf(path).some(isFile))
    throw new CarrelError("conflict", "A file of the workspace stands where its directory would.");
  const isBelow = (other: WorkspacePath) => other !== path && isWithin(path, other);
  if ([...files.keys()].some((other) => isBelow(other) && isFile(other)))
    throw new CarrelError("conflict", "A directory of the workspace has its name.");
}

function assertRoom({ rows, limits }: Scan, row: FileRow | undefined, piece: Piece): void {
  const { totals } = new BucketTotals(rows);
  assertQuota(totals, exchanged(totals, row ?? null, piece), limits);
}

/** Deleted outside: the file goes here, too, and its text is in the history of what has one. */
async function lookForMissing(scan: Scan, row: FileRow): Promise<void> {
  const { rows, store, bucket, clock, limits, markDirty } = scan;
  const { path, type, version } = row;
  if (row.dirty !== null || (type !== "text" && type !== "blob")) return;
  const key = storageKey(bucket, { kind: "files", path });
  if (unsureOf(rows.sql, key)) return;
  if (isFresh(row, clock.now())) return scan.refuse(key, TOO_FRESH);
  if (await fetchStored(store, key)) return;
  const now = rows.files.get(path);
  if (now?.version !== version || now.dirty !== null) return;
  rows.commit("rescan", (tx) => {
    keepBefore(tx, now, limits);
    tx.putFile(goneRow(tx, path, clock.now(), limits));
    markDirty(tx);
  });
  scan.removed.push(path);
}
