import { describe, expect, it } from "vitest";
import { StoredTooLargeError, type BlobStore } from "../../../src/workspace/store/blob-store.ts";
import { rebuild } from "../../../src/workspace/rebuild/rebuild.ts";
import type { StorageKey } from "../../../src/workspace/store/storage-key.ts";
import { versionRows } from "../../../src/workspace/versions.ts";
import { at } from "../../support/layers.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { openDatabase } from "../../support/node-sql.ts";
import { BUCKET } from "../../support/bucket-parts.ts";
import { runOut, settledBucket } from "../../support/settled-bucket.ts";

const key = (name: string) => `${BUCKET}${name}` as StorageKey;
const utf8 = (text: string) => new TextEncoder().encode(text);
const write = (path: string, text: string) => ({ kind: "write", path, content: { text } }) as const;

/** A definition whose text only the store has. */
async function inStore(store: BlobStore) {
  const first = settledBucket({ store });
  await first.write("AGENTS.md", "one");
  await runOut(first.settler, first.clock);
  const bucket = settledBucket({ store, template: { "AGENTS.md": "lower" } });
  await rebuild(bucket);
  return bucket;
}

describe("a definition whose text is lost", () => {
  it.each(["write", "delete", "reset"] as const)("[W12] can be had over by a %s", async (kind) => {
    const store = createMemoryStore();
    const bucket = await inStore(store);
    await store.delete([key("files/AGENTS.md")]);
    const change = kind === "write" ? write("AGENTS.md", "new") : { kind, path: "AGENTS.md" };
    await bucket.change(change);
    expect(versionRows(bucket.rows, at("AGENTS.md")).filter(({ type }) => type !== "gone")).toEqual(
      [],
    );
    await runOut(bucket.settler, bucket.clock);
    expect(bucket.settler.due()).toBeNull();
  });

  it("[W12] stays an error for what needs it", async () => {
    const store = createMemoryStore();
    const bucket = await inStore(store);
    await store.put(key("files/AGENTS.md"), utf8("damaged"));
    await expect(bucket.change({ kind: "append", path: "AGENTS.md", text: "x" })).rejects.toThrow(
      "other bytes",
    );
    await bucket.change(write("AGENTS.md", "new"));
  });

  it("[W15] is not lost while the store only fails", async () => {
    const store = createMemoryStore();
    const bucket = await inStore({
      ...store,
      get: () => Promise.reject(new Error("503")),
    });
    await expect(bucket.change(write("AGENTS.md", "new"))).rejects.toMatchObject({
      code: "overloaded",
    });
    expect(bucket.rows.files.get(at("AGENTS.md"))?.author).toBe("user:ann");
  });
});

describe("what others put over a file", () => {
  it.each([true, false])(
    "[W10] that no file could be is written over (loaded: %s)",
    async (isLoaded) => {
      const inner = createMemoryStore();
      const large = new Set<string>(["files/AGENTS.md", "files/work/a.md"].map(key));
      const store: BlobStore = {
        ...inner,
        async get(name) {
          if (!large.has(name)) return inner.get(name);
          if (!isLoaded) throw new StoredTooLargeError("large");
          return { bytes: new Uint8Array(26 * 2 ** 20), metadata: {}, tag: "large" };
        },
        async put(name, bytes, options = {}) {
          if (!large.has(name)) return inner.put(name, bytes, options);
          const isOver = typeof options.onlyIf === "object" && options.onlyIf.tag === "large";
          if (!isOver) return { kind: "conflict" };
          large.delete(name);
          return inner.put(name, bytes, { metadata: options.metadata ?? {} });
        },
      };
      const bucket = settledBucket({ store });
      await bucket.write("AGENTS.md", "ours");
      await bucket.write("work/a.md", "ours");
      expect(await runOut(bucket.settler, bucket.clock)).toBeLessThan(5);
      for (const name of ["files/AGENTS.md", "files/work/a.md"])
        expect((await inner.get(key(name)))?.bytes).toEqual(utf8("ours"));
      expect(versionRows(bucket.rows, at("AGENTS.md"))).toEqual([]);
    },
  );

  it("[W15] becomes a version that the store has, also where ours was only to be put again", async () => {
    const bucket = settledBucket();
    await bucket.write("knowledge/a.md", "ours");
    await runOut(bucket.settler, bucket.clock);
    await bucket.clock.sleep(60_000);
    bucket.rows.commit("again", (tx) => {
      const row = bucket.rows.files.get(at("knowledge/a.md"));
      if (row) tx.putFile({ ...row, dirty: bucket.clock.now() });
    });
    await bucket.store.put(key("files/knowledge/a.md"), new Uint8Array([0, 7]));
    await runOut(bucket.settler, bucket.clock);
    const rebuilt = settledBucket({ store: bucket.store });
    await rebuild(rebuilt);
    const [theirs] = versionRows(rebuilt.rows, at("knowledge/a.md"));
    expect(theirs && (await rebuilt.contents.readVersion(theirs))).toEqual({
      bytes: new Uint8Array([0, 7]),
    });
  });
});

describe("a clock that steps back", () => {
  it("[W15] loses no earlier version from the store", async () => {
    let now = 100_000;
    const clock = { now: () => now, sleep: (ms: number) => Promise.resolve(void (now += ms)) };
    const database = openDatabase();
    const template = { "knowledge/lower.md": "l", "knowledge/other.md": "o" };
    const first = settledBucket({ clock, database, template });
    await first.write("knowledge/logo.png", new Uint8Array([0, 1]));
    await first.change({ kind: "delete", path: "knowledge/lower.md" });
    now -= 1_000;
    const second = settledBucket({ clock, database, template, store: first.store });
    await second.write("knowledge/logo.png", new Uint8Array([0, 2]));
    await second.change({ kind: "reset", path: "knowledge/lower.md" });
    await runOut(second.settler, clock);
    const rebuilt = settledBucket({ store: first.store });
    await rebuild(rebuilt);
    for (const path of ["knowledge/logo.png", "knowledge/lower.md"])
      expect(
        versionRows(rebuilt.rows, at(path)).map(({ version }) => version),
        path,
      ).toEqual(versionRows(second.rows, at(path)).map(({ version }) => version));
  });
});

describe("a blob that is put again", () => {
  it("[W5] is put over bytes that are not its own, and where a delete may still be hidden", async () => {
    const inner = createMemoryStore();
    const stale = new Map<string, Uint8Array>();
    const store: BlobStore = {
      ...inner,
      put: (name, bytes, options) =>
        stale.has(name) && options?.onlyIf
          ? Promise.resolve({ kind: "conflict" })
          : inner.put(name, bytes, options),
      get: async (name) => {
        const bytes = stale.get(name);
        return bytes ? { bytes, metadata: {}, tag: "stale" } : inner.get(name);
      },
    };
    const bucket = settledBucket({ store });
    const bytes = new Uint8Array([0, 1, 2]);
    const name = key(`blobs/${await bucket.contents.putBlob(bytes)}`);
    await inner.put(name, utf8("spoilt"));
    await bucket.contents.putBlob(bytes);
    expect((await inner.get(name))?.bytes).toEqual(bytes);
    await bucket.write("work/a.bin", bytes);
    await bucket.change({ kind: "delete", path: "work/a.bin" });
    await runOut(bucket.settler, bucket.clock);
    await bucket.clock.sleep(40 * 86_400_000);
    await runOut(bucket.sweeper, bucket.clock);
    expect(await inner.get(name)).toBeNull();
    stale.set(name, bytes);
    await bucket.contents.putBlob(bytes);
    expect((await inner.get(name))?.bytes).toEqual(bytes);
  });
});
