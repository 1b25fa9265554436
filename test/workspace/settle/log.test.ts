import { describe, expect, it } from "vitest";
import { commitImport, stageImport } from "../../../src/workspace/import/import.ts";
import { rebuild } from "../../../src/workspace/rebuild/rebuild.ts";
import { segmentsOf } from "../../../src/workspace/contents/segments.ts";
import { HastyClock } from "../../support/hasty-clock.ts";
import { at } from "../../support/layers.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { BUCKET } from "../../support/bucket-parts.ts";
import { countingStore, dump, runOut, settledBucket } from "../../support/settled-bucket.ts";

const LOG = "agents/main/sessions/s1.log.jsonl";
const line = (number: number, width = 100) => `${String(number).padStart(width, "0")}\n`;

describe("a log", () => {
  it("[W11] of 10,000 appends settles as parts that are put once, and their text leaves the tables", async () => {
    const store = countingStore(createMemoryStore());
    const clock = new HastyClock();
    const bucket = settledBucket({ store, clock });
    let expected = "";
    let bytes = 0;
    const put = store.put.bind(store);
    store.put = (key, value, options) => {
      bytes += value.length;
      return put(key, value, options);
    };
    for (let number = 0; number < 10_000; number += 1) {
      expected += line(number);
      await bucket.change({ kind: "append", path: LOG, text: line(number) });
      await clock.sleep(100);
      if ((bucket.settler.due() ?? Infinity) <= clock.now()) await bucket.settler.run();
    }
    await runOut(bucket.settler, clock);
    // Every five minutes for a quarter of an hour, and the end.
    expect(store.calls.filter((call) => call.startsWith("put")).length).toBeLessThanOrEqual(6);
    expect(bytes).toBeLessThan(1.5 * expected.length);
    const parts = bucket.rows.sql.all<{ count: number }>("SELECT count(*) AS count FROM part");
    expect(parts[0]?.count).toBeLessThan(2_600);
    const sealed = segmentsOf(bucket.rows.sql, at(LOG));
    expect(sealed.length).toBeGreaterThanOrEqual(1);
    expect(sealed.every(({ size }) => size >= 256 * 1024)).toBe(true);

    const row = bucket.rows.files.get(at(LOG));
    if (!row) throw new Error("no log");
    expect(await bucket.contents.read(row)).toEqual({ text: expected });
    store.calls.length = 0;
    const page = await bucket.contents.lines(row, 9_998, 5);
    expect(page).toEqual({ lines: [line(9_998).trim(), line(9_999).trim()], total: 10_000 });
    expect(store.calls).toEqual([]);
    expect((await bucket.contents.lines(row, 0, 1)).lines).toEqual([line(0).trim()]);
    expect(store.calls).toHaveLength(1);
  });

  it("[W11] is rebuilt from its parts, and goes on", async () => {
    const store = createMemoryStore();
    const bucket = settledBucket({ store });
    const text = line(1, 300_000) + line(2);
    await bucket.change({ kind: "append", path: LOG, text });
    await runOut(bucket.settler, bucket.clock);
    const rebuilt = settledBucket({ store });
    await rebuild(rebuilt);
    expect(await dump(rebuilt)).toEqual(await dump(bucket));
    await rebuilt.change({ kind: "append", path: LOG, text: line(3) });
    await runOut(rebuilt.settler, rebuilt.clock);
    const again = settledBucket({ store });
    await rebuild(again);
    const row = again.rows.files.get(at(LOG));
    expect(row && (await again.contents.read(row))).toEqual({ text: text + line(3) });
  });

  it("[W11] that was deleted and begun anew never shows what it was before, here or rebuilt", async () => {
    const store = createMemoryStore();
    const bucket = settledBucket({ store });
    for (const number of [1, 2, 3])
      await bucket.change({ kind: "append", path: LOG, text: line(number, 300_000) });
    await runOut(bucket.settler, bucket.clock);
    await bucket.change({ kind: "delete", path: LOG });
    await bucket.change({ kind: "append", path: LOG, text: "new\n" });
    for (const state of ["before it is settled", "after"]) {
      const row = bucket.rows.files.get(at(LOG));
      expect(row && (await bucket.contents.read(row)), state).toEqual({ text: "new\n" });
      await runOut(bucket.settler, bucket.clock);
    }
    const rebuilt = settledBucket({ store });
    await rebuild(rebuilt);
    expect(await dump(rebuilt)).toEqual(await dump(bucket));

    await bucket.change({ kind: "delete", path: LOG });
    await runOut(bucket.settler, bucket.clock);
    const left = await store.list(`${BUCKET}segments/`);
    expect(left.entries).toEqual([]);
  });

  it("[W11] that is replaced while it is sealed keeps the new text", async () => {
    const inner = createMemoryStore();
    let meanwhile = async () => {};
    const store: typeof inner = {
      ...inner,
      async put(...asked) {
        const outcome = await inner.put(...asked);
        await meanwhile();
        return outcome;
      },
    };
    const bucket = settledBucket({ store });
    await bucket.change({ kind: "append", path: LOG, text: line(1, 300_000) });
    meanwhile = async () => {
      meanwhile = async () => {};
      await bucket.change({ kind: "delete", path: LOG });
      await bucket.change({ kind: "append", path: LOG, text: "new\n" });
    };
    await runOut(bucket.settler, bucket.clock);
    const row = bucket.rows.files.get(at(LOG));
    expect(row && (await bucket.contents.read(row))).toEqual({ text: "new\n" });
    const rebuilt = settledBucket({ store: inner });
    await rebuild(rebuilt);
    expect(await dump(rebuilt)).toEqual(await dump(bucket));
  });

  it("[W11] that is deleted and imported anew while it is sealed keeps the imported text", async () => {
    const inner = createMemoryStore();
    let meanwhile = async () => {};
    const store: typeof inner = {
      ...inner,
      async put(...asked) {
        const outcome = await inner.put(...asked);
        await meanwhile();
        return outcome;
      },
    };
    const bucket = settledBucket({ store });
    await bucket.change({ kind: "append", path: LOG, text: line(1, 300_000) });
    meanwhile = async () => {
      meanwhile = async () => {};
      await bucket.change({ kind: "delete", path: LOG });
      const content = { text: "imported\n" };
      await stageImport(bucket, "i", { no: 0, changes: [{ kind: "write", path: LOG, content }] });
      await commitImport(bucket, "i", "job:import");
    };
    await runOut(bucket.settler, bucket.clock);
    const row = bucket.rows.files.get(at(LOG));
    expect(row && (await bucket.contents.read(row))).toEqual({ text: "imported\n" });
  });

  it("[W11] whose key a late delete may still hit is not sealed before that is over", async () => {
    const inner = createMemoryStore();
    let late: (() => Promise<void>) | null = null;
    let isLate = false;
    const store: typeof inner = {
      ...inner,
      async delete(keys) {
        if (!isLate) return inner.delete(keys);
        isLate = false;
        late = () => inner.delete(keys);
        throw new Error("no answer");
      },
    };
    const bucket = settledBucket({ store });
    await bucket.change({ kind: "append", path: LOG, text: "old\n" });
    await runOut(bucket.settler, bucket.clock);
    await bucket.change({ kind: "delete", path: LOG });
    await bucket.clock.sleep(10_000);
    isLate = true;
    await bucket.settler.run();
    await bucket.change({ kind: "append", path: LOG, text: line(1, 300_000) });
    await bucket.clock.sleep(20_000);
    await bucket.settler.run();
    await bucket.clock.sleep(20_000);
    await bucket.settler.run();
    await (late as (() => Promise<void>) | null)?.();
    await runOut(bucket.settler, bucket.clock);
    const row = bucket.rows.files.get(at(LOG));
    expect(row && (await bucket.contents.read(row))).toEqual({ text: line(1, 300_000) });
    expect(segmentsOf(bucket.rows.sql, at(LOG))).toHaveLength(1);
  });

  it("[W12] with a part that is lost or damaged is an error, whole and in pages", async () => {
    const store = createMemoryStore();
    const bucket = settledBucket({ store });
    await bucket.change({ kind: "append", path: LOG, text: line(1, 300_000) });
    await runOut(bucket.settler, bucket.clock);
    const row = bucket.rows.files.get(at(LOG));
    const [entry] = (await store.list(`${BUCKET}segments/`)).entries;
    if (!row || !entry) throw new Error("not settled");
    await store.put(entry.key, new Uint8Array([65]));
    await expect(bucket.contents.read(row)).rejects.toThrow("other bytes");
    await store.delete([entry.key]);
    await expect(bucket.contents.read(row)).rejects.toThrow("has lost");
    await expect(bucket.contents.lines(row, 0, 1)).rejects.toThrow("has lost");
    await bucket.change({ kind: "append", path: LOG, text: "more\n" });
    const longer = bucket.rows.files.get(at(LOG));
    expect(longer && (await bucket.contents.lines(longer, 1, 5)).lines).toEqual(["more"]);
  });
});
