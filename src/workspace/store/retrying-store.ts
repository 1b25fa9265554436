import type { Clock } from "../../shared/clock.ts";
import { StoreBusyError, StoredTooLargeError } from "./blob-store.ts";
import type { BlobStore, Metadata, PutOptions, StoredBlob } from "./blob-store.ts";

const FIRST_WAIT_MS = 100;

/**
 * The same store, patient: a call that fails is made up to `tries` times, with waits of 100 ms, 300 ms, 900 ms …
 * between, or as long as a busy store asks for; then its last error is thrown. Misuse (`RangeError`) and what
 * is too large are thrown at once. A put whose reply was lost and that then meets its own bytes and metadata is `stored`, not a `conflict`.
 */
export function withRetries(store: BlobStore, clock: Clock, tries = 5): BlobStore {
  const persist = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call();
      } catch (error) {
        if (attempt >= tries || isFinal(error)) throw error;
        const asked = error instanceof StoreBusyError ? error.retryAfterMs : 0;
        await clock.sleep(Math.max(asked, FIRST_WAIT_MS * 3 ** (attempt - 1)));
      }
    }
  };

  return {
    get: (key) => persist(() => store.get(key)),
    delete: (keys) => persist(() => store.delete(keys)),
    list: (prefix, cursor, limit) => persist(() => store.list(prefix, cursor, limit)),

    async put(key, bytes, options = {}) {
      let isUnsure = false;
      const outcome = await persist(async () => {
        try {
          return await store.put(key, bytes, options);
        } catch (error) {
          isUnsure ||= !(error instanceof StoreBusyError);
          throw error;
        }
      });
      if (outcome.kind === "stored" || !isUnsure) return outcome;
      const found = await persist(() => store.get(key));
      return found && isSame(found, bytes, options) ? { kind: "stored", tag: found.tag } : outcome;
    },
  };
}

const isFinal = (error: unknown): boolean =>
  error instanceof RangeError || error instanceof StoredTooLargeError;

const isSame = (found: StoredBlob, bytes: Uint8Array, { metadata = {} }: PutOptions): boolean =>
  found.bytes.length === bytes.length &&
  found.bytes.every((byte, at) => byte === bytes[at]) &&
  spell(found.metadata) === spell(metadata);

const spell = (metadata: Metadata): string =>
  JSON.stringify(
    Object.keys(metadata)
      .toSorted()
      .map((name) => [name, metadata[name]]),
  );
