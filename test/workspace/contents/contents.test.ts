import { describe, expect, it } from "vitest";
import type { StorageKey } from "../../../src/workspace/store/storage-key.ts";
import { at } from "../../support/layers.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { openDatabase } from "../../support/node-sql.ts";
import { BUCKET } from "../../support/bucket-parts.ts";
import { countingStore, runOut, settledBucket } from "../../support/settled-bucket.ts";

const BYTES = new Uint8Array([0, 1, 2]);

function rowOf(bucket: ReturnType<typeof settledBucket>, path: string) {
  const row = bucket.rows.files.get(at(path));
  if (!row) throw new Error(`no ${path}`);
  return row;
}

const LINES = 5_000;

describe("contents", () => {
  it("[W12] a text whose parts are missing throws, whatever asks for it; an empty one is empty", async () => {
    const bucket = settledBucket();
    await bucket.write("a", "text");
    await bucket.write("blank", "");
    await bucket.change({ kind: "append", path: "x.log.jsonl", text: "{}\n" });
    expect(bucket.contents.read(rowOf(bucket, "blank"))).toEqual({ text: "" });
    bucket.rows.sql.run("DELETE FROM part");
    for (const path of ["a", "blank", "x.log.jsonl"]) {
      const row = rowOf(bucket, path);
      expect(() => bucket.contents.read(row), path).toThrow("missing");
      expect(() => bucket.contents.textHere(row), path).toThrow("missing");
      await expect(bucket.contents.lines(row, 0, 1), path).rejects.toThrow("missing");
    }
  });

  it("[W12] a blob that is missing or damaged throws; a store that fails is overloaded", async () => {
    const inner = createMemoryStore();
    let isDown = false;
    const store: typeof inner = {
      ...inner,
      get: (key) => (isDown ? Promise.reject(new Error("503")) : inner.get(key)),
    };
    const bucket = settledBucket({ store });
    await bucket.write("x.bin", BYTES);
    const row = rowOf(bucket, "x.bin");
    expect(await bucket.contents.read(row)).toEqual({ bytes: BYTES });
    expect(bucket.contents.textHere(row)).toBeNull();
    isDown = true;
    await expect(bucket.contents.read(row)).rejects.toMatchObject({ code: "overloaded" });
    isDown = false;
    const key = `${BUCKET}blobs/${row.sha256}` as StorageKey;
    await inner.put(key, new Uint8Array([0]));
    await expect(bucket.contents.read(row)).rejects.toThrow("other bytes");
    await inner.delete([key]);
    await expect(bucket.contents.read(row)).rejects.toThrow("has lost");
  });

  it("[W12] an earlier version is read wherever it is, and throws when it is nowhere", async () => {
    const store = createMemoryStore();
    const bucket = settledBucket({ store });
    await bucket.write("AGENTS.md", "one");
    await bucket.write("AGENTS.md", "two");
    const version = () => ({ ...rowOf(bucket, "AGENTS.md"), ...old() });
    const old = () =>
      bucket.rows.sql.all<{ version: number; body: number | null; sha256: string; size: number }>(
        "SELECT version, body, sha256, size FROM version",
      )[0];
    expect(bucket.contents.readVersion(version())).toEqual({ text: "one" });
    await runOut(bucket.settler, bucket.clock);
    expect(version().body).toBeNull();
    expect(await bucket.contents.readVersion(version())).toEqual({ text: "one" });
    await store.delete((await store.list(`${BUCKET}versions/`)).entries.map(({ key }) => key));
    await expect(bucket.contents.readVersion(version())).rejects.toThrow("has lost");
  });

  it("[W10] the same blob is put once", async () => {
    const store = countingStore(createMemoryStore());
    const { contents } = settledBucket({ store });
    const digest = await contents.putBlob(BYTES);
    expect(await contents.putBlob(BYTES)).toBe(digest);
    const { entries } = await store.list(BUCKET);
    expect(entries.map(({ key }) => key)).toEqual([`${BUCKET}blobs/${digest}`]);
  });

  it("[W11] the number of a body whose text is missing is not given to another", async () => {
    const database = openDatabase();
    const bucket = settledBucket({ database });
    await bucket.write("a", "text");
    bucket.rows.sql.run("DELETE FROM part");
    const again = settledBucket({ database });
    await again.write("b", "other");
    expect(() => again.contents.read(rowOf(again, "a"))).toThrow("missing");
  });

  it("a log past 25 MiB is read in pages only", async () => {
    const bucket = settledBucket();
    await bucket.change({ kind: "append", path: "x.log.jsonl", text: "{}\n" });
    const row = rowOf(bucket, "x.log.jsonl");
    bucket.rows.commit("grow", (tx) => tx.putFile({ ...row, size: 26 * 1024 * 1024 }));
    expect(() => bucket.contents.read(row)).toThrow("Read it in pages");
    expect((await bucket.contents.lines(row, 0, 1)).lines).toEqual(["{}"]);
  });

  it("[W14] gives a page of a log that the store has none of without loading all of it", async () => {
    const bucket = settledBucket();
    await bucket.write("work/a", "a");
    const { sql } = bucket.rows;
    const path = "agents/main/s.log.jsonl";
    for (let from = 0; from < LINES; from += 500) {
      const text = Array.from({ length: 500 }, (_, no) => `{"n":${from + no}}\n`).join("");
      await bucket.change({ kind: "append", path, text });
    }
    const row = rowOf(bucket, path);
    const all = sql.all.bind(sql);
    const whole: string[] = [];
    const spy = (query: string, ...params: never[]) => {
      if (/SELECT text FROM part/.test(query)) whole.push(query);
      return all(query, ...params);
    };
    Object.assign(sql, { all: spy });
    const page = await bucket.contents.lines(row, 498, 4);
    expect(page).toEqual({ lines: [498, 499, 500, 501].map((n) => `{"n":${n}}`), total: LINES });
    expect(whole).toEqual([]);
  });
});
