import type { BucketKey } from "../../shared/bucket-key.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Log } from "../../shared/log.ts";
import type { BlobStore, ListPage, PutOptions, PutOutcome } from "../store/blob-store.ts";
import type { Contents } from "../contents/contents.ts";
import type { BucketLimits } from "../limits.ts";
import { metadataOf } from "../store/metadata.ts";
import type { StoredFacts } from "../store/metadata.ts";
import type { Rows } from "../rows.ts";
import type { StorageKey } from "../store/storage-key.ts";
import { leavesUnsure, markUnsure } from "./unsure.ts";

/** What it takes to settle one thing. */
export type Desk = {
  readonly rows: Rows;
  readonly contents: Contents;
  /** Without retries of its own: a call that failed must be known to have failed. */
  readonly store: BlobStore;
  readonly bucket: BucketKey;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: BucketLimits;
  /** Whether a call for what is dirty since then may be under way from before the object woke. */
  readonly mayBeUnderWay: (dirty: number | null) => boolean;
};

/** When to go on with what could not be settled now; `null` when there is nothing more to do. */
export type Again = number | null;

/** A key takes one write a second. */
export const WRITE_GAP_MS = 1_000;

/** Puts under a condition; when the outcome stays unknown, that is written down and the error thrown on. */
export async function putKey(
  { rows, store, clock }: Desk,
  key: StorageKey,
  bytes: Uint8Array,
  facts: StoredFacts,
  onlyIf: NonNullable<PutOptions["onlyIf"]>,
): Promise<PutOutcome> {
  try {
    return await store.put(key, bytes, { metadata: metadataOf(facts), onlyIf });
  } catch (error) {
    if (leavesUnsure(error))
      rows.commit("unsure", ({ sql }) => markUnsure(sql, key, clock.now(), "put"));
    throw error;
  }
}

/** Deletes; when the outcome stays unknown, that is written down and the error thrown on. */
export async function deleteKeys(
  { rows, store, clock }: Pick<Desk, "rows" | "store" | "clock">,
  keys: readonly StorageKey[],
): Promise<void> {
  try {
    await store.delete(keys);
  } catch (error) {
    if (leavesUnsure(error))
      rows.commit("unsure", ({ sql }) => {
        for (const key of keys) markUnsure(sql, key, clock.now(), "delete");
      });
    throw error;
  }
}

/** Everything that begins with `prefix`. */
export async function listAll(
  store: Pick<BlobStore, "list">,
  prefix: string,
): Promise<ListPage["entries"]> {
  const entries: ListPage["entries"][number][] = [];
  let cursor: string | null = null;
  do {
    const page = await store.list(prefix, cursor);
    entries.push(...page.entries);
    ({ cursor } = page);
  } while (cursor !== null);
  return entries;
}
