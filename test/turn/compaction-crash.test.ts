import { describe, expect, it } from "vitest";
import { replayViolations, streamViolations } from "../support/stream-invariants.ts";
import type { IdentifiedEvent } from "../../src/shared/events.ts";
import { CompactionLab } from "./compaction-lab.ts";
import { GOAL } from "./compaction-talk.ts";

const long = "A sentence about nothing much. ".repeat(100);

/** A conversation with a compaction in the background, one in front of a step and one after an overflow. */
async function converse(
  crashAt: number | null,
): Promise<{ points: number; talking: CompactionLab }> {
  const talking = new CompactionLab({
    window: 8_000,
    isSilent: true,
    config: { triggerTokens: 6_000, keepTokens: 1_500, prune: null },
    partial: "I will",
    answer: () => ({ text: long }),
  });
  const { lab } = talking;
  let points = 0;
  let isGone = false;
  lab.onPoint = (name) => {
    if (isGone) throw new Error("gone");
    if (!/^commit:(compact|shorten|retry|attempt)/.test(name)) return;
    if (++points !== crashAt) return;
    isGone = true;
    throw new Error("gone");
  };
  const wake = async (): Promise<void> => {
    await lab.settle();
    if (!isGone) return;
    isGone = false;
    lab.restart();
    lab.session.state();
    await lab.settle();
  };
  const four = [long, long, long, long];
  const paste = "word ".repeat(30_000);
  const messages = [GOAL, ...four, long.repeat(3), ...four, "ok", paste, "ok"];
  for (const [no, message] of messages.entries()) {
    lab.say(`t${no}`, message);
    await wake();
  }
  await wake();
  return { points, talking };
}

describe("a crash in the middle of a compaction", () => {
  it("[C6, C7, T2, S2] loses nothing, doubles nothing, and leaves a context that every provider takes, at any commit of it", async () => {
    const { points, talking: calm } = await converse(null);
    expect(calm.hows).toMatch(/^summary summary/);
    expect(calm.lab.story()).toContain("shortened");
    expect(points).toBeGreaterThan(8);
    for (let at = 1; at <= points; at++) {
      const { talking } = await converse(at);
      const { lab } = talking;
      expect(talking.violations).toEqual([]);
      const ends = lab.entries().filter(({ kind }) => kind === "end");
      expect([at, ends.length, lab.story()]).toEqual([
        at,
        13,
        expect.not.stringContaining("end:internal"),
      ]);
      expect(talking.asked).toContain(GOAL);
      const tail = lab.listen();
      await lab.settle();
      const events = tail
        .frames()
        .flatMap(({ id, event }): IdentifiedEvent[] => (id ? [{ id, event }] : []));
      expect(replayViolations(events)).toEqual([]);
      expect(streamViolations(events, events)).toEqual([]);
      expect(talking.facts.length).toBeLessThanOrEqual(calm.facts.length + 1);
    }
  });
});
