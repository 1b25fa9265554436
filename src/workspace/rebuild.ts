import type { BucketKey } from "../shared/bucket-key.ts";
import type { Clock } from "../shared/clock.ts";
import { CarrelError } from "../shared/errors.ts";
import { errorFacts, type Log } from "../shared/log.ts";
import { sha256Hex } from "../shared/sha256.ts";
import type { BlobStore, ListPage } from "./blob-store.ts";
import { fetchStored, unreachable } from "./blobs.ts";
import { isLog, pieceOf } from "./change-content.ts";
import type { Contents } from "./contents.ts";
import { addJob } from "./jobs.ts";
import { defaultBucketLimits, type BucketLimits } from "./limits.ts";
import { factsOf } from "./metadata.ts";
import { isHideable } from "./path-rules.ts";
import { fileOf, logsOf, versionOf, whiteoutOf } from "./rebuild-rows.ts";
import type { FoundPart } from "./rebuild-rows.ts";
import type { FileRow, Rows, RowsTx, SegmentRow, VersionRow, WhiteoutRow } from "./rows.ts";
import { listAll } from "./settle-desk.ts";
import { OUTSIDE } from "./settle-outside.ts";
import { parseStorageKey, storagePrefix } from "./storage-key.ts";
import type { StorageKey, StoredKind } from "./storage-key.ts";
import { keepVersion } from "./versions.ts";

export type RebuildParts = {
  readonly rows: Rows;
  readonly contents: Pick<Contents, "putBlob">;
  readonly store: BlobStore;
  readonly bucket: BucketKey;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: BucketLimits;
};

/** What the store turned out to hold. */
type Found = {
  readonly files: FileRow[];
  readonly logs: { readonly file: FileRow; readonly segments: readonly SegmentRow[] }[];
  readonly whiteouts: WhiteoutRow[];
  readonly versions: VersionRow[];
};

/** Numbers of changes that the store may never have heard of, so that none of them is given again. */
const UNHEARD = 1_000;

/** Whether the tables may lack what the store has. Until it was asked a bucket must answer nothing. */
export const needsRebuild = (rows: Pick<Rows, "meta">): boolean => rows.meta("born") === null;

/** Notes that the store was asked, in a commit with or before the first that writes anything else. */
export const recordBirth = ({ sql }: Pick<RowsTx, "sql">): void => {
  sql.run("INSERT OR REPLACE INTO meta(name, value) VALUES ('born', '1')");
};

/**
 * Makes an empty bucket what its prefix in the store says, in one commit after everything was listed: files,
 * whiteouts, earlier versions and logs, as they were settled. Texts stay in the store and are fetched later
 * (`rebuild-fetch.ts`). Objects that other hands put there are taken in as `outside`; what no bucket could hold is
 * left and logged. A bucket that is not empty any more stays as it is. Whether anything was found: if not, nothing is
 * written, and `recordBirth` is the caller's. Throws `CarrelError('overloaded')` when the
 * store fails, having changed nothing; safe to repeat.
 */
export async function rebuild(parts: RebuildParts): Promise<boolean> {
  const { rows, clock } = parts;
  if (!needsRebuild(rows)) return true;
  const [files, whiteouts, segments, versions] = await Promise.all([
    list(parts, "files"),
    list(parts, "whiteouts"),
    list(parts, "segments"),
    list(parts, "versions"),
  ]);
  const found: Found = { files: [], logs: [], whiteouts: [], versions: [] };
  for (const { key, metadata } of files) {
    const file = fileOf(parts.bucket, key, metadata) ?? (await foreignFile(parts, key));
    if (file) found.files.push(file);
  }
  for (const { key, metadata } of whiteouts) {
    const whiteout = whiteoutOf(parts.bucket, key, metadata) ?? foreignWhiteout(parts, key);
    if (whiteout) found.whiteouts.push(whiteout);
  }
  for (const { key, metadata } of versions) {
    const version = versionOf(parts.bucket, key, metadata);
    if (version) found.versions.push(version);
    else leave(parts, key, "it is not a version that Carrel wrote");
  }
  found.logs.push(...logsOf(partsOf(parts, segments)));
  if (Object.values(found).every((rowsOfKind) => rowsOfKind.length === 0)) return false;
  rows.commit("rebuild", (tx) => {
    if (needsRebuild(rows)) write(tx, found, clock.now(), parts.limits ?? defaultBucketLimits);
  });
  return true;
}

