import { describe, expect, it } from "vitest";
import { recordOp } from "../../../src/workspace/change/ops.ts";
import { SWEEP_EVERY_MS } from "../../../src/workspace/settle/sweep.ts";
import type { StorageKey } from "../../../src/workspace/store/storage-key.ts";
import { HastyClock } from "../../support/hasty-clock.ts";
import { at } from "../../support/layers.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { BUCKET } from "../../support/bucket-parts.ts";
import { dump, runOut, settledBucket } from "../../support/settled-bucket.ts";

const HOUR = 3_600_000;
const names = async (store: ReturnType<typeof createMemoryStore>) =>
  (await store.list(BUCKET)).entries.map(({ key }) => key.slice(BUCKET.length));

async function settled(store = createMemoryStore()) {
  const bucket = settledBucket({ store, limits: { versions: 1 } });
  await bucket.write("AGENTS.md", "one");
  await bucket.write("AGENTS.md", "two");
  await bucket.write("work/x.bin", new Uint8Array([0, 1]));
  await bucket.change({ kind: "append", path: "s.log.jsonl", text: "{}\n" });
  await runOut(bucket.settler, bucket.clock);
  await bucket.write("AGENTS.md", "three");
  await bucket.write("work/x.bin", new Uint8Array([0, 2]));
  await runOut(bucket.settler, bucket.clock);
  return { bucket, store };
}

describe("the sweep", () => {
  it("[W10] comes a month after a change and deletes what nothing refers to on the second sight, a day later", async () => {
    const { bucket, store } = await settled();
    const before = await dump(bucket);
    const all = await names(store);
    expect(bucket.sweeper.due()).toBeGreaterThan(SWEEP_EVERY_MS);
    await bucket.clock.sleep((bucket.sweeper.due() ?? 0) - bucket.clock.now());
    await bucket.sweeper.run();
    expect(await names(store)).toEqual(all);
    await bucket.clock.sleep(24 * HOUR);
    await bucket.sweeper.run();
    expect(await names(store)).toEqual(all);
    await runOut(bucket.sweeper, bucket.clock);
    const gone = all.filter((name) => name.startsWith("versions") || name.startsWith("blobs"));
    const left = await names(store);
    expect(gone.filter((name) => !left.includes(name))).toHaveLength(2);
    expect(left).toHaveLength(all.length - 2);
    expect(await dump(bucket)).toEqual(before);
    await runOut(bucket.settler, bucket.clock);
    expect([bucket.sweeper.due(), bucket.rows.sql.all("SELECT * FROM unsure")]).toEqual([null, []]);
  });

  it("[W10] leaves a blob that is put again before it is a day old", async () => {
    const { bucket, store } = await settled();
    await bucket.clock.sleep(SWEEP_EVERY_MS + 60_000);
    await bucket.sweeper.run();
    await bucket.clock.sleep(24 * HOUR);
    await bucket.contents.putBlob(new Uint8Array([0, 1]));
    await bucket.clock.sleep(2 * HOUR);
    await bucket.sweeper.run();
    expect((await names(store)).filter((name) => name.startsWith("blobs/"))).toHaveLength(2);
    await bucket.write("work/x.bin", new Uint8Array([0, 1]));
    const row = bucket.rows.files.get(at("work/x.bin"));
    expect(row && (await bucket.contents.read(row))).toEqual({ bytes: new Uint8Array([0, 1]) });
    expect((await names(store)).filter((name) => name.startsWith("blobs/"))).toHaveLength(2);
  });

  it("[W10] whose delete may still come refuses the same blob until it cannot", async () => {
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
    const { bucket } = await settled(store);
    await bucket.clock.sleep(SWEEP_EVERY_MS + 60_000);
    await bucket.sweeper.run();
    await bucket.clock.sleep(25 * HOUR);
    isLate = true;
    await bucket.sweeper.run();
    const again = () => bucket.write("work/x.bin", new Uint8Array([0, 1]));
    await expect(again()).rejects.toMatchObject({ code: "overloaded" });
    await bucket.clock.sleep(3_000);
    await bucket.sweeper.run();
    await expect(again()).rejects.toMatchObject({ code: "overloaded" });
    await (late as (() => Promise<void>) | null)?.();
    await runOut(bucket.settler, bucket.clock);
    await again();
    const row = bucket.rows.files.get(at("work/x.bin"));
    expect(row && (await bucket.contents.read(row))).toEqual({ bytes: new Uint8Array([0, 1]) });
    await runOut(bucket.settler, bucket.clock);
    await runOut(bucket.sweeper, bucket.clock);
    await expect(dump(bucket)).resolves.toBeTruthy();
  });

  it("forgets operations after a week and imports after a day, and then has no job", async () => {
    const clock = new HastyClock();
    const bucket = settledBucket({ clock });
    bucket.rows.commit("test", (tx) => {
      recordOp(tx, "a", 0, {});
      tx.sql.run("INSERT INTO staged VALUES ('i', 0, 0, 0, '{}' || char(10))");
      bucket.sweeper.markStaged(tx);
    });
    expect(bucket.sweeper.due()).toBe(24 * HOUR);
    await runOut(bucket.sweeper, clock);
    expect(bucket.rows.sql.all("SELECT id FROM op UNION SELECT import FROM staged")).toEqual([]);
    expect(clock.now()).toBeLessThan(2 * SWEEP_EVERY_MS);
  });

  it("[W10] goes on after the store failed", async () => {
    const inner = createMemoryStore();
    let fails = 0;
    const store: typeof inner = {
      ...inner,
      list: (...asked) =>
        (fails -= 1) >= 0 ? Promise.reject(new Error("503")) : inner.list(...asked),
    };
    const { bucket } = await settled(store);
    fails = 3;
    const before = await names(inner);
    await runOut(bucket.sweeper, bucket.clock);
    expect(await names(inner)).toHaveLength(before.length - 2);
  });

  it("deletes parts of a log that was begun anew over them", async () => {
    const { bucket, store } = await settled();
    const stray = `${BUCKET}segments/s.log.jsonl/0000000000000007` as StorageKey;
    await store.put(stray, new Uint8Array([1]));
    await runOut(bucket.sweeper, bucket.clock);
    expect((await names(store)).filter((name) => name.startsWith("segments/"))).toHaveLength(1);
  });
});
