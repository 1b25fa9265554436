import { describe, expect, it } from "vitest";
import { bucketPrefix } from "../../../src/shared/bucket-key.ts";
import { needsRebuild, rebuild, recordBirth } from "../../../src/workspace/rebuild/rebuild.ts";
import type { StorageKey } from "../../../src/workspace/store/storage-key.ts";
import { at } from "../../support/layers.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { BUCKET } from "../../support/bucket-parts.ts";
import { countingStore, dump, runOut, settledBucket } from "../../support/settled-bucket.ts";

const key = (name: string) => `${BUCKET}${name}` as StorageKey;
const utf8 = (text: string) => new TextEncoder().encode(text);

/** A bucket with one of everything, settled. */
async function filled(store = createMemoryStore()) {
  const template = { "skills/x/SKILL.md": "lower", "knowledge/a.md": "lower" };
  const bucket = settledBucket({ store, template });
  await bucket.write("AGENTS.md", "one");
  await bucket.write("AGENTS.md", "two");
  await bucket.write("MEMORY.md", "gone");
  await bucket.change({ kind: "delete", path: "MEMORY.md" });
  await bucket.write("knowledge/logo.png", new Uint8Array([0, 1]));
  await bucket.write("knowledge/logo.png", new Uint8Array([0, 2]));
  await bucket.change({ kind: "delete", path: "knowledge/a.md" });
  await bucket.change({
    kind: "write",
    path: "run.sh",
    content: { text: "#!/bin/sh\n" },
    executable: true,
  });
  await bucket.change({ kind: "append", path: "agents/main/s.log.jsonl", text: "{}\n" });
  await runOut(bucket.settler, bucket.clock);
  return bucket;
}

