import { beforeAll, expect } from "vitest";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { storeLimits } from "../../src/workspace/store/blob-store.ts";
import type { BlobStore, ListPage, PutOutcome } from "../../src/workspace/store/blob-store.ts";
import { workspacePath } from "../../src/workspace/layers/path.ts";
import { storageKey, storagePrefix } from "../../src/workspace/store/storage-key.ts";
import type { StorageKey } from "../../src/workspace/store/storage-key.ts";

export type Place = {
  readonly store: BlobStore;
  /** A prefix of this test's own, ending with a slash. */
  readonly prefix: string;
  readonly key: (path: string) => StorageKey;
};

export const utf8 = (text: string) => new TextEncoder().encode(text);

/** Places for tests in one store: each has a user of its own. `round` keeps the suites apart that share it. */
export function placesIn(open: () => Promise<BlobStore>, round: string): () => Place {
  let opened: BlobStore | undefined;
  let places = 0;
  beforeAll(async () => {
    opened = await open();
  });
  return () => {
    if (!opened) throw new Error("the store is not open yet");
    places += 1;
    const bucket = bucketPrefix({ scope: "USER", agent: round, user: `u${places}` });
    return {
      store: opened,
      prefix: storagePrefix(bucket, "files"),
      key: (path) => storageKey(bucket, { kind: "files", path: workspacePath(path) }),
    };
  };
}

/** All entries behind a prefix, page by page. */
export async function listAll(
  store: BlobStore,
  prefix: string,
  limit?: number,
): Promise<ListPage["entries"][number][]> {
  const entries: ListPage["entries"][number][] = [];
  let cursor: string | null = null;
  do {
    const page: ListPage = await store.list(prefix, cursor, limit);
    expect(page.entries.length).toBeLessThanOrEqual(limit ?? storeLimits.pageEntries);
    entries.push(...page.entries);
    cursor = page.cursor;
  } while (cursor !== null);
  return entries;
}

export async function listKeys(
  store: BlobStore,
  prefix: string,
  limit?: number,
): Promise<string[]> {
  return (await listAll(store, prefix, limit)).map(({ key }) => key).toSorted();
}

/** The tag of a put that must have been stored. */
export function tagOf(outcome: PutOutcome): string {
  if (outcome.kind !== "stored") throw new Error("the put met a conflict");
  return outcome.tag;
}
