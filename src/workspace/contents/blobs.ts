import type { BucketKey } from "../../shared/bucket-key.ts";
import { CarrelError } from "../../shared/errors.ts";
import { sha256Hex } from "../../shared/sha256.ts";
import { StoredTooLargeError } from "../store/blob-store.ts";
import type { BlobStore, StoredBlob } from "../store/blob-store.ts";
import type { Rows } from "../rows.ts";
import { storageKey } from "../store/storage-key.ts";
import type { StorageKey } from "../store/storage-key.ts";
import { deleteUntil, isOutdated } from "../settle/unsure.ts";

/** What is thrown when the store fails: an expected error as it is, anything else as `overloaded` with its cause. */
export function unreachable(error: unknown): unknown {
  if (error instanceof CarrelError || error instanceof RangeError) return error;
  return new CarrelError(
    "overloaded",
    "The file store cannot be reached. Nothing was changed or lost; try again in a few seconds.",
    { cause: error },
  );
}

/** A stored value; `null` when there is none. Throws `CarrelError('overloaded')` when the store fails. */
export async function fetchStored(
  store: Pick<BlobStore, "get">,
  key: StorageKey,
): Promise<StoredBlob | null> {
  try {
    return await store.get(key);
  } catch (error) {
    throw unreachable(error);
  }
}

/** What is under a key; `bytes` is `null` where they are too many, so that it is the work of other hands. */
export type Met = Omit<StoredBlob, "bytes"> & { readonly bytes: Uint8Array | null };

/** What is under a key; `null` when nothing is. */
export async function meetKey(store: Pick<BlobStore, "get">, key: StorageKey): Promise<Met | null> {
  try {
    return await store.get(key);
  } catch (error) {
    if (error instanceof StoredTooLargeError) return { bytes: null, metadata: {}, tag: error.tag };
    throw error;
  }
}

/** A stored value with this digest. One that is missing or has other bytes throws a plain `Error`. */
export async function fetchChecked(
  store: Pick<BlobStore, "get">,
  key: StorageKey,
  sha256: string | null,
): Promise<StoredBlob> {
  const found = await fetchStored(store, key);
  if (!found) throw new Error(`the store has lost ${key}`);
  if ((await sha256Hex(found.bytes)) !== sha256)
    throw new Error(`the store has other bytes than were written at ${key}`);
  return found;
}

/** The text that these bytes are, byte order mark included; `null` when they are no UTF-8. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/**
 * Puts bytes under their digest and gives it. Nothing happens when they are there, whole. They are safe from the sweep for a
 * day, in which a row must come to refer to them; while the sweep removes the same bytes this throws
 * `CarrelError('overloaded')`.
 */
export async function putBlob(
  { sql }: Pick<Rows, "sql">,
  store: Pick<BlobStore, "get" | "put">,
  bucket: BucketKey,
  bytes: Uint8Array,
): Promise<string> {
  const sha256 = await sha256Hex(bytes);
  const key = storageKey(bucket, { kind: "blobs", sha256 });
  if (deleteUntil(sql, key) !== null)
    throw new CarrelError("overloaded", "This file is being cleared away. Try again in a minute.");
  sql.run("DELETE FROM orphan WHERE key = ?", key);
  try {
    // A store that is read from elsewhere may still show what was deleted.
    const isKnown = !isOutdated(sql, key);
    const outcome = await store.put(key, bytes, isKnown ? { onlyIf: "absent" } : {});
    if (outcome.kind === "conflict" && !(await isWhole(store, key, sha256)))
      await store.put(key, bytes);
  } catch (error) {
    throw unreachable(error);
  }
  return sha256;
}

async function isWhole(
  store: Pick<BlobStore, "get">,
  key: StorageKey,
  sha256: string,
): Promise<boolean> {
  const found = await meetKey(store, key);
  return found?.bytes ? (await sha256Hex(found.bytes)) === sha256 : false;
}
