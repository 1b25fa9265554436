import { expect, it } from "vitest";
import { runBucket } from "../simulation/bucket-run.ts";

const SEEDS = 1_000;

it("[W10] [W11] [W15] a bucket under chaos loses nothing, for 1,000 seeds", async () => {
  for (let seed = 1_000; seed < 1_000 + SEEDS; seed += 1) {
    const { violations } = await runBucket(seed);
    expect(violations, `seed ${seed}`).toEqual([]);
  }
});
