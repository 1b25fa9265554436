import { parseBucketKey, type BucketKey } from "../shared/bucket-key.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { backoff, createJob, jobOf, setJob, type BucketJob } from "./jobs.ts";
import type { Rows } from "./rows.ts";
import { FRESH_MS, LATE_MS } from "./settle/unsure.ts";
import type { BlobStore } from "./store/blob-store.ts";
import { storagePrefix } from "./store/storage-key.ts";

/** Deletes a bucket. As a job it goes on, with backoff, until the store holds nothing of it. */
export type Eraser = BucketJob & {
  /** Marks the bucket as erased and deletes what the store has of it. Whether nothing was left. Safe to repeat. */
  readonly erase: () => Promise<boolean>;
};

export type EraserParts = {
  readonly rows: Rows;
  /** Without retries of its own. */
  readonly store: BlobStore;
  readonly bucket: BucketKey;
  readonly clock: Clock;
  readonly log: Log;
  /** Makes the registry forget the bucket; resolves when it has. */
  readonly unregister: () => Promise<void>;
};

/**
 * The job's attempts are 0 when all that was found in the store is deleted. What was under way to the store then may
 * still come, and a store that is read from elsewhere (KV) may not show it yet: it is over when nothing was found after
 * that.
 */
export function createEraser(parts: EraserParts): Eraser {
  const { rows, clock } = parts;

  const pass = async (): Promise<void> => {
    const began = clock.now();
    const { attempts } = jobOf(rows.sql, "erase") ?? { attempts: 0 };
    rows.commit("erase", ({ sql }) =>
      setJob(sql, "erase", began + backoff(attempts + 1), attempts + 1),
    );
    const found = await deleteAll(parts);
    await parts.unregister();
    const isOver = found === 0 && began >= (rows.erasedAt ?? began) + FRESH_MS;
    rows.commit("erase", ({ sql }) =>
      setJob(sql, "erase", isOver ? null : clock.now() + LATE_MS, 0),
    );
  };

  const job = createJob(parts, "erase", pass);
  return {
    ...job,
    async erase() {
      const now = clock.now();
      const waiting = jobOf(rows.sql, "erase");
      if (rows.erasedAt === null) rows.erase(now, (sql) => setJob(sql, "erase", now, 0));
      else if (waiting)
        rows.commit("erase", ({ sql }) => setJob(sql, "erase", now, waiting.attempts));
      await job.run();
      return (jobOf(rows.sql, "erase")?.attempts ?? 0) === 0;
    },
  };
}

/** How many keys there were. */
async function deleteAll({ store, bucket }: EraserParts): Promise<number> {
  let found = 0;
  for (const prefix of prefixesOf(bucket)) {
    for (let cursor: string | null = null; ;) {
      const page = await store.list(prefix, cursor);
      const keys = page.entries.map(({ key }) => key);
      if (keys.length > 0) await store.delete(keys);
      found += keys.length;
      if (page.cursor === null) break;
      ({ cursor } = page);
    }
  }
  return found;
}

/** All that is a bucket's, also what other hands put there; the buckets of a user's sessions lie below the user's. */
function prefixesOf(bucket: BucketKey): readonly string[] {
  if (parseBucketKey(bucket).scope !== "USER") return [bucket];
  const kinds = ["files", "whiteouts", "versions", "segments", "blobs"] as const;
  return kinds.map((kind) => storagePrefix(bucket, kind));
}