describe("a rebuild", () => {
  it("[W11] gives the same tree, whiteouts, history and logs; texts come when they are asked for, then all", async () => {
    const store = createMemoryStore();
    const before = await filled(store);
    const counted = countingStore(store);
    const bucket = settledBucket({ store: counted });
    expect(needsRebuild(bucket.rows)).toBe(true);
    await rebuild(bucket);
    expect(needsRebuild(bucket.rows)).toBe(false);
    expect(counted.calls.every((call) => call.startsWith("list"))).toBe(true);
    expect(bucket.rows.version).toBeGreaterThan(before.rows.version);
    expect(await dump(bucket)).toEqual(await dump(before));
    await runOut(bucket.fetcher, bucket.clock);
    counted.calls.length = 0;
    const texts = [...bucket.rows.files.values()].filter(({ type }) => type === "text");
    for (const row of texts) expect(await bucket.contents.read(row)).toHaveProperty("text");
    expect(counted.calls).toEqual([]);
    expect(bucket.settler.due()).toBeNull();
  });

  it("[W11] copying a prefix moves the whole agent", async () => {
    const store = createMemoryStore();
    const before = await filled(store);
    const other = bucketPrefix({ scope: "USER", agent: "other", user: "bob" });
    for (const entry of (await store.list(BUCKET)).entries) {
      const found = await store.get(entry.key);
      const name = `${other}${entry.key.slice(BUCKET.length)}` as StorageKey;
      if (found) await store.put(name, found.bytes, { metadata: found.metadata });
    }
    const bucket = settledBucket({ store, key: other });
    await rebuild(bucket);
    expect(await dump(bucket)).toEqual(await dump(before));
  });

  it("[W11] of a new bucket costs only lists, and happens once", async () => {
    const store = countingStore(createMemoryStore());
    const bucket = settledBucket({ store });
    expect(await rebuild(bucket)).toBe(false);
    expect(store.calls).toHaveLength(4);
    expect(bucket.rows.sql.all("SELECT name FROM sqlite_schema")).toEqual([]);
    bucket.rows.commit("birth", recordBirth);
    expect(await rebuild(bucket)).toBe(true);
    expect(store.calls).toHaveLength(4);
    expect([bucket.rows.version, bucket.fetcher.due(), bucket.settler.due()]).toEqual([
      0,
      null,
      null,
    ]);
  });

  it("[W11] that fails on the way changes nothing and is made again", async () => {
    const store = createMemoryStore();
    const before = await filled(store);
    for (const kind of ["files", "whiteouts", "segments", "versions"]) {
      let isDown = true;
      const failing: typeof store = {
        ...store,
        list: (prefix, ...page) =>
          isDown && prefix.endsWith(`${kind}/`)
            ? Promise.reject(new Error("503"))
            : store.list(prefix, ...page),
      };
      const bucket = settledBucket({ store: failing });
      await expect(rebuild(bucket)).rejects.toMatchObject({ code: "overloaded" });
      expect([needsRebuild(bucket.rows), bucket.rows.files.size]).toEqual([true, 0]);
      isDown = false;
      await rebuild(bucket);
      expect(await dump(bucket)).toEqual(await dump(before));
    }
  });

  it("[W11] takes in what was put by hand, settles it, and leaves what no bucket could hold", async () => {
    const store = createMemoryStore();
    await store.put(key("files/AGENTS.md"), utf8("by hand"));
    await store.put(key("files/knowledge/x.bin"), new Uint8Array([0, 9]));
    await store.put(key("files//odd"), utf8("x"));
    await store.put(key("files/a.log.jsonl"), utf8("x"));
    await store.put(key("whiteouts/knowledge/a.md"), new Uint8Array());
    await store.put(key("whiteouts/skills/x/SKILL.md"), new Uint8Array());
    await store.put(key("versions/AGENTS.md/0000000000000001"), utf8("x"));
    await store.put(key("segments/b.log.jsonl/0000000000000000"), utf8("x"));
    const bucket = settledBucket({ store });
    await rebuild(bucket);
    const lines = await dump(bucket);
    expect(lines.map((line) => line.replace(/ \d{4,} /, " N "))).toEqual([
      'AGENTS.md has 1 lines: ["by hand"]',
      'AGENTS.md text N 7 false 0 outside "by hand"',
      "knowledge/a.md hidden N 0 outside",
      "knowledge/x.bin blob N 2 false 0 outside 0009",
    ]);
    await runOut(bucket.settler, bucket.clock);
    const again = settledBucket({ store });
    await rebuild(again);
    const unhidden = (all: readonly string[]) => all.filter((it) => !it.includes("hidden"));
    expect(unhidden(await dump(again))).toEqual(unhidden(lines));
  });

  it("[W15] after it an overwrite keeps the text that only the store had", async () => {
    const store = createMemoryStore();
    await filled(store);
    const bucket = settledBucket({ store });
    await rebuild(bucket);
    await bucket.write("AGENTS.md", "three");
    await runOut(bucket.settler, bucket.clock);
    await bucket.change({ kind: "undo", path: "AGENTS.md" });
    const row = bucket.rows.files.get(at("AGENTS.md"));
    expect(row && (await bucket.contents.read(row))).toEqual({ text: "two" });
  });

  it("[W11] a text that changes while it is fetched stays as it was changed", async () => {
    const store = createMemoryStore();
    await filled(store);
    let meanwhile = async () => {};
    const slow: typeof store = {
      ...store,
      async get(name) {
        const found = await store.get(name);
        await meanwhile();
        return found;
      },
    };
    const bucket = settledBucket({ store: slow });
    await rebuild(bucket);
    meanwhile = async () => {
      meanwhile = async () => {};
      await bucket.write("run.sh", "changed");
    };
    const row = bucket.rows.files.get(at("run.sh"));
    expect(row && (await bucket.contents.read(row))).toEqual({ text: "#!/bin/sh\n" });
    const changed = bucket.rows.files.get(at("run.sh"));
    expect(changed && (await bucket.contents.read(changed))).toEqual({ text: "changed" });
  });

  it("[W12] a text that the store has lost or that was damaged stays an error and is not asked for without end", async () => {
    const store = createMemoryStore();
    await filled(store);
    const bucket = settledBucket({ store });
    await rebuild(bucket);
    await store.delete([key("files/AGENTS.md")]);
    expect(await runOut(bucket.fetcher, bucket.clock)).toBeLessThan(20);
    const row = bucket.rows.files.get(at("AGENTS.md"));
    if (!row) throw new Error("no row");
    expect(() => bucket.contents.textHere({ ...row, body: 99, version: 0 })).toThrow("is missing");
    await expect(bucket.contents.read(row)).rejects.toThrow("has lost");
    const down: typeof store = { ...store, get: () => Promise.reject(new Error("503")) };
    const other = settledBucket({ store: down });
    await rebuild(other);
    const asked = other.rows.files.get(at("run.sh"));
    if (!asked) throw new Error("no row");
    await expect(other.contents.read(asked)).rejects.toMatchObject({ code: "overloaded" });
    await other.fetcher.run();
    expect(other.fetcher.due()).toBe(2_000);
  });
});
