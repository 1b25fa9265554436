import { describe, expect, it } from "vitest";
import { GOAL, talk } from "../turn/compaction-talk.ts";

describe("a conversation of 1,000 turns", () => {
  it("[C6, T12] stays within the window, is compacted at most once in 20 turns, and keeps its first instruction", async () => {
    const window = 8_000;
    const { sizes, facts, violations, overflows, asked, lab } = await talk(1_000, {
      window,
      config: { reserved: 2_000, keepTokensMin: 500 },
    });
    console.log(`${facts.length} compactions, at most ${Math.max(...sizes)} tokens`);
    expect(violations).toEqual([]);
    expect(overflows).toBe(0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(window);
    expect(facts.length).toBeLessThanOrEqual(50);
    expect(asked).toContain(GOAL);
    expect(lab.entries().filter(({ kind }) => kind === "end")).toHaveLength(1_000);
  });
});
