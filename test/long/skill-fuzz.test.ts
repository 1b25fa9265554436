import { describe, expect, it } from "vitest";
import { loadSkillTexts } from "../skills/format/load-skill-texts.ts";

describe("100,000 texts that are skills more or less", () => {
  it("[K1] are loaded or refused with a reason, never with an error, and change nothing", () => {
    const { skills, maxMs, slowest } = loadSkillTexts(1, 100_000, true);
    console.info(
      `${skills} were loaded; the slowest, seed ${slowest}, took ${maxMs.toFixed(2)} ms`,
    );
    expect(skills).toBeGreaterThan(20_000);
    expect(maxMs).toBeLessThanOrEqual(5);
  });
});
