import { afterAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { sample, seededRandom } from "../support/random.ts";
import { CrashLab, type Plan, type Run, type Scenario } from "./crash-lab.ts";

/** Sessions that run beside each other: each mostly waits. */
const BESIDE = 8;
/** Second crashes tried for each scenario, and how long one may take on a busy machine. */
const PAIRS = inject("crashPairs");
const PATIENCE_MS = 180_000 + PAIRS * 5_000;

/**
 * Crashes these scenarios at each point, and at a sample of the points of what follows. `commits`: the kinds of commit
 * that they reach; a point of another kind is a fault of this list.
 */
export function sweep(scenarios: readonly Scenario[], commits: string): void {
  beforeEach(() => {
    // Every crash and every recovery logs a line.
    for (const level of ["info", "warn", "error"] as const)
      vi.spyOn(console, level).mockImplementation(() => {});
  });

  describe("a session whose object crashes", { timeout: PATIENCE_MS }, () => {
    const names = new Set<string>();
    const total = { points: 0, crashes: 0, pairs: 0, violations: 0 };
    const count = (runs: readonly Run[]) => {
      for (const { passed, crashes, violations } of runs) {
        for (const name of passed.flat()) names.add(name);
        total.crashes += crashes;
        total.pairs += crashes === 2 ? 1 : 0;
        total.violations += violations.length;
      }
    };

    const cases = scenarios.map((scenario, index) => ({ name: scenario.name, scenario, index }));

    it.each(cases)(
      "[T1, T2, T5, T6, S1, S2] at any point of $name",
      async ({ scenario, index }) => {
        const once = await crashAtEachPoint(scenario, index);
        total.points += once.at(-1)?.passed[0]?.length ?? 0;
        const pairs = sample(once.flatMap(secondCrashes), PAIRS, seededRandom(index));
        const twice = await runBeside(scenario, index, pairs);
        count([...once, ...twice]);
        expect([...once, ...twice].flatMap(describeViolations)).toEqual([]);
        // Where chance decides which turn a message is in, it also decides how often the model is asked.
        if (typeof scenario.outcomes !== "string") return;
        const calm = once.at(-1)?.requests ?? 0;
        const costly = [...once, ...twice].filter(
          ({ requests, crashes }) => requests > calm + crashes,
        );
        expect(costly.map(({ plan }) => plan.join())).toEqual([]);
      },
    );

    it("[T1] there was a crash at every kind of point", () => {
      const kinds = commits.split(" ").map((name) => `commit:${name}`);
      kinds.push("model", "tool", "alarm");
      const expected = kinds.flatMap((kind) => [`${kind}:before`, `${kind}:after`]);
      expected.push("model:batch");
      const rpc = [...names].filter((name) => name.startsWith("rpc:"));
      expect(rpc.length).toBeGreaterThanOrEqual(12);
      expect([...names].filter((name) => !rpc.includes(name)).toSorted()).toEqual(
        expected.toSorted(),
      );
    });

    afterAll(() => {
      const { points, crashes, pairs, violations } = total;
      console.log(
        `crash sweep: ${scenarios.length} scenarios, ${points} points, ${crashes} crashes (${pairs} pairs), ${violations} violations`,
      );
    });
  });
}

/** The scenario again and again, with a crash at its first point, its second and so on, until none is left. */
async function crashAtEachPoint(scenario: Scenario, index: number): Promise<Run[]> {
  const runs: Run[] = [];
  while (runs.at(-1)?.crashes !== 0) {
    const plans = Array.from({ length: BESIDE }, (_, at) => [runs.length + at + 1]);
    runs.push(...(await runBeside(scenario, index, plans)));
  }
  return runs;
}

/** The same crash, and another at each point of what came after it. */
const secondCrashes = ({ plan, passed }: Run): Plan[] =>
  (passed[1] ?? []).map((_, at) => [...plan, at + 1]);

/** Each time in a world of its own, so that what is past costs nothing. */
async function runBeside(
  scenario: Scenario,
  index: number,
  plans: readonly Plan[],
): Promise<Run[]> {
  const runs: Run[] = [];
  for (let at = 0; at < plans.length; at += BESIDE) {
    const lab = new CrashLab();
    const some = plans.slice(at, at + BESIDE);
    const ids = some.map((plan) => `${index}-${plan.join("-")}`);
    runs.push(
      ...(await Promise.all(some.map((plan, which) => lab.run(scenario, ids[which] ?? "", plan)))),
    );
  }
  return runs;
}

function describeViolations({ plan, passed, violations }: Run): string[] {
  const at = passed.slice(0, -1).map((points) => points.at(-1));
  return violations.map((what) => `crash at ${plan.join()} (${at.join()}): ${what}`);
}
