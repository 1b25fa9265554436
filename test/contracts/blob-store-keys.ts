import { expect, it } from "vitest";
import { storeLimits } from "../../src/workspace/store/blob-store.ts";
import type { ListPage } from "../../src/workspace/store/blob-store.ts";
import type { StorageKey } from "../../src/workspace/store/storage-key.ts";
import { type Place, listKeys, utf8 } from "./blob-store-places.ts";

const oddPaths = [
  "a",
  "A",
  "a/b",
  "a/b/c",
  "a.",
  " a ",
  "a%2Fb",
  "a+b",
  "a?x=1&y=#z",
  "a..b",
  "~",
  "-",
  "*",
  "[a]",
  "{a,b}",
  '"quoted"',
  "CON",
  "con.txt",
  "__proto__",
  "é",
  "e\u0301",
  "日本/語.md",
  "😀",
  "‮x",
  "files/a",
  "sessions/s/files/a",
];

/** What every `BlobStore` keeps about names. */
export function keyTests(place: () => Place): void {
  it("[I2] odd names are names of their own, listed as they were put", async () => {
    const { store, key, prefix } = place();
    for (const path of oddPaths) await store.put(key(path), utf8(path), { metadata: { at: "1" } });
    for (const path of oddPaths) expect((await store.get(key(path)))?.bytes).toEqual(utf8(path));
    expect(await listKeys(store, prefix)).toEqual(oddPaths.map(key).toSorted());
  });

  it("[I2] so are names of up to 1,000 bytes, wherever they differ", async () => {
    const { store, prefix } = place();
    const whole = `${prefix}${"long ".repeat(300)}`.slice(0, 1_000);
    const change = (at: number, by: string) =>
      whole.slice(0, at) + by + whole.slice(at + utf8(by).length);
    const longs = [
      whole,
      ...[400, 446, 447, 448, 511, 512, 999].map((at) => change(at, "x")),
      ...[444, 445, 446, 447].map((at) => change(at, "😀")),
      whole.slice(0, 447),
      whole.slice(0, 448),
      whole.slice(0, 512),
      whole.slice(0, 513),
      prefix.padEnd(1_000, '"'),
    ] as StorageKey[];
    expect(new Set(longs).size).toBe(longs.length);
    const metadata = { version: "1".repeat(storeLimits.metadataBytes - 14) };
    for (const [at, long] of longs.entries()) await store.put(long, utf8(`${at}`), { metadata });
    for (const [at, long] of longs.entries())
      expect(await store.get(long)).toMatchObject({ bytes: utf8(`${at}`), metadata });
    expect(await listKeys(store, prefix)).toEqual(longs.toSorted());
    for (const start of [whole.slice(0, 448), whole.slice(0, 700)]) {
      const expected = longs.filter((long) => long.startsWith(start)).toSorted();
      expect(await listKeys(store, start)).toEqual(expected);
    }
    await store.delete(longs);
    expect(await listKeys(store, prefix)).toEqual([]);
  });
}

/** What every `BlobStore` keeps about listings. */
export function listTests(place: () => Place): void {
  it("[W8] comes in pages of any size, each key once", async () => {
    const { store, key, prefix } = place();
    const keys = Array.from({ length: 23 }, (_, at) => key(`d${at % 3}/f${at}`)).toSorted();
    expect(await listKeys(store, prefix)).toEqual([]);
    for (const name of keys) await store.put(name, utf8("x"));
    for (const limit of [1, 4, 23, 24, undefined])
      expect(await listKeys(store, prefix, limit)).toEqual(keys);
  });

  it("[I2] a prefix means what it says, also where it begins another's name", async () => {
    const { store, key, prefix } = place();
    const keys = ["skills/a/x", "skills/ab/x", "skills/a", "skills"].map(key);
    for (const name of keys) await store.put(name, utf8("x"));
    expect(await listKeys(store, `${prefix}skills/a/`)).toEqual([key("skills/a/x")]);
    expect(await listKeys(store, `${prefix}skills/a`)).toEqual(
      ["skills/a", "skills/a/x", "skills/ab/x"].map(key).toSorted(),
    );
    expect(await listKeys(store, `${prefix}skills/b`)).toEqual([]);
  });

  it("goes on when what it showed is deleted meanwhile", async () => {
    const { store, key, prefix } = place();
    const keys = Array.from({ length: 7 }, (_, at) => key(`f${at}`));
    for (const name of keys) await store.put(name, utf8("x"));
    const seen: string[] = [];
    for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
      const page: ListPage = await store.list(prefix, cursor, 3);
      const shown = page.entries.map((entry) => entry.key);
      seen.push(...shown);
      await store.delete(shown);
      cursor = page.cursor;
    }
    expect(seen.toSorted()).toEqual(keys.toSorted());
  });
}
