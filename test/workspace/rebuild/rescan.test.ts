import { describe, expect, it } from "vitest";
import { rescan } from "../../../src/workspace/rebuild/rescan.ts";
import type { StorageKey } from "../../../src/workspace/store/storage-key.ts";
import { at } from "../../support/layers.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { BUCKET } from "../../support/bucket-parts.ts";
import { countingStore, dump, runOut, settledBucket } from "../../support/settled-bucket.ts";

const key = (name: string) => `${BUCKET}${name}` as StorageKey;
const utf8 = (text: string) => new TextEncoder().encode(text);

/** A bucket whose files were settled three minutes ago. */
async function settled(files: Record<string, string>, store = createMemoryStore()) {
  const bucket = settledBucket({ store, limits: { files: 5, textBytes: 100, blobBytes: 200 } });
  for (const [path, text] of Object.entries(files)) await bucket.write(path, text);
  await runOut(bucket.settler, bucket.clock);
  await bucket.clock.sleep(180_000);
  return { bucket, store };
}

const shown = async (bucket: ReturnType<typeof settledBucket>) =>
  (await dump(bucket))
    .filter((line) => !line.includes(" lines: "))
    .map((line) => line.replace(/ \d{4,} /, " T "));

describe("a rescan", () => {
  it("[W11] finds nothing where nothing was done outside, and reads nothing but listings", async () => {
    const store = countingStore(createMemoryStore());
    const { bucket } = await settled({ "AGENTS.md": "one", "work/a": "a" }, store);
    store.calls.length = 0;
    expect(await rescan(bucket)).toEqual({ taken: [], removed: [], refused: [] });
    expect(store.calls.map((call) => call.split(" ")[0])).toEqual(["list", "list"]);
  });

  it("[W15] takes in new, changed and deleted files and whiteouts, with the history of what they replace", async () => {
    const { bucket, store } = await settled({
      "AGENTS.md": "one",
      "MEMORY.md": "m",
      "work/a": "a",
    });
    await store.put(key("files/AGENTS.md"), utf8("outside"));
    await store.put(key("files/work/new.bin"), new Uint8Array([0, 1]));
    await store.put(key("whiteouts/knowledge/a.md"), new Uint8Array());
    await store.delete([key("files/MEMORY.md"), key("files/work/a")]);
    expect(await rescan(bucket)).toEqual({
      taken: ["AGENTS.md", "work/new.bin", "knowledge/a.md"],
      removed: ["MEMORY.md", "work/a"],
      refused: [],
    });
    expect(await shown(bucket)).toEqual([
      'AGENTS.md text 4 7 false T outside "outside"',
      'AGENTS.md was text 1 3 false 0 user:ann "one"',
      "MEMORY.md was gone 6 0 false T outside ",
      'MEMORY.md was text 2 1 false 0 user:ann "m"',
      "knowledge/a.md hidden 8 T outside",
      "work/new.bin blob 5 2 false T outside 0001",
    ]);
    await runOut(bucket.settler, bucket.clock);
    expect(await rescan(bucket)).toEqual({ taken: [], removed: [], refused: [] });
    expect((await store.get(key("files/AGENTS.md")))?.metadata).toMatchObject({ by: "outside" });
    await bucket.change({ kind: "undo", path: "MEMORY.md" });
    expect(await bucket.contents.read(bucket.rows.files.get(at("MEMORY.md")) as never)).toEqual({
      text: "m",
    });
    await bucket.clock.sleep(180_000);
    await store.delete([key("whiteouts/knowledge/a.md")]);
    expect((await rescan(bucket)).removed).toEqual(["knowledge/a.md"]);
  });

  it("[W15] keeps what changed here, too, and what was put outside as an earlier version", async () => {
    const { bucket, store } = await settled({ "AGENTS.md": "one" });
    await bucket.write("AGENTS.md", "two");
    await store.put(key("files/AGENTS.md"), utf8("outside"));
    const { taken, refused } = await rescan(bucket);
    expect([taken, refused.map((it) => it.key)]).toEqual([[], [key("files/AGENTS.md")]]);
    await runOut(bucket.settler, bucket.clock);
    const found = await store.get(key("files/AGENTS.md"));
    expect(new TextDecoder().decode(found?.bytes)).toBe("two");
    expect((await shown(bucket)).join("\n")).toContain('outside "outside"');
  });

  it("[W10] does not take an older version of ours for news: the newer one is put again", async () => {
    const { bucket, store } = await settled({ "AGENTS.md": "one" });
    const old = await store.get(key("files/AGENTS.md"));
    await bucket.write("AGENTS.md", "two");
    await runOut(bucket.settler, bucket.clock);
    if (old) await store.put(key("files/AGENTS.md"), old.bytes, { metadata: old.metadata });
    expect((await rescan(bucket)).refused).toHaveLength(1);
    await runOut(bucket.settler, bucket.clock);
    const found = await store.get(key("files/AGENTS.md"));
    expect(new TextDecoder().decode(found?.bytes)).toBe("two");
  });

  it("[W16] refuses, with why, what no bucket may hold, and breaks nothing", async () => {
    const { bucket, store } = await settled({ "work/a": "a", "work/b/c": "c" });
    const before = await dump(bucket);
    await store.put(key("files/work//odd"), utf8("x"));
    await store.put(key("files/../up"), utf8("x"));
    await store.put(key("files/x.log.jsonl"), utf8("x"));
    await store.put(key("files/large"), new Uint8Array(201));
    await store.put(key("files/work/a/below"), utf8("x"));
    await store.put(key("files/work/b"), utf8("x"));
    await store.put(key("whiteouts/skills/x/SKILL.md"), new Uint8Array());
    const { taken, removed, refused } = await rescan(bucket);
    expect([taken, removed]).toEqual([[], []]);
    expect(refused.map((it) => it.key.slice(BUCKET.length)).toSorted()).toEqual([
      "files/../up",
      "files/large",
      "files/work//odd",
      "files/work/a/below",
      "files/work/b",
      "files/x.log.jsonl",
      "whiteouts/skills/x/SKILL.md",
    ]);
    expect(refused.every(({ why }) => /^[A-Z"].*\.$/.test(why))).toBe(true);
    expect(await dump(bucket)).toEqual(before);
  });

  it("[W16] refuses what goes past the number of files, and takes in the rest", async () => {
    const { bucket, store } = await settled({ a: "a", b: "b", c: "c", d: "d" });
    await store.put(key("files/e"), utf8("x"));
    await store.put(key("files/f"), utf8("x"));
    const { taken, refused } = await rescan(bucket);
    expect([taken, refused.map((it) => it.key)]).toEqual([["e"], [key("files/f")]]);
  });

  it("[W10] believes in a deletion only when the store says so twice and nothing was written shortly before", async () => {
    const { bucket, store } = await settled({ a: "a", b: "b" });
    const forgetful: typeof store = {
      ...store,
      list: async () => Promise.resolve({ entries: [], cursor: null }),
    };
    expect(await rescan({ ...bucket, store: forgetful })).toEqual({
      taken: [],
      removed: [],
      refused: [],
    });
    await bucket.write("a", "again");
    await runOut(bucket.settler, bucket.clock);
    await store.delete([key("files/a"), key("files/b")]);
    const { removed, refused } = await rescan(bucket);
    expect([removed, refused.map((it) => it.key)]).toEqual([["b"], [key("files/a")]]);
  });

  it("[W10] throws when the store fails, and has changed nothing", async () => {
    const { bucket, store } = await settled({ a: "a" });
    await store.delete([key("files/a")]);
    const failing: typeof store = { ...store, get: () => Promise.reject(new Error("503")) };
    await expect(rescan({ ...bucket, store: failing })).rejects.toMatchObject({
      code: "overloaded",
    });
    expect(bucket.rows.files.get(at("a"))?.type).toBe("text");
  });
});
