import type { BucketKey } from "../../shared/bucket-key.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Log } from "../../shared/log.ts";
import type { BlobStore } from "../store/blob-store.ts";
import { addJob, backoff, createJob, jobOf, setJob, type BucketJob } from "../jobs.ts";
import { dropStale } from "../import/staging.ts";
import { forgetOps } from "../change/ops.ts";
import type { Rows, RowsTx, VersionRow } from "../rows.ts";
import { openNumber } from "../contents/segments.ts";
import { deleteKeys } from "./desk.ts";
import { parseStorageKey, storageKey, storagePrefix } from "../store/storage-key.ts";
import type { StorageKey, Stored } from "../store/storage-key.ts";
import { LATE_MS, clearUnsure, forgetOutdated, markOutdated, markUnsure } from "./unsure.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A bucket that changed is swept so long after, once. */
export const SWEEP_EVERY_MS = 30 * DAY_MS;
/** Longer than an import may wait to be committed, whose blobs nothing refers to until then. */
const ORPHAN_AGE_MS = 25 * HOUR_MS;
const OP_AGE_MS = 7 * DAY_MS;
const STAGED_AGE_MS = DAY_MS;
/** Keys deleted in one call. */
const BATCH = 100;

export type Sweeper = BucketJob & {
  /** To be called in the commit that stages a page of an import, so that one that is forgotten goes within days. */
  readonly markStaged: (tx: Pick<RowsTx, "sql">) => void;
  /** To be called in the commit that drops an earlier version for good: the store's copy goes within minutes. */
  readonly markPurged: (
    tx: Pick<RowsTx, "sql">,
    version: Pick<VersionRow, "path" | "version">,
  ) => void;
};

export type SweeperParts = {
  readonly rows: Rows;
  /** Without retries of its own. */
  readonly store: BlobStore;
  readonly bucket: BucketKey;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Deletes blobs, versions and parts of logs that nothing refers to, once they have been seen so for a day, and forgets
 * operations after a week and imports that were not committed within a day. Runs a month after a change, and again
 * until there is nothing left to do.
 */
export function createSweeper(parts: SweeperParts): Sweeper {
  const { rows, clock } = parts;

  const pass = async (): Promise<void> => {
    const { attempts } = jobOf(rows.sql, "sweep") ?? { attempts: 0 };
    rows.commit("sweep-job", (tx) => {
      const now = clock.now();
      setJob(tx.sql, "sweep", now + backoff(attempts + 1), attempts + 1);
      forgetOps(tx, now - OP_AGE_MS);
      dropStale(tx, now - STAGED_AGE_MS);
      forgetOutdated(tx.sql, now);
    });
    for (const kind of ["blobs", "versions", "segments"] as const) await find(parts, kind);
    while (await removeSome(parts));
    rows.commit("sweep-job", ({ sql }) => setJob(sql, "sweep", nextSweep(sql, clock.now()), 0));
  };

  return {
    ...createJob(parts, "sweep", pass),
    markStaged({ sql }) {
      const due = clock.now() + STAGED_AGE_MS;
      addJob(sql, "sweep", due);
      sql.run("UPDATE job SET due = ?1 WHERE id = 'sweep' AND due > ?1", due);
    },
    markPurged({ sql }, { path, version }) {
      const key = storageKey(parts.bucket, { kind: "versions", path, number: version });
      const now = clock.now();
      sql.run("INSERT OR REPLACE INTO orphan VALUES (?, ?)", key, now - ORPHAN_AGE_MS);
      // Not before a put that is under way can have ended, in either way.
      addJob(sql, "sweep", now + 2 * LATE_MS);
    },
  };
}

function nextSweep(sql: Rows["sql"], now: number): number | null {
  const first = (query: string) => sql.all<{ at: number | null }>(query)[0]?.at ?? null;
  const orphan = first("SELECT min(seen) AS at FROM orphan");
  const staged = first("SELECT min(at) AS at FROM staged");
  const op = first("SELECT min(at) AS at FROM op");
  const dues = [
    ...(orphan === null ? [] : [orphan + ORPHAN_AGE_MS]),
    ...(staged === null ? [] : [staged + STAGED_AGE_MS + 1]),
    ...(op === null ? [] : [now + SWEEP_EVERY_MS]),
  ];
  return dues.length === 0 ? null : Math.max(now + LATE_MS, Math.min(...dues));
}

/** Writes down what nothing refers to, with when that was first seen; and forgets what is referred to again. */
async function find(parts: SweeperParts, kind: "blobs" | "versions" | "segments"): Promise<void> {
  const { rows, store, bucket, clock } = parts;
  let cursor: string | null = null;
  do {
    const page = await store.list(storagePrefix(bucket, kind), cursor);
    const isReferred = references(parts);
    rows.commit("sweep", ({ sql }) => {
      for (const { key } of page.entries) {
        const stored = parseStorageKey(bucket, key);
        if (stored === null || isReferred(stored)) sql.run("DELETE FROM orphan WHERE key = ?", key);
        else sql.run("INSERT INTO orphan VALUES (?, ?) ON CONFLICT DO NOTHING", key, clock.now());
      }
    });
    ({ cursor } = page);
  } while (cursor !== null);
}

/**
 * Deletes some of what is old enough; whether there may be more. That a delete is under way is written down first, so
 * that nothing is put under its key until it cannot act any more.
 */
async function removeSome(parts: SweeperParts): Promise<boolean> {
  const { rows, bucket, clock } = parts;
  const keys: StorageKey[] = [];
  const isReferred = references(parts);
  const old = rows.sql.all<{ key: StorageKey }>(
    `SELECT key FROM orphan WHERE seen <= ? AND key NOT IN (SELECT key FROM unsure)
     ORDER BY key LIMIT ?`,
    clock.now() - ORPHAN_AGE_MS,
    BATCH,
  );
  if (old.length === 0) return false;
  rows.commit("sweep", ({ sql }) => {
    for (const { key } of old) {
      const stored = parseStorageKey(bucket, key);
      if (stored === null || isReferred(stored)) sql.run("DELETE FROM orphan WHERE key = ?", key);
      else {
        keys.push(key);
        markUnsure(sql, key, clock.now(), "delete");
      }
    }
    if (keys.length > 0) addJob(sql, "settle", clock.now() + LATE_MS);
  });
  if (keys.length > 0) await deleteKeys(parts, keys);
  rows.commit("sweep", ({ sql }) => {
    for (const key of keys) {
      sql.run("DELETE FROM orphan WHERE key = ?", key);
      clearUnsure(sql, key, Infinity);
      markOutdated(sql, key, clock.now());
    }
  });
  return true;
}

/** Tells whether something refers to a stored thing. Holds until the next await. */
function references({ rows }: SweeperParts): (stored: Stored) => boolean {
  const { sql, files } = rows;
  const named = sql.all<{ sha256: string }>(
    `SELECT sha256 FROM version WHERE type = 'blob' UNION
     SELECT json_extract(substr(body, 1, instr(body, char(10)) - 1), '$.sha256') FROM staged`,
  );
  const blobs = new Set(named.map(({ sha256 }) => sha256));
  for (const { type, sha256 } of files.values())
    if (type === "blob" && sha256 !== null) blobs.add(sha256);
  return (stored) => {
    if (stored.kind === "blobs") return blobs.has(stored.sha256);
    if (!("number" in stored)) return true;
    const { path, number } = stored;
    if (stored.kind === "versions")
      return (
        sql.all("SELECT 1 FROM version WHERE path = ? AND version = ?", path, number).length > 0
      );
    return files.get(path)?.type === "log" && number <= openNumber(sql, path);
  };
}
