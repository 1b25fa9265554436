import { describe, expect, it } from "vitest";
import { setJob } from "../../../src/workspace/jobs.ts";
import { factsOf } from "../../../src/workspace/store/metadata.ts";
import { rebuild } from "../../../src/workspace/rebuild/rebuild.ts";
import type { StorageKey } from "../../../src/workspace/store/storage-key.ts";
import { HastyClock } from "../../support/hasty-clock.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { openDatabase } from "../../support/node-sql.ts";
import { BUCKET } from "../../support/bucket-parts.ts";
import { countingStore, dump, runOut, settledBucket } from "../../support/settled-bucket.ts";

const key = (name: string) => `${BUCKET}${name}` as StorageKey;
const utf8 = (text: string) => new TextEncoder().encode(text);
const textAt = async (store: ReturnType<typeof createMemoryStore>, name: string) => {
  const found = await store.get(key(name));
  return found && new TextDecoder().decode(found.bytes);
};

describe("the write-behind", () => {
  it("[W11] puts every file, deletion, whiteout and earlier version under its readable key, and then rests", async () => {
    const store = createMemoryStore();
    const bucket = settledBucket({ store, template: { "knowledge/a.md": "lower" } });
    await bucket.write("AGENTS.md", "one");
    await bucket.write("AGENTS.md", "two\r\n");
    await bucket.write("notes/ä b.md", "");
    await bucket.write("logo.png", new Uint8Array([0, 255, 1]));
    await bucket.change({ kind: "delete", path: "knowledge/a.md" });
    expect(bucket.settler.due()).toBe(10_000);
    await runOut(bucket.settler, bucket.clock);
    expect(bucket.settler.due()).toBeNull();

    expect(await textAt(store, "files/AGENTS.md")).toBe("two\r\n");
    expect(await textAt(store, "files/notes/ä b.md")).toBe("");
    expect(await store.get(key("files/logo.png"))).toMatchObject({
      bytes: new Uint8Array([0, 255, 1]),
      metadata: { type: "blob", by: "user:ann" },
    });
    expect(await textAt(store, "whiteouts/knowledge/a.md")).toBe("");
    expect(await textAt(store, "versions/AGENTS.md/0000000000000001")).toBe("one");
    const found = await store.get(key("files/AGENTS.md"));
    expect(factsOf(found?.metadata ?? {})).toMatchObject({ version: 2, author: "user:ann" });

    await bucket.change({ kind: "delete", path: "AGENTS.md" });
    await bucket.change({ kind: "reset", path: "knowledge/a.md" });
    await runOut(bucket.settler, bucket.clock);
    expect(await store.get(key("files/AGENTS.md"))).toBeNull();
    expect(await store.get(key("whiteouts/knowledge/a.md"))).toBeNull();
    expect(await textAt(store, "versions/AGENTS.md/0000000000000002")).toBe("two\r\n");
    expect([...bucket.rows.files.values()].filter(({ type }) => type === "gone")).toEqual([]);
  });

  it("[W10] a change is put in time though the job waits for something later", async () => {
    const store = createMemoryStore();
    const bucket = settledBucket({ store });
    bucket.rows.commit("later", ({ sql }) => setJob(sql, "settle", 57_000, 0));
    await bucket.write("a.txt", "now");
    expect(bucket.settler.due()).toBe(10_000);
    await bucket.clock.sleep(10_000);
    await bucket.settler.run();
    expect(await textAt(store, "files/a.txt")).toBe("now");
  });

  it("[W10] many quick changes of three files are three puts, each file's after it was quiet for 10 s", async () => {
    const store = countingStore(createMemoryStore());
    const clock = new HastyClock();
    const bucket = settledBucket({ store, clock });
    for (let round = 0; round < 20; round += 1) {
      for (const name of ["a", "b", "c"]) await bucket.write(`work/${name}.txt`, `round ${round}`);
      await clock.sleep(400);
      await bucket.settler.run();
    }
    expect(store.calls).toEqual([]);
    await runOut(bucket.settler, clock);
    expect(store.calls.toSorted()).toEqual(
      ["a", "b", "c"].map((name) => `put ${key(`files/work/${name}.txt`)}`),
    );
  });

  it("[W10] a file that never rests is put every five minutes", async () => {
    const store = countingStore(createMemoryStore());
    const clock = new HastyClock();
    const bucket = settledBucket({ store, clock });
    while (clock.now() < 1_000_000) {
      await bucket.write("work/a.txt", `at ${clock.now()}`);
      await clock.sleep(5_000);
      if ((bucket.settler.due() ?? Infinity) <= clock.now()) await bucket.settler.run();
    }
    expect(store.calls).toHaveLength(3);
  });

  it("costs no row for further changes while its job waits, and leaves no job when all is clean", async () => {
    const bucket = settledBucket();
    const jobs = () => bucket.rows.sql.all("SELECT id, due FROM job WHERE id = 'settle'");
    await bucket.write("a", "1");
    const first = jobs();
    await bucket.write("a", "2");
    expect(jobs()).toEqual(first);
    await runOut(bucket.settler, bucket.clock);
    expect(jobs()).toEqual([]);
  });

  it("[W11] a change that comes while its file is put stays dirty and is put, too", async () => {
    const inner = createMemoryStore();
    const clock = new HastyClock();
    let meanwhile = async () => {};
    const store = {
      ...inner,
      put: async (...asked: Parameters<typeof inner.put>) => {
        const outcome = await inner.put(...asked);
        await meanwhile();
        return outcome;
      },
    };
    const bucket = settledBucket({ store, clock });
    await bucket.write("MEMORY.md", "one");
    meanwhile = async () => {
      meanwhile = async () => {};
      await bucket.write("MEMORY.md", "two");
    };
    await clock.sleep(10_000);
    await bucket.settler.run();
    expect(await textAt(inner, "files/MEMORY.md")).toBe("one");
    expect(bucket.settler.due()).toBe(20_000);
    await runOut(bucket.settler, clock);
    expect(await textAt(inner, "files/MEMORY.md")).toBe("two");
    expect(await textAt(inner, "versions/MEMORY.md/0000000000000001")).toBe("one");
  });

  it("[W10] a put that was stored but not answered counts when it is met again; after a restart, too", async () => {
    const inner = createMemoryStore();
    const database = openDatabase();
    let fails = 1;
    const store = {
      ...inner,
      put: async (...asked: Parameters<typeof inner.put>) => {
        const outcome = await inner.put(...asked);
        if ((fails -= 1) >= 0) throw new Error("no answer");
        return outcome;
      },
    };
    const clock = new HastyClock();
    const first = settledBucket({ store, clock, database });
    await first.write("a", "text");
    await clock.sleep(10_000);
    await first.settler.run();
    expect(first.rows.files.get("a" as never)).toMatchObject({ dirty: 0, tag: null });
    const second = settledBucket({ store, clock, database });
    await runOut(second.settler, clock);
    expect(second.rows.files.get("a" as never)).toMatchObject({ dirty: null, tag: "1" });
  });

  it("[W15] an outside edit of what changed here, too, becomes an earlier version, and ours is put over it", async () => {
    const store = createMemoryStore();
    const bucket = settledBucket({ store });
    await bucket.write("AGENTS.md", "one");
    await runOut(bucket.settler, bucket.clock);
    await store.put(key("files/AGENTS.md"), utf8("outside"));
    await bucket.write("AGENTS.md", "two");
    await runOut(bucket.settler, bucket.clock);
    expect(await textAt(store, "files/AGENTS.md")).toBe("two");
    const lines = await dump(bucket);
    expect(lines.filter((line) => line.includes("was text"))).toEqual([
      'AGENTS.md was text 1 3 false 0 user:ann "one"',
      expect.stringMatching(/^AGENTS.md was text 3 7 false \d+ outside "outside"$/),
    ]);
  });

  it("[W10] a store that fails is tried after 2 s, 4 s … up to 10 minutes, and nothing is forgotten", async () => {
    const inner = createMemoryStore();
    let isDown = true;
    const store: typeof inner = {
      ...inner,
      put: (...asked) => (isDown ? Promise.reject(new Error("503")) : inner.put(...asked)),
    };
    const bucket = settledBucket({ store });
    await bucket.write("a", "text");
    const waits: number[] = [];
    await bucket.clock.sleep(10_000);
    for (let tries = 0; tries < 11; tries += 1) {
      await bucket.settler.run();
      const due = bucket.rows.files.get("a" as never)?.dirty === 0 ? bucket.settler.due() : null;
      const wait = Math.max(0, (due ?? NaN) - bucket.clock.now());
      waits.push(wait);
      await bucket.clock.sleep(wait);
    }
    expect(Math.max(...waits)).toBeLessThanOrEqual(600_000);
    expect(waits.slice(0, 5)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000]);
    isDown = false;
    await runOut(bucket.settler, bucket.clock);
    expect(await textAt(inner, "files/a")).toBe("text");
  });

  it("[W12] a text that is not what was written is never put", async () => {
    const store = countingStore(createMemoryStore());
    const bucket = settledBucket({ store });
    await bucket.write("a", "text");
    bucket.rows.sql.run("UPDATE part SET text = 'tex'");
    await bucket.clock.sleep(10_000);
    await bucket.settler.run();
    bucket.rows.sql.run("DELETE FROM part");
    await bucket.clock.sleep(10_000);
    await bucket.settler.run();
    expect(store.calls).toEqual([]);
    expect(bucket.rows.files.get("a" as never)?.dirty).toBe(0);
  });

  it("[W11] what is only half settled when the object is lost for good is there as it was settled", async () => {
    const store = createMemoryStore();
    const bucket = settledBucket({ store });
    await bucket.write("a", "settled");
    await runOut(bucket.settler, bucket.clock);
    await bucket.write("a", "not settled");
    const next = settledBucket({ store });
    await rebuild(next);
    expect((await dump(next)).join()).toContain('"settled"');
  });
});
