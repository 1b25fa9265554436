import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultKinds } from "./faults.ts";
import { simulate } from "./simulate.ts";

const BLOCK = 250;
/** `SEEDS=20000`: up to this one (`npm run test:seeds`, which CI runs). */
const LAST = Number(process.env.SEEDS ?? 10_000);

/** Simulates every second seed from `first` on, and makes sure that everything that can go wrong did. */
export function simulateSeeds(first: 1 | 2): void {
  const last = LAST - 2 + first;
  const counts = new Map<string, number>();
  // Thousands of errors a second: what they say is enough, and where to look is in the trace of the seed.
  const { stackTraceLimit } = Error;
  beforeAll(() => void (Error.stackTraceLimit = 0));
  afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));
  describe(`seeds ${first}, ${first + 2} … ${last}`, () => {
    for (let from = first; from <= last; from += 2 * BLOCK) {
      const to = Math.min(last, from + 2 * (BLOCK - 1));
      it(`[T1, T2, T3, T4, T5, T6, T7, S1, S2, S3, S4] keep every promise, ${from} to ${to}`, async () => {
        for (let seed = from; seed <= to; seed += 2) {
          const { violations, faults } = await simulate(seed);
          for (const [kind, count] of faults) counts.set(kind, (counts.get(kind) ?? 0) + count);
          expect(violations, `npm run simulate -- --seed ${seed}`).toEqual([]);
        }
      });
    }

    it("see every kind of fault, often", () => {
      for (const kind of faultKinds) expect(counts.get(kind) ?? 0, kind).toBeGreaterThan(50);
    });
  });
}
