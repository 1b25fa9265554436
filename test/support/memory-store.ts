import { assertStorable, storeLimits } from "../../src/workspace/store/blob-store.ts";
import type { BlobStore, PutOptions, StoredBlob } from "../../src/workspace/store/blob-store.ts";
import type { StorageKey } from "../../src/workspace/store/storage-key.ts";

/** A store that lives as long as this object; its tags are never given twice. */
export function createMemoryStore(): BlobStore {
  const blobs = new Map<StorageKey, StoredBlob>();
  let puts = 0;

  const holds = (key: StorageKey, onlyIf: PutOptions["onlyIf"]): boolean => {
    if (onlyIf === undefined) return true;
    return onlyIf === "absent" ? !blobs.has(key) : blobs.get(key)?.tag === onlyIf.tag;
  };

  return {
    async get(key) {
      await Promise.resolve();
      const blob = blobs.get(key);
      return blob ? { ...blob, bytes: blob.bytes.slice() } : null;
    },

    async put(key, bytes, { metadata = {}, onlyIf } = {}) {
      await Promise.resolve();
      assertStorable(key, bytes, metadata);
      if (!holds(key, onlyIf)) return { kind: "conflict" };
      puts += 1;
      const tag = String(puts);
      blobs.set(key, { bytes: bytes.slice(), metadata: { ...metadata }, tag });
      return { kind: "stored", tag };
    },

    async delete(keys) {
      await Promise.resolve();
      for (const key of keys) blobs.delete(key);
    },

    async list(prefix, cursor = null, limit = storeLimits.pageEntries) {
      await Promise.resolve();
      const rest = [...blobs]
        .map(([key, { bytes, metadata }]) => ({ key, metadata, size: bytes.length }))
        .filter(({ key }) => key.startsWith(prefix) && (cursor === null || key > cursor))
        .toSorted((a, b) => (a.key < b.key ? -1 : 1));
      const entries = rest.slice(0, limit);
      return { entries, cursor: rest.length > limit ? (entries.at(-1)?.key ?? null) : null };
    },
  };
}
