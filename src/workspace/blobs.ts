import type { BucketKey } from "../shared/bucket-key.ts";
import { CarrelError } from "../shared/errors.ts";
import { sha256Hex } from "../shared/sha256.ts";
import type { BlobStore, StoredBlob } from "./blob-store.ts";
import type { Rows } from "./rows.ts";
import { storageKey } from "./storage-key.ts";
import type { StorageKey } from "./storage-key.ts";
import { deleteUntil } from "./unsure.ts";

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
 * Puts bytes under their digest and gives it. Nothing happens when they are there. They are safe from the sweep for a
 * day, in which a row must come to refer to them; while the sweep removes the same bytes this throws
 * `CarrelError('overloaded')`.
 */
export async function putBlob(
  { sql }: Pick<Rows, "sql">,
  store: Pick<BlobStore, "put">,
  bucket: BucketKey,
  bytes: Uint8Array,
): Promise<string> {
  const sha256 = await sha256Hex(bytes);
  const key = storageKey(bucket, { kind: "blobs", sha256 });
  if (deleteUntil(sql, key) !== null)
    throw new CarrelError("overloaded", "This file is being cleared away. Try again in a minute.");
  sql.run("DELETE FROM orphan WHERE key = ?", key);
  try {
    await store.put(key, bytes, { onlyIf: "absent" });
  } catch (error) {
    throw unreachable(error);
  }
  return sha256;
}
