import { describe, expect, it } from "vitest";
import { Client, scenarios, type Scenario } from "./crash-scenarios.ts";
import { FamilyLab } from "./family-lab.ts";
import { familyViolations } from "./family-violations.ts";

/** Plays a scenario in which the object of whichever session comes to the `no`th point ends there; where that was. */
async function crashedAt(scenario: Scenario, no: number) {
  const lab = new FamilyLab(scenario.options);
  const { slow } = scenario;
  if (slow !== undefined) lab.pause = () => lab.clock.sleep(slow);
  let count = 0;
  let at: string | null = null;
  lab.endsAt = (name, session) => {
    if (++count !== no) return false;
    at = `${no}: ${name} of ${session === "s1" ? "the parent" : "a subagent"}`;
    return true;
  };
  try {
    await scenario.play(new Client(lab));
  } catch (error) {
    return { at, count, found: [`${String(error)}`] };
  }
  return { at, count, found: familyViolations(lab, scenario) };
}

describe("a session and its subagents", () => {
  it.each(scenarios)(
    "[U3] [U4] [U5] [U6] ($name) lose and double nothing wherever an object of them ends",
    async (scenario) => {
      const first = await crashedAt(scenario, 0);
      expect(first.found).toEqual([]);
      const violations: string[] = [];
      let no = 1;
      for (let at: string | null = ""; at !== null; no++) {
        const run = await crashedAt(scenario, no);
        at = run.at;
        violations.push(...run.found.map((what) => `${at}: ${what}`));
      }
      expect(violations).toEqual([]);
      expect(no).toBeGreaterThan(first.count / 2);
    },
    120_000,
  );
});
