import { describe, expect, it } from "vitest";
import { Random } from "../simulation/random.ts";
import { call } from "../turn/asking-lab.ts";
import { done, FamilyLab, spawn, tool } from "./family-lab.ts";

const found = { text: "Found it.", batches: 1 } as const;

describe("a cancel", () => {
  /** A subagent with much to do, cancelled at a moment of chance: how often its model and tools were called by the answer and in the end. */
  async function cancelled(seed: number) {
    const random = new Random(seed);
    const lab = new FamilyLab();
    let calls = 0;
    lab.endsAt = (point, session) => {
      if (session !== "s1" && /^(model|tool):before$/.test(point)) calls++;
      return false;
    };
    lab.pause = () => lab.clock.sleep(random.between(1, 40));
    const steps = Array.from({ length: 12 }, (_, no) => ({
      text: "On it.",
      batches: 2,
      calls: [call(no % 2 === 0 ? "unsafe_thing" : "read_thing", `c${no}`)],
    }));
    lab.say("t", { calls: [spawn([...steps, found], { timeout_seconds: 0 })] }, done);
    while (lab.parent.family.tasks().length === 0) await lab.clock.pass(10);
    await lab.clock.pass(random.between(0, 1_500));
    const [{ id } = { id: "" }] = lab.parent.family.tasks();
    if (seed % 2 === 0) {
      let isOver = false;
      const answer = lab.parent.family.cancel(id).finally(() => (isOver = true));
      while (!isOver) await lab.clock.pass(1);
      await answer;
    } else {
      lab.say("u", { calls: [tool("task_cancel", { task_id: id })] }, done);
      while (!/status: cancelled|ended before/.test(lab.results().join())) await lab.clock.pass(1);
    }
    const before = calls;
    await lab.pass(60_000);
    const after = calls;
    return { before, after, state: lab.parent.family.task(id).state };
  }

  it("[U5] 200 of 200: nothing is asked and nothing is done for it after the answer", async () => {
    const states = new Map<string, number>();
    for (let seed = 1; seed <= 200; seed++) {
      const { before, after, state } = await cancelled(seed);
      expect([seed, after]).toEqual([seed, before]);
      states.set(state, (states.get(state) ?? 0) + 1);
    }
    // Some came to their end before; the others were stopped at work.
    expect(states.get("cancelled")).toBeGreaterThan(150);
  }, 60_000);
});

describe("a thousand spawns in a session", () => {
  it("[U2] [T12] cost each the same, and few of them are kept in lists", async () => {
    const lab = new FamilyLab();
    const costs: number[] = [];
    for (let no = 1; no <= 1_000; no++) {
      const before = lab.statements;
      await lab.run(`t${no}`, { calls: [spawn([found])] }, done);
      costs.push(lab.statements - before);
    }
    const typical = (from: number) => costs.slice(from, from + 20).toSorted((a, b) => a - b)[10];
    expect(typical(980)).toBeLessThanOrEqual((typical(10) ?? 0) * 1.03);
    expect(lab.parent.family.tasks()).toHaveLength(100);
    expect(lab.children).toHaveLength(1_000);
  }, 120_000);
});
