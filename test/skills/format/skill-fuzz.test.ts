import { describe, expect, it } from "vitest";
import { loadSkillTexts } from "./load-skill-texts.ts";

describe("2,000 texts that are skills more or less", () => {
  it("[K1] are loaded or refused with a reason, never with an error, and change nothing", () => {
    expect(loadSkillTexts(1_000_000, 2_000).skills).toBeGreaterThan(400);
  });
});