async function list(
  { store, bucket }: RebuildParts,
  kind: StoredKind,
): Promise<ListPage["entries"]> {
  try {
    return await listAll(store, storagePrefix(bucket, kind));
  } catch (error) {
    throw unreachable(error);
  }
}

function partsOf(parts: RebuildParts, entries: ListPage["entries"]): FoundPart[] {
  return entries.flatMap(({ key, metadata }) => {
    const stored = parseStorageKey(parts.bucket, key);
    const facts = factsOf(metadata);
    if (stored?.kind === "segments" && facts?.type === "log")
      return [{ path: stored.path, number: stored.number, facts }];
    leave(parts, key, "it is no part of a log that Carrel wrote");
    return [];
  });
}

/** A file without our metadata, whose version is not known yet; `null` for what no bucket could hold. */
async function foreignFile(parts: RebuildParts, key: StorageKey): Promise<FileRow | null> {
  const { store, bucket, contents, clock, limits = defaultBucketLimits } = parts;
  const stored = parseStorageKey(bucket, key);
  if (stored?.kind !== "files") return leave(parts, key, "its name is not spelled as Carrel does");
  const { path } = stored;
  if (isLog(path)) return leave(parts, key, "logs are kept in parts");
  const found = await fetchStored(store, key);
  if (!found) return null;
  const piece = pieceWithin(parts, key, () => pieceOf(path, { bytes: found.bytes }, limits));
  if (!piece) return null;
  if (piece.type === "blob") await contents.putBlob(piece.bytes);
  const now = clock.now();
  return {
    path,
    version: 0,
    type: piece.type,
    size: piece.size,
    sha256: await sha256Hex(found.bytes),
    executable: false,
    at: now,
    author: OUTSIDE,
    body: null,
    dirty: now,
    tag: found.tag,
  };
}

function pieceWithin<Piece>(parts: RebuildParts, key: StorageKey, make: () => Piece): Piece | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof CarrelError) return leave(parts, key, error.message);
    throw error;
  }
}

function foreignWhiteout(parts: RebuildParts, key: StorageKey): WhiteoutRow | null {
  const stored = parseStorageKey(parts.bucket, key);
  if (stored?.kind !== "whiteouts" || !isHideable(stored.path))
    return leave(parts, key, "it names nothing that can be hidden");
  const at = parts.clock.now();
  return { path: stored.path, version: 0, at, author: OUTSIDE, present: true, dirty: null };
}

function leave({ log }: RebuildParts, key: StorageKey, why: string): null {
  log("warn", "workspace.left_outside", { key, ...errorFacts(new Error(why)) });
  return null;
}

/** Version 0 stands for a new one, after all that are known. */
function write(
  tx: RowsTx,
  { files, logs, whiteouts, versions }: Found,
  now: number,
  limits: BucketLimits,
): void {
  const known = [...files, ...logs.map(({ file }) => file), ...whiteouts, ...versions];
  let newest = 0;
  for (const { version } of known) newest = Math.max(newest, version);
  if (known.length > 0) tx.passVersion(newest + UNHEARD);
  const numbered = <Row extends { readonly version: number }>(row: Row): Row =>
    row.version > 0 ? row : { ...row, version: tx.nextVersion() };
  for (const row of files) tx.putFile(numbered(row));
  for (const row of whiteouts) tx.putWhiteout(numbered(row));
  for (const row of versions) keepVersion(tx, row, limits.versions);
  for (const { file, segments } of logs) {
    tx.putFile({ ...file, body: tx.newBody("") });
    for (const { path, number, size, lines, sha256 } of segments)
      tx.sql.run("INSERT INTO segment VALUES (?, ?, ?, ?, ?)", path, number, size, lines, sha256);
  }
  if (files.some(({ type }) => type === "text")) addJob(tx.sql, "fetch", now);
  if (files.some(({ dirty }) => dirty !== null)) addJob(tx.sql, "settle", now);
  recordBirth(tx);
}
