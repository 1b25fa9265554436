import type { R2Bucket, R2Conditional, R2Object } from "@cloudflare/workers-types";
import { StoreBusyError, StoredTooLargeError, assertStorable, storeLimits } from "./blob-store.ts";
import type { BlobStore, PutOptions } from "./blob-store.ts";
import type { StorageKey } from "./storage-key.ts";

/** Keys that one call of R2 deletes. */
const BATCH = 1_000;

/**
 * The store in an R2 bucket: all that `BlobStore` promises, from everywhere at once
 * (https://developers.cloudflare.com/r2/reference/consistency/). The tag is R2's etag, a digest of the bytes.
 */
export function createR2Store(
  bucket: Pick<R2Bucket, "get" | "put" | "delete" | "list">,
): BlobStore {
  return {
    async get(key) {
      const object = await refusals(bucket.get(key));
      if (!object) return null;
      if (object.size > storeLimits.valueBytes) {
        await object.body.cancel();
        throw new StoredTooLargeError(object.etag);
      }
      const bytes = new Uint8Array(await refusals(object.arrayBuffer()));
      return { bytes, metadata: object.customMetadata ?? {}, tag: object.etag };
    },

    async put(key, bytes, { metadata = {}, onlyIf } = {}) {
      assertStorable(key, bytes, metadata);
      const options = { customMetadata: { ...metadata } };
      if (!onlyIf) {
        const object = await refusals(bucket.put(key, bytes, options));
        // The types exclude it; a platform that answers nothing has stored nothing.
        if ((object as R2Object | null) === null) throw new Error(`R2 did not store ${key}`);
        return { kind: "stored", tag: object.etag };
      }
      const object = await refusals(
        bucket.put(key, bytes, { ...options, onlyIf: conditionOf(onlyIf) }),
      );
      return object ? { kind: "stored", tag: object.etag } : { kind: "conflict" };
    },

    async delete(keys) {
      for (let from = 0; from < keys.length; from += BATCH)
        await refusals(bucket.delete(keys.slice(from, from + BATCH)));
    },

    async list(prefix, cursor = null, limit = BATCH) {
      const page = await refusals(
        bucket.list({
          prefix,
          limit,
          include: ["customMetadata"],
          ...(cursor !== null && { cursor }),
        }),
      );
      const entries = page.objects.map((object) => ({
        key: object.key as StorageKey,
        metadata: object.customMetadata ?? {},
        size: object.size,
      }));
      return { entries, cursor: page.truncated ? page.cursor : null };
    },
  };
}

const conditionOf = (onlyIf: NonNullable<PutOptions["onlyIf"]>): R2Conditional =>
  onlyIf === "absent" ? { etagDoesNotMatch: "*" } : { etagMatches: onlyIf.tag };

/**
 * R2 says why at the end of its message, and 10058 is HTTP 429
 * (https://developers.cloudflare.com/r2/api/error-codes/).
 */
async function refusals<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && error.message.endsWith("(10058)"))
      throw new StoreBusyError(1_000, { cause: error });
    throw error;
  }
}
