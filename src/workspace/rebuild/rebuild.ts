import type { ListEntry, ListPage } from "../store/blob-store.ts";
import { unreachable } from "../contents/blobs.ts";
import { addJob } from "../jobs.ts";
import { defaultBucketLimits, type BucketLimits } from "../limits.ts";
import { factsOf } from "../store/metadata.ts";
import { adoptFiles, dropAdopted, foreignWhiteout, leave, type RebuildParts } from "./outside.ts";
import {
  LOST_PART,
  deletionOf,
  fileOf,
  logsOf,
  versionOf,
  whiteoutOf,
  withoutClashes,
} from "./rows.ts";
import type { FoundLog, FoundPart } from "./rows.ts";
import type { FileRow, Rows, RowsTx, VersionRow, WhiteoutRow } from "../rows.ts";
import { listAll } from "../settle/desk.ts";
import { parseStorageKey, storagePrefix } from "../store/storage-key.ts";
import type { StoredKind } from "../store/storage-key.ts";
import { keepVersion } from "../versions.ts";

/** What the store turned out to hold. */
type Found = {
  readonly files: readonly FileRow[];
  readonly logs: readonly FoundLog[];
  readonly whiteouts: readonly WhiteoutRow[];
  readonly versions: readonly VersionRow[];
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
 * (`fetch.ts`). Objects that other hands put there are taken in as `outside`; what no bucket could hold is
 * left and logged. A bucket that is not empty any more stays as it is. Whether anything was found: if not, nothing is
 * written, and `recordBirth` is the caller's. Throws `CarrelError('overloaded')` when the store fails, and when there is
 * more from other hands than one call can look at; the same call again goes on, and until it is done the bucket is empty.
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
  const found: Found = {
    ...(await filesOf(parts, files, segments)),
    whiteouts: whiteouts.flatMap(
      ({ key, metadata }) =>
        whiteoutOf(parts.bucket, key, metadata) ?? foreignWhiteout(parts, key) ?? [],
    ),
    versions: versions.flatMap(
      ({ key, metadata }) =>
        versionOf(parts.bucket, key, metadata) ??
        leave(parts, key, "it is not a version that Carrel wrote") ??
        [],
    ),
  };
  if (Object.values(found).every((rowsOfKind) => rowsOfKind.length === 0)) return false;
  rows.commit("rebuild", (tx) => {
    if (needsRebuild(rows)) write(tx, found, clock.now(), parts.limits ?? defaultBucketLimits);
  });
  return true;
}

/** Files and logs, but for those that cannot be beside newer ones; and deletions that were cut off, to be ended. */
async function filesOf(
  parts: RebuildParts,
  listed: ListPage["entries"],
  segments: ListPage["entries"],
): Promise<Pick<Found, "files" | "logs">> {
  const { bucket, log } = parts;
  const ours: FileRow[] = [];
  const deletions: FileRow[] = [];
  const foreign: ListEntry[] = [];
  for (const entry of listed) {
    const file = fileOf(bucket, entry.key, entry.metadata);
    const deletion = deletionOf(bucket, entry.key, entry.metadata);
    if (file) ours.push(file);
    else if (deletion) deletions.push(deletion);
    else foreign.push(entry);
  }
  const gone = new Map(deletions.map(({ path, version }) => [path, version]));
  const logs = logsOf(partsOf(parts, segments), gone);
  const files = [...(await withBlobs(parts, ours)), ...(await adoptFiles(parts, foreign))];
  const all = [...files.map((file) => ({ file, segments: [] })), ...logs];
  const kept = withoutClashes(all, ({ path }) =>
    leave(parts, path, "a newer file or directory has its name"),
  );
  for (const { file, segments: sealed } of kept)
    for (const { sha256, number } of sealed)
      if (sha256 === LOST_PART)
        log("error", "workspace.damaged", { path: file.path, part: number, error: "missing" });
  const isLog = ({ file }: FoundLog) => file.type === "log";
  const there = new Set(kept.map(({ file }) => file.path));
  return {
    files: [
      ...kept.filter((it) => !isLog(it)).map(({ file }) => file),
      ...deletions.filter(({ path }) => !there.has(path)),
    ],
    logs: kept.filter(isLog),
  };
}

/** Where only `files/` was copied a blob is not where it is read: it counts as dirty, and settling it puts it there. */
async function withBlobs(
  parts: RebuildParts,
  files: readonly FileRow[],
): Promise<readonly FileRow[]> {
  if (!files.some(({ type }) => type === "blob")) return files;
  const listed = await list(parts, "blobs");
  const stored = listed.map(({ key }) => parseStorageKey(parts.bucket, key));
  const digests = new Set(stored.map((it) => (it?.kind === "blobs" ? it.sha256 : null)));
  const isThere = ({ type, sha256 }: FileRow) => type !== "blob" || digests.has(sha256);
  return files.map((file) => (isThere(file) ? file : { ...file, dirty: parts.clock.now() }));
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
  for (const row of versions) keepVersion(tx, row, limits);
  for (const { file, segments } of logs) {
    tx.putFile({ ...file, body: tx.newBody("") });
    for (const { path, number, size, lines, sha256 } of segments)
      tx.sql.run("INSERT INTO segment VALUES (?, ?, ?, ?, ?)", path, number, size, lines, sha256);
  }
  if (files.some(({ type }) => type === "text")) addJob(tx.sql, "fetch", now);
  if (files.some(({ dirty }) => dirty !== null)) addJob(tx.sql, "settle", now);
  dropAdopted(tx);
  recordBirth(tx);
}
