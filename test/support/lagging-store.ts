import type { BlobStore, ListEntry, StoredBlob } from "../../src/workspace/store/blob-store.ts";
import type { StorageKey } from "../../src/workspace/store/storage-key.ts";
import { createMemoryStore } from "./memory-store.ts";

const LAG_MS = 60_000;

/**
 * As far behind as KV may be: a get gives for a minute what a get before it gave, conditions are checked by such gets,
 * and a list shows what was there a minute ago.
 */
export function laggingStore(clock: { readonly now: () => number }): BlobStore {
  const inner = createMemoryStore();
  const seen = new Map<StorageKey, { readonly until: number; readonly blob: StoredBlob | null }>();
  const lists: { readonly at: number; readonly entries: readonly ListEntry[] }[] = [];
  const note = async () =>
    void lists.push({ at: clock.now(), entries: (await inner.list("")).entries });
  const get: BlobStore["get"] = async (key) => {
    const known = seen.get(key);
    const isKnown = known !== undefined && known.until > clock.now();
    const blob = isKnown ? known.blob : await inner.get(key);
    if (!isKnown) seen.set(key, { until: clock.now() + LAG_MS, blob });
    return blob && { ...blob, bytes: blob.bytes.slice() };
  };
  return {
    get,
    async put(key, bytes, { metadata = {}, onlyIf } = {}) {
      const found = onlyIf ? await get(key) : null;
      const holds = onlyIf === "absent" ? !found : !onlyIf || found?.tag === onlyIf.tag;
      if (!holds) return { kind: "conflict" };
      const outcome = await inner.put(key, bytes, { metadata });
      await note();
      return outcome;
    },
    async delete(keys) {
      await inner.delete(keys);
      await note();
    },
    async list(prefix) {
      await Promise.resolve();
      const shown = lists.findLast(({ at }) => at <= clock.now() - LAG_MS)?.entries ?? [];
      return { entries: shown.filter(({ key }) => key.startsWith(prefix)), cursor: null };
    },
  };
}
