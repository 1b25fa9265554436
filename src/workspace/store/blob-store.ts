import { CarrelError } from "../../shared/errors.ts";
import { utf8Length } from "../../shared/text.ts";
import type { StorageKey } from "./storage-key.ts";

/**
 * A few facts beside the bytes, such as a version: names of lower-case letters, digits and `-`, values of
 * printable ASCII, at most 440 bytes as JSON. Bytes that came from outside may have none.
 */
export type Metadata = Readonly<Record<string, string>>;

/** `tag` names what is stored now, for `onlyIf`. On R2 and KV the same bytes give the same tag again. */
export type StoredBlob = {
  readonly bytes: Uint8Array;
  readonly metadata: Metadata;
  readonly tag: string;
};

export type PutOptions = {
  /** Default none. A put replaces all of it. */
  readonly metadata?: Metadata;
  /** Store only if nothing is there, or only over what `tag` names. Default: over anything. */
  readonly onlyIf?: "absent" | { readonly tag: string };
};

/** `conflict`: `onlyIf` did not hold and nothing was changed. Never the answer to a put without a condition. */
export type PutOutcome =
  | { readonly kind: "stored"; readonly tag: string }
  | { readonly kind: "conflict" };

export type ListEntry = {
  readonly key: StorageKey;
  readonly metadata: Metadata;
  /** In bytes. KV does not say. */
  readonly size?: number;
};

export type ListPage = {
  readonly entries: readonly ListEntry[];
  /** Where to go on; `null` on the last page. A page may be short or empty before that. */
  readonly cursor: string | null;
};

/**
 * Where bytes lie under a key: R2, KV, memory, a disk. One contract (`test/contracts/blob-store-contract.ts`).
 *
 * What every store keeps:
 * - A value is whole: its bytes and metadata are those of one put. An array passed in may change once the call has
 *   resolved; one given back belongs to the caller.
 * - A call that resolved can be relied on: a later get or list sees it (on KV only where and when KV does).
 * - Absent is an answer, a failure never is: what cannot be read throws and is not `null`, not empty.
 * - A call that threw `StoreBusyError` changed nothing. Any other failure of a put or delete leaves it unknown
 *   whether it happened, or will yet happen; the same call again is safe. A put under a condition that is
 *   repeated may meet its own first attempt as a conflict (`retrying-store.ts` looks), and one that comes late
 *   cannot undo a newer put, which an unconditional one can.
 * - Calls with a key, metadata or bytes past the limits throw `RangeError` and change nothing.
 *
 * A key takes one write a second; R2 and KV refuse more.
 */
export interface BlobStore {
  /**
   * `null` when there is nothing under `key`. Throws `StoredTooLargeError` for more than 25 MiB, which only other hands
   * can have put there.
   */
  get(key: StorageKey): Promise<StoredBlob | null>;
  /** Stores up to 25 MiB under `key`, in place of what was there. */
  put(key: StorageKey, bytes: Uint8Array, options?: PutOptions): Promise<PutOutcome>;
  /** Any number of keys; those that do not exist are fine. After a failure some may be gone. */
  delete(keys: readonly StorageKey[]): Promise<void>;
  /**
   * A page of what begins with `prefix`, in no promised order, of at most `limit` entries (1 to 1,000, the
   * default). From the first page (no cursor) to the last, each key that was there all along comes once.
   */
  list(prefix: string, cursor?: string | null, limit?: number): Promise<ListPage>;
}

/** The same in every store, so that a bucket can move from one to another. */
export const storeLimits = {
  keyBytes: 1_000,
  metadataBytes: 440,
  valueBytes: 25 * 1024 * 1024,
  pageEntries: 1_000,
} as const;

/** The store refuses for now (HTTP 429), mostly because a key was written twice within a second. */
export class StoreBusyError extends CarrelError {
  override name = "StoreBusyError";
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number, options?: ErrorOptions) {
    super("overloaded", "The file store is busy. Try again in a few seconds.", options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** What is stored under a key is more than 25 MiB, and was not loaded. `tag` as in `StoredBlob`. */
export class StoredTooLargeError extends CarrelError {
  override name = "StoredTooLargeError";
  readonly tag: string;

  constructor(tag: string) {
    super("too_large", "The file in the store is larger than 25 MiB. Store a smaller one.");
    this.tag = tag;
  }
}

const METADATA_NAME = /^[a-z][a-z0-9-]*$/;
const METADATA_VALUE = /^[\x20-\x7e]*$/;

/** Throws `RangeError` for what not every store can keep; each store calls it before a put. */
export function assertStorable(key: StorageKey, bytes: Uint8Array, metadata: Metadata = {}): void {
  if (key === "" || utf8Length(key) > storeLimits.keyBytes)
    throw new RangeError(`a key has 1 to ${storeLimits.keyBytes} bytes`);
  if (bytes.byteLength > storeLimits.valueBytes)
    throw new RangeError(`a value has at most ${storeLimits.valueBytes} bytes`);
  for (const [name, value] of Object.entries(metadata)) {
    if (!METADATA_NAME.test(name) || !METADATA_VALUE.test(value))
      throw new RangeError(`not portable as metadata: ${JSON.stringify(name)}`);
  }
  if (JSON.stringify(metadata).length > storeLimits.metadataBytes)
    throw new RangeError(`metadata has at most ${storeLimits.metadataBytes} bytes as JSON`);
}
