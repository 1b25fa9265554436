import type { Clock } from "../../src/shared/clock.ts";
import type { Content } from "../../src/shared/workspace-files.ts";
import type { BlobStore } from "../../src/workspace/store/blob-store.ts";
import type { BucketJob } from "../../src/workspace/jobs.ts";
import { versionRows } from "../../src/workspace/versions.ts";
import { bucketParts, type BucketOf, type BucketParts } from "./bucket-parts.ts";

/** A bucket to be settled and rebuilt. */
export type SettledBucket = BucketParts & {
  readonly write: (path: string, content: string | Uint8Array) => Promise<unknown>;
};

export function settledBucket(of: BucketOf = {}): SettledBucket {
  const parts = bucketParts(of);
  return {
    ...parts,
    write: (path, content) =>
      parts.change({
        kind: "write",
        path,
        content: typeof content === "string" ? { text: content } : { bytes: content },
      }),
  };
}

/** Runs a job whenever it is due until it has nothing left to do; how often it ran. Throws after 300 runs. */
export async function runOut(job: BucketJob, clock: Clock): Promise<number> {
  for (let runs = 0; runs < 300; runs += 1) {
    const due = job.due();
    if (due === null) return runs;
    await clock.sleep(Math.max(0, due - clock.now()));
    await job.run();
  }
  throw new Error("the job does not come to an end");
}

/** Everything that a bucket holds, as text: files, logs, whiteouts and history, with all contents. */
export async function dump({ rows, contents }: SettledBucket): Promise<string[]> {
  const lines: string[] = [];
  const paths = new Set(
    rows.sql.all<{ path: string }>("SELECT DISTINCT path FROM version").map(({ path }) => path),
  );
  for (const row of rows.files.values()) {
    paths.add(row.path);
    if (row.type === "gone") continue;
    const { path, type, version, size, executable, at, author } = row;
    const facts = [path, type, version, size, executable, at, author].join(" ");
    lines.push(`${facts} ${shown(await contents.read(row))}`);
    const page = type === "blob" ? null : await contents.lines(row, 0, 1_000_000);
    if (page) lines.push(`${path} has ${page.total} lines: ${JSON.stringify(page.lines)}`);
  }
  for (const { path, version, at, author, present } of rows.whiteouts.values())
    if (present) lines.push(`${path} hidden ${version} ${at} ${author}`);
  for (const path of paths)
    for (const row of versionRows(rows, path as Parameters<typeof versionRows>[1])) {
      const { type, version, size, executable, at, author } = row;
      const text = type === "gone" ? "" : shown(await contents.readVersion(row));
      lines.push(`${path} was ${[type, version, size, executable, at, author].join(" ")} ${text}`);
    }
  return lines.toSorted();
}

const shown = (content: Content): string =>
  "text" in content ? JSON.stringify(content.text) : Buffer.from(content.bytes).toString("hex");

/** Counts the calls of a store. */
export function countingStore(inner: BlobStore): BlobStore & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    get(key) {
      calls.push(`get ${key}`);
      return inner.get(key);
    },
    put(key, bytes, options) {
      calls.push(`put ${key}`);
      return inner.put(key, bytes, options);
    },
    delete(keys) {
      calls.push(`delete ${keys.join(" ")}`);
      return inner.delete(keys);
    },
    list(prefix, cursor, limit) {
      calls.push(`list ${prefix}`);
      return inner.list(prefix, cursor, limit);
    },
  };
}
