import type { BucketKey } from "../../shared/bucket-key.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Log } from "../../shared/log.ts";
import type { BlobStore } from "../store/blob-store.ts";
import type { Contents } from "../contents/contents.ts";
import type { BucketLimits } from "../limits.ts";
import type { FileRow, Rows, RowsTx } from "../rows.ts";
import { FRESH_MS } from "../settle/unsure.ts";

export type RescanParts = {
  readonly rows: Rows;
  readonly contents: Contents;
  readonly store: BlobStore;
  readonly bucket: BucketKey;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: BucketLimits;
  readonly markDirty: (tx: RowsTx) => void;
};

/** One rescan: what it works with, and what it has found so far. */
export type Scan = Required<RescanParts> & {
  readonly taken: string[];
  readonly removed: string[];
  readonly refuse: (key: string, why: string) => void;
};

/** Whether the store may not show yet what it last confirmed of a row. */
export const isFresh = ({ at, settled }: Pick<FileRow, "at" | "settled">, now: number): boolean =>
  now - Math.max(at, settled ?? at) < FRESH_MS;

export const TOO_FRESH = "It was changed here in the last two minutes. Rescan again then.";
