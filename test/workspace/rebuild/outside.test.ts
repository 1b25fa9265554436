import { describe, expect, it } from "vitest";
import type { BlobStore } from "../../../src/workspace/store/blob-store.ts";
import { rebuild } from "../../../src/workspace/rebuild/rebuild.ts";
import type { StorageKey } from "../../../src/workspace/store/storage-key.ts";
import { at } from "../../support/layers.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { BUCKET } from "../../support/bucket-parts.ts";
import {
  countingStore,
  runOut,
  settledBucket,
  type SettledBucket,
} from "../../support/settled-bucket.ts";

const key = (name: string) => `${BUCKET}${name}` as StorageKey;
const utf8 = (text: string) => new TextEncoder().encode(text);
const LOG = "agents/main/sessions/s.log.jsonl";

const read = async ({ rows, contents }: SettledBucket, path: string) => {
  const row = rows.files.get(at(path));
  return row ? contents.read(row) : null;
};

/** A settled log of four parts. */
async function longLog() {
  const bucket = settledBucket();
  for (let part = 0; part < 4; part += 1) {
    const text = `{"part":${part}}\n`.repeat(25_000);
    await bucket.change({ kind: "append", path: LOG, text });
    await runOut(bucket.settler, bucket.clock);
  }
  const parts = (await bucket.store.list(key("segments/"))).entries.map((entry) => entry.key);
  expect(parts).toHaveLength(4);
  return { bucket, store: bucket.store, parts };
}

/** A bucket over what a store has, with what it logs. */
async function rebuilt(store: BlobStore) {
  const bucket = settledBucket({ store });
  const logged: [string, unknown][] = [];
  await rebuild({
    ...bucket,
    log: (_, event, facts) => void logged.push([event, facts.key ?? facts.part]),
  });
  return { bucket, logged };
}

describe("a rebuild of what others left in the store", () => {
  it("[W11] of more files than one call can look at goes on where the last call ended, also after a restart", async () => {
    const inner = createMemoryStore();
    for (let no = 0; no < 600; no += 1) await inner.put(key(`files/work/${no}.md`), utf8(`${no}`));
    const store = countingStore(inner);
    let bucket = settledBucket({ store });
    const { sql } = bucket.rows;
    for (let call = 1; call <= 2; call += 1) {
      store.calls.length = 0;
      await expect(rebuild(bucket)).rejects.toMatchObject({ code: "overloaded" });
      expect(store.calls.filter((it) => it.startsWith("get"))).toHaveLength(250);
      expect(bucket.rows.files.size).toBe(0);
      bucket = settledBucket({ store, sql });
    }
    store.calls.length = 0;
    expect(await rebuild(bucket)).toBe(true);
    expect(store.calls.filter((it) => it.startsWith("get"))).toHaveLength(100);
    expect(bucket.rows.files.size).toBe(600);
    expect(await read(bucket, "work/599.md")).toEqual({ text: "599" });
    expect(bucket.rows.sql.all("SELECT * FROM adopted")).toEqual([]);
  });

  it("[W11] keeps what it came to when the store fails on the way", async () => {
    const inner = createMemoryStore();
    for (let no = 0; no < 20; no += 1) await inner.put(key(`files/${no}.md`), utf8("x"));
    let gets = 0;
    const get: BlobStore["get"] = (name) =>
      (gets += 1) === 10 ? Promise.reject(new Error("503")) : inner.get(name);
    const bucket = settledBucket({ store: { ...inner, get } });
    await expect(rebuild(bucket)).rejects.toMatchObject({ code: "overloaded" });
    await rebuild(bucket);
    expect(bucket.rows.files.size).toBe(20);
    expect(gets).toBeLessThan(30);
  });

  it("[W11] leaves what is too large for a file without loading it", async () => {
    const inner = createMemoryStore();
    const large = key("files/large.bin");
    const store = countingStore({
      ...inner,
      list: async (prefix, ...page) => {
        const { entries, cursor } = await inner.list(prefix, ...page);
        const more = large.startsWith(prefix)
          ? [{ key: large, metadata: {}, size: 26 * 2 ** 20 }]
          : [];
        return { entries: [...entries, ...more], cursor };
      },
    });
    await inner.put(key("files/a.md"), utf8("a"));
    const { bucket, logged } = await rebuilt(store);
    expect([...bucket.rows.files.keys()]).toEqual(["a.md"]);
    expect(logged).toEqual([["workspace.left_outside", large]]);
    expect(store.calls).not.toContain(`get ${large}`);
  });

  it("[W11] of a file and a directory of one name keeps the newer side", async () => {
    const first = settledBucket();
    await first.write("notes", "older");
    await first.write("work/a/b.md", "older");
    await runOut(first.settler, first.clock);
    const store = createMemoryStore();
    for (const { key: name } of (await first.store.list(BUCKET)).entries) {
      const found = await first.store.get(name);
      if (found) await store.put(name, found.bytes, { metadata: found.metadata });
    }
    const second = settledBucket({ store: first.store });
    await rebuild(second);
    for (const path of ["notes", "work/a/b.md"]) await second.change({ kind: "delete", path });
    await second.write("notes/today.md", "newer");
    await second.write("work/a", "newer");
    await runOut(second.settler, second.clock);
    for (const { key: name } of (await first.store.list(key("files/"))).entries) {
      const found = await first.store.get(name);
      if (found) await store.put(name, found.bytes, { metadata: found.metadata });
    }
    const { bucket, logged } = await rebuilt(store);
    expect([...bucket.rows.files.keys()].toSorted()).toEqual(["notes/today.md", "work/a"]);
    expect(bucket.layers.overlay().entries).toHaveLength(2);
    expect(logged.map(([, path]) => String(path)).toSorted()).toEqual(["notes", "work/a/b.md"]);
  });

  it("[W5] where only files were copied, blobs are read from there and put where they belong", async () => {
    const first = settledBucket();
    await first.write("knowledge/logo.png", new Uint8Array([0, 1, 2]));
    await runOut(first.settler, first.clock);
    const store = createMemoryStore();
    for (const { key: name } of (await first.store.list(key("files/"))).entries) {
      const found = await first.store.get(name);
      if (found) await store.put(name, found.bytes, { metadata: found.metadata });
    }
    const { bucket } = await rebuilt(store);
    expect(await read(bucket, "knowledge/logo.png")).toEqual({ bytes: new Uint8Array([0, 1, 2]) });
    expect((await store.list(key("blobs/"))).entries).toHaveLength(1);
    const { bucket: other } = await rebuilt(store);
    await store.delete((await store.list(key("blobs/"))).entries.map((entry) => entry.key));
    await store.put(key("files/knowledge/logo.png"), new Uint8Array([0, 9]));
    await expect(read(other, "knowledge/logo.png")).rejects.toThrow("has lost");
  });

  it("[W5] that nobody reads are put there, too, so that they outlive their file", async () => {
    const first = settledBucket();
    await first.write("knowledge/logo.png", new Uint8Array([0, 1, 2]));
    await runOut(first.settler, first.clock);
    await first.store.delete((await first.store.list(key("blobs/"))).entries.map((it) => it.key));
    const { bucket } = await rebuilt(first.store);
    await runOut(bucket.settler, bucket.clock);
    await bucket.change({ kind: "delete", path: "knowledge/logo.png" });
    await runOut(bucket.settler, bucket.clock);
    await bucket.change({ kind: "undo", path: "knowledge/logo.png" });
    expect(await read(bucket, "knowledge/logo.png")).toEqual({ bytes: new Uint8Array([0, 1, 2]) });
  });
});

