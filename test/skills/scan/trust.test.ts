import { expect, it } from "vitest";
import type { Trust, Verdict } from "../../../src/shared/skill-facts.ts";
import { allows } from "../../../src/skills/scan/trust.ts";

it.each([
  ["builtin", true, true, true],
  ["trusted", true, true, false],
  ["agent", true, true, false],
  ["community", true, false, false],
] satisfies [Trust, boolean, boolean, boolean][])(
  "[K9] trust %s allows what is safe %s, doubtful %s, dangerous %s",
  (trust, ...allowed) => {
    const verdicts: Verdict[] = ["safe", "caution", "dangerous"];
    expect(verdicts.map((verdict) => allows(trust, verdict))).toEqual(allowed);
  },
);
