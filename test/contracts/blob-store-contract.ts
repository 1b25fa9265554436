import { describe, expect, it } from "vitest";
import { storeLimits } from "../../src/workspace/store/blob-store.ts";
import type { BlobStore, Metadata } from "../../src/workspace/store/blob-store.ts";
import type { StorageKey } from "../../src/workspace/store/storage-key.ts";
import { keyTests, listTests } from "./blob-store-keys.ts";
import { type Place, listAll, listKeys, placesIn, tagOf, utf8 } from "./blob-store-places.ts";

export type StoreTraits = {
  /** Of two racing puts under one condition exactly one is stored. Not so on KV. */
  readonly isAtomic: boolean;
};

const values: readonly (readonly [string, Uint8Array])[] = [
  ["nothing", new Uint8Array()],
  ["every byte, invalid as UTF-8", Uint8Array.from({ length: 512 }, (_, at) => at % 256)],
  ["CRLF, lone CR and no newline at the end", utf8("a\r\nb\rc\n\r\nd")],
  ["a byte order mark", utf8("\ufeffa\n")],
  ["spaces only", utf8(" \n\t\n")],
  ["1 MiB", Uint8Array.from({ length: 1024 * 1024 }, (_, at) => (at * at) >> 3)],
];

/** What every `BlobStore` keeps. Runs in Node and in workerd. */
export function blobStoreContract(
  open: () => Promise<BlobStore>,
  { isAtomic }: StoreTraits,
  round = "plain",
): void {
  describe(`a store (${round})`, () => {
    const place = placesIn(open, round);
    describe("get and put", () => valueTests(place));
    describe("keys", () => keyTests(place));
    describe("conditions", () => conditionTests(place, isAtomic));
    describe("list", () => listTests(place));
    describe("delete", () => deleteTests(place));
  });
}

function valueTests(place: () => Place): void {
  it("[W12] what is not there is null, and what is empty is not", async () => {
    const { store, key } = place();
    expect(await store.get(key("a"))).toBeNull();
    await store.put(key("a"), new Uint8Array());
    expect((await store.get(key("a")))?.bytes).toEqual(new Uint8Array());
  });

  for (const [name, bytes] of values) {
    it(`[W5] gives back ${name}`, async () => {
      const { store, key } = place();
      await store.put(key("a"), bytes.slice());
      const found = await store.get(key("a"));
      expect(found?.bytes.length).toBe(bytes.length);
      expect(found?.bytes.every((byte, at) => byte === bytes[at])).toBe(true);
    });
  }

  it("[W5] keeps an array's part, and neither array is the store's", async () => {
    const { store, key } = place();
    const given = utf8("abcd");
    await store.put(key("a"), given.subarray(1, 3));
    given.fill(0);
    (await store.get(key("a")))?.bytes.fill(0);
    expect((await store.get(key("a")))?.bytes).toEqual(utf8("bc"));
  });

  it("keeps metadata up to its limit, and shows it in lists", async () => {
    const { store, key, prefix } = place();
    const full = { version: "12", by: `"${"x".repeat(storeLimits.metadataBytes - 26)}` };
    expect(JSON.stringify(full)).toHaveLength(storeLimits.metadataBytes);
    const wanted = new Map<StorageKey, Metadata>([
      [key("none"), {}],
      [key("few"), { version: "1", "sha-256": "", note: ` {"a": ~%e} ` }],
      [key("full"), full],
    ]);
    for (const [name, metadata] of wanted) await store.put(name, utf8("a"), { metadata });
    for (const [name, metadata] of wanted)
      expect((await store.get(name))?.metadata).toEqual(metadata);
    const listed = await listAll(store, prefix);
    expect(new Map(listed.map((entry) => [entry.key, entry.metadata]))).toEqual(wanted);
    for (const { size } of listed) expect(size ?? 1).toBe(1);
  });

  it("[W10] a put replaces bytes and metadata as one", async () => {
    const { store, key } = place();
    await store.put(key("a"), utf8("long before"), { metadata: { version: "1", only: "before" } });
    const outcome = await store.put(key("a"), utf8("x"), { metadata: { version: "2" } });
    expect(await store.get(key("a"))).toEqual({
      bytes: utf8("x"),
      metadata: { version: "2" },
      tag: tagOf(outcome),
    });
    await store.put(key("a"), utf8("x"));
    expect((await store.get(key("a")))?.metadata).toEqual({});
  });

  it("refuses what not every store can keep, and stores nothing", async () => {
    const { store, key, prefix } = place();
    const tooLong = `${prefix}${"k".repeat(storeLimits.keyBytes)}` as StorageKey;
    const put = (name: StorageKey, metadata: Record<string, string> = {}) =>
      store.put(name, utf8("a"), { metadata });
    await expect(put(tooLong)).rejects.toBeInstanceOf(RangeError);
    await expect(put(key("a"), { Version: "1" })).rejects.toBeInstanceOf(RangeError);
    await expect(put(key("a"), { version: "é" })).rejects.toBeInstanceOf(RangeError);
    await expect(put(key("a"), { version: "1".repeat(430) })).rejects.toBeInstanceOf(RangeError);
    const huge = new Uint8Array(storeLimits.valueBytes + 1);
    await expect(store.put(key("a"), huge)).rejects.toBeInstanceOf(RangeError);
    expect(await listKeys(store, prefix)).toEqual([]);
  });
}