describe("a rebuilt log", () => {
  it.each([0, 1, 2])(
    "[W12] without part %i is an error for its readers, and for nobody else",
    async (missing) => {
      const { store, parts } = await longLog();
      await store.delete(parts.slice(missing, missing + 1));
      const { bucket, logged } = await rebuilt(store);
      expect(logged).toEqual([["workspace.damaged", missing]]);
      const row = bucket.rows.files.get(at(LOG));
      if (!row) throw new Error("no log");
      await expect(read(bucket, LOG)).rejects.toThrow("has lost");
      const lines = (from: number) => bucket.contents.lines(row, from, 2);
      const lost = missing * 25_000;
      await expect(lines(lost)).rejects.toThrow("has lost");
      expect((await lines(lost + 1)).lines[1]).toBe(`{"part":${missing + 1}}`);
      if (missing > 0) await expect(lines(lost - 1)).rejects.toThrow("has lost");
      const last = await lines(row.size);
      expect(last).toEqual({ lines: [], total: 3 * 25_000 + 1 });
      const bytes = await bucket.contents.logPart(row, row.size - 10);
      expect(bytes).toEqual({ bytes: utf8('"part":3}\n') });
      await bucket.change({ kind: "append", path: LOG, text: "more\n" });
      await runOut(bucket.settler, bucket.clock);
      const { bucket: again } = await rebuilt(store);
      expect(again.rows.files.get(at(LOG))?.size).toBe(row.size + 5);
    },
  );

  it("[W11] whose deletion was cut off does not come back, and is deleted to the end", async () => {
    for (const refused of [1, 2]) {
      const { bucket, store, parts } = await longLog();
      let deletes = 0;
      const cut: BlobStore = {
        ...store,
        async delete(keys) {
          deletes += 1;
          if (deletes < refused) return store.delete(keys);
          await store.delete(keys.slice(0, 2));
          throw new Error("503");
        },
      };
      await bucket.change({ kind: "delete", path: LOG });
      const dying = settledBucket({ store: cut, sql: bucket.rows.sql, clock: bucket.clock });
      await bucket.clock.sleep(20_000);
      await dying.settler.run();
      const left = (await store.list(key("segments/"))).entries.length;
      expect(left).toBe(refused === 1 ? parts.length - 2 : 0);
      const { bucket: after, logged } = await rebuilt(store);
      expect(logged).toEqual([]);
      expect(after.layers.overlay().entries).toEqual([]);
      await runOut(after.settler, after.clock);
      expect((await store.list(BUCKET)).entries).toEqual([]);
    }
  });

  it("[W11] that began anew while the old one was being deleted is what it is", async () => {
    const { bucket, store } = await longLog();
    let isDown = true;
    const failing: BlobStore = {
      ...store,
      delete: (keys) => (isDown ? Promise.reject(new Error("503")) : store.delete(keys)),
    };
    await bucket.change({ kind: "delete", path: LOG });
    const next = settledBucket({ store: failing, sql: bucket.rows.sql, clock: bucket.clock });
    await bucket.clock.sleep(20_000);
    await next.settler.run();
    await next.change({ kind: "append", path: LOG, text: "new\n" });
    for (let run = 0; run < 3; run += 1) {
      await bucket.clock.sleep(20_000);
      await next.settler.run();
    }
    isDown = false;
    const { bucket: after } = await rebuilt(store);
    expect(await read(after, LOG)).toEqual({ text: "new\n" });
  });
});
