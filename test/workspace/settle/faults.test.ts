import { describe, expect, it } from "vitest";
import { rebuild } from "../../../src/workspace/rebuild/rebuild.ts";
import { type Fault, faultyStore } from "../../support/faulty-store.ts";
import { HastyClock } from "../../support/hasty-clock.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { openDatabase } from "../../support/node-sql.ts";
import { seededRandom } from "../../support/random.ts";
import { dump, runOut, settledBucket } from "../../support/settled-bucket.ts";

const faults: readonly (readonly Fault[])[] = [
  ["busy"],
  ["unavailable"],
  ["slow"],
  ["lost-reply"],
  ["late"],
  ["busy", "unavailable", "slow", "lost-reply", "late"],
];

const PATHS = ["AGENTS.md", "MEMORY.md", "work/a.txt", "work/b.bin", "agents/main/s.log.jsonl"];

/** The same changes every time, some of them refused. */
async function changeSome(
  { write, change }: ReturnType<typeof settledBucket>,
  random: () => number,
): Promise<void> {
  const path = PATHS[Math.floor(random() * PATHS.length)] ?? "";
  const text = `${random()}\n`;
  const what = random();
  const work = path.endsWith(".log.jsonl")
    ? change({ kind: "append", path, text })
    : what < 0.15
      ? change({ kind: "delete", path })
      : path.endsWith(".bin")
        ? write(path, new Uint8Array([0, random() * 256]))
        : what < 0.4
          ? change({ kind: "append", path, text })
          : write(path, text);
  await work.catch(() => {});
}

describe("a store with faults", () => {
  for (const [seed, set] of faults.entries()) {
    it(`[W10] [W11] ${set.join(", ")}: after all the store alone has everything, whatever restarts there were`, async () => {
      const clock = new HastyClock();
      const inner = createMemoryStore();
      const store = faultyStore(inner, clock, seed, ...set);
      const database = openDatabase();
      const random = seededRandom(seed);
      let bucket = settledBucket({ store, clock, database });
      for (let round = 0; round < 120; round += 1) {
        await changeSome(bucket, random);
        await clock.sleep(Math.ceil(random() * 15_000));
        await bucket.settler.run();
        if (random() < 0.1) bucket = settledBucket({ store, clock, database });
      }
      await runOut(bucket.settler, clock);
      await store.quiet();
      await clock.sleep(60_000);
      await runOut(bucket.settler, clock);
      const calm = settledBucket({ store: inner, clock, database });
      const rebuilt = settledBucket({ store: inner, clock });
      await rebuild(rebuilt);
      expect(await dump(rebuilt)).toEqual(await dump(calm));
      await runOut(rebuilt.fetcher, clock);
      expect(await dump(rebuilt)).toEqual(await dump(calm));
    });
  }
});
