import { describe, expect, it } from "vitest";
import { runBucket } from "./bucket-run.ts";

/** More of them run in `test/long/bucket-seeds.test.ts`. */
const SEEDS = 16;

describe("a bucket under chaos", () => {
  it("[W10] [W11] [W15] loses nothing, doubles nothing, and its store alone rebuilds it", async () => {
    const total = { accepted: 0, crashes: 0 };
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const { violations, accepted, crashes } = await runBucket(seed);
      expect(violations, `seed ${seed}`).toEqual([]);
      total.accepted += accepted;
      total.crashes += crashes;
    }
    expect(total.accepted).toBeGreaterThan(40 * SEEDS);
    expect(total.crashes).toBeGreaterThan(SEEDS);
  });

  it("[W11] goes the same way for the same seed", async () => {
    expect(await runBucket(3)).toEqual(await runBucket(3));
  });
});