function conditionTests(place: () => Place, isAtomic: boolean): void {
  const absent = { onlyIf: "absent" } as const;

  it("create-only stores once and changes nothing after", async () => {
    const { store, key } = place();
    const tag = tagOf(await store.put(key("a"), utf8("first"), absent));
    expect(await store.put(key("a"), utf8("second"), absent)).toEqual({ kind: "conflict" });
    expect(await store.get(key("a"))).toEqual({ bytes: utf8("first"), metadata: {}, tag });
    await store.delete([key("a")]);
    tagOf(await store.put(key("a"), utf8("third"), absent));
  });

  it("[W10] a put over a tag is stored if that is still there, else changes nothing", async () => {
    const { store, key } = place();
    const first = tagOf(await store.put(key("a"), utf8("1")));
    const second = tagOf(await store.put(key("a"), utf8("2"), { onlyIf: { tag: first } }));
    expect(second).not.toBe(first);
    const late = await store.put(key("a"), utf8("late"), { onlyIf: { tag: first } });
    expect(late).toEqual({ kind: "conflict" });
    const found = await store.get(key("a"));
    expect(found).toMatchObject({ bytes: utf8("2"), tag: second });
    tagOf(await store.put(key("a"), utf8("3"), { onlyIf: { tag: found?.tag ?? "" } }));
    await store.delete([key("a")]);
    const gone = await store.put(key("a"), utf8("4"), { onlyIf: { tag: second } });
    expect(gone).toEqual({ kind: "conflict" });
    expect(await store.get(key("a"))).toBeNull();
  });

  it(`two racing creators leave one whole value${isAtomic ? ", and one of them knows" : ""}`, async () => {
    const { store, key } = place();
    const texts = ["one", "other"];
    const put = (text: string) =>
      store.put(key("a"), utf8(text), { ...absent, metadata: { by: text } });
    const outcomes = await Promise.all(texts.map(put));
    const stored = texts.filter((_, at) => outcomes[at]?.kind === "stored");
    const found = await store.get(key("a"));
    const text = new TextDecoder().decode(found?.bytes);
    expect(stored).toContain(text);
    expect(found?.metadata).toEqual({ by: text });
    if (isAtomic) expect(stored).toHaveLength(1);
  });
}

function deleteTests(place: () => Place): void {
  it("deletes these and no others, again and of nothing", async () => {
    const { store, key, prefix } = place();
    for (const path of ["a", "b", "a/c"]) await store.put(key(path), utf8("x"));
    for (let times = 0; times < 2; times += 1) {
      await store.delete([key("a"), key("never")]);
      expect(await listKeys(store, prefix)).toEqual([key("a/c"), key("b")].toSorted());
      expect(await store.get(key("a"))).toBeNull();
    }
    await store.delete([]);
  });
}

/** Apart from the contract, because it takes its time: more keys than one page or one batch of a platform holds. */
export function manyKeysContract(open: () => Promise<BlobStore>): void {
  const place = placesIn(open, "many");
  it("[W8] lists and deletes more than 1,000 keys", async () => {
    const { store, key, prefix } = place();
    const keys = Array.from({ length: 1_003 }, (_, at) => key(`f${at}`)).toSorted();
    for (let at = 0; at < keys.length; at += 50)
      await Promise.all(keys.slice(at, at + 50).map((name) => store.put(name, utf8("x"))));
    expect(await listKeys(store, prefix)).toEqual(keys);
    await store.delete(keys);
    expect(await listKeys(store, prefix)).toEqual([]);
  });
}
