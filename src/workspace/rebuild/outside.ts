import type { BucketKey } from "../../shared/bucket-key.ts";
import type { Clock } from "../../shared/clock.ts";
import { CarrelError } from "../../shared/errors.ts";
import { errorFacts, type Log } from "../../shared/log.ts";
import { sha256Hex } from "../../shared/sha256.ts";
import { storeLimits, type BlobStore, type ListEntry } from "../store/blob-store.ts";
import { meetKey, unreachable } from "../contents/blobs.ts";
import { isLog, pieceOf } from "../change/content.ts";
import type { Contents } from "../contents/contents.ts";
import { defaultBucketLimits, type BucketLimits } from "../limits.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { isHideable } from "../layers/path-rules.ts";
import type { FileRow, Rows, RowsTx, WhiteoutRow } from "../rows.ts";
import { OUTSIDE } from "../settle/outside.ts";
import { parseStorageKey } from "../store/storage-key.ts";
import type { StorageKey } from "../store/storage-key.ts";

export type RebuildParts = {
  readonly rows: Rows;
  readonly contents: Pick<Contents, "putBlob">;
  readonly store: BlobStore;
  readonly bucket: BucketKey;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: BucketLimits;
};

/** Files looked at in one call: each may be a get and the put of a blob, and the platform allows 1,000 calls. */
const MOST = 250;
/** Small ones are looked at together, of which nobody loses sight for their size. */
const SMALL_BYTES = 1024 * 1024;
const AT_ONCE = 6;

/**
 * Looks at files that other hands put into the store. Their texts stay there; version 0 stands for a new one. Where
 * there are more than 250, it keeps those it has come to and throws `CarrelError('overloaded')`: the next call goes on.
 */
export async function adoptFiles(
  parts: RebuildParts,
  entries: readonly ListEntry[],
): Promise<FileRow[]> {
  const { rows } = parts;
  const known = adopted(rows);
  const found = new Map<StorageKey, FileRow | null>();
  const rest = entries.filter(({ key }) => !known.has(key));
  const isSmall = ({ size = Infinity }: ListEntry) => size <= SMALL_BYTES;
  const look = async (entry: ListEntry) =>
    void found.set(entry.key, await foreignFile(parts, entry));
  const batch = rest.slice(0, MOST);
  try {
    const small = batch.filter(isSmall);
    for (let from = 0; from < small.length; from += AT_ONCE)
      await Promise.all(small.slice(from, from + AT_ONCE).map(look));
    for (const entry of batch) if (!isSmall(entry)) await look(entry);
    if (rest.length > MOST)
      throw new CarrelError(
        "overloaded",
        `Files are being taken in from the store: ${known.size + batch.length} of ${entries.length} so far. Try again in a moment.`,
      );
  } catch (error) {
    if (found.size > 0) rows.commit("adopt", (tx) => keepAdopted(tx, found));
    throw error;
  }
  for (const [key, file] of found) known.set(key, file);
  return entries.flatMap(({ key }) => known.get(key) ?? []);
}

/** Forgets what `adoptFiles` has kept, in the commit that makes it rows. */
export const dropAdopted = ({ sql }: Pick<RowsTx, "sql">): void => {
  sql.run("DELETE FROM adopted");
};

/** By key: `null` for what is left where it is. */
function adopted({ sql }: Pick<Rows, "sql">): Map<StorageKey, FileRow | null> {
  type Row = { readonly key: StorageKey; readonly file: string };
  const kept = sql.all<Row>("SELECT key, file FROM adopted");
  return new Map(kept.map(({ key, file }) => [key, JSON.parse(file) as FileRow | null]));
}

function keepAdopted({ sql }: RowsTx, found: ReadonlyMap<StorageKey, FileRow | null>): void {
  for (const [key, file] of found)
    sql.run("INSERT OR REPLACE INTO adopted VALUES (?, ?)", key, JSON.stringify(file));
}

/** A file without our metadata; `null` for what no bucket could hold. */
async function foreignFile(
  parts: RebuildParts,
  { key, size = 0 }: ListEntry,
): Promise<FileRow | null> {
  const { store, bucket, contents, clock } = parts;
  const stored = parseStorageKey(bucket, key);
  if (stored?.kind !== "files") return leave(parts, key, "its name is not spelled as Carrel does");
  const { path } = stored;
  if (isLog(path)) return leave(parts, key, "logs are kept in parts");
  if (size > storeLimits.valueBytes) return leave(parts, key, "it is larger than 25 MiB");
  const found = await meet(store, key);
  if (!found) return null;
  if (!found.bytes) return leave(parts, key, "it is larger than 25 MiB");
  const piece = pieceWithin(parts, key, path, found.bytes);
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
    settled: null,
  };
}

async function meet(store: BlobStore, key: StorageKey) {
  try {
    return await meetKey(store, key);
  } catch (error) {
    throw unreachable(error);
  }
}

function pieceWithin(parts: RebuildParts, key: StorageKey, path: WorkspacePath, bytes: Uint8Array) {
  try {
    return pieceOf(path, { bytes }, parts.limits ?? defaultBucketLimits);
  } catch (error) {
    if (error instanceof CarrelError) return leave(parts, key, error.message);
    throw error;
  }
}

/** A whiteout without our metadata, whose version is not known yet; `null` for what names no unit. */
export function foreignWhiteout(parts: RebuildParts, key: StorageKey): WhiteoutRow | null {
  const stored = parseStorageKey(parts.bucket, key);
  if (stored?.kind !== "whiteouts" || !isHideable(stored.path))
    return leave(parts, key, "it names nothing that can be hidden");
  const at = parts.clock.now();
  const where = { present: true, dirty: null, settled: null };
  return { path: stored.path, version: 0, at, author: OUTSIDE, ...where };
}

/** Says that something stays where it is. */
export function leave({ log }: Pick<RebuildParts, "log">, key: string, why: string): null {
  log("warn", "workspace.left_outside", { key, ...errorFacts(new Error(why)) });
  return null;
}
