import { describe, expect, it } from "vitest";
import { CompactionLab, type Options, textsOf } from "./compaction-lab.ts";
import { GOAL, look, talk } from "./compaction-talk.ts";

const small: Options = { window: 8_000, config: { reserved: 2_000, keepTokensMin: 500 } };
const prose = "The boxes are packed by shelf, and each has a number on it. ";

describe("a long conversation", () => {
  it("[C6, T12] of 200 turns stays within the window, is compacted at most every 20 turns, and keeps its first instruction", async () => {
    const { sizes, facts, hows, violations, lab, asked, overflows } = await talk(200, small);
    expect(violations).toEqual([]);
    expect(overflows).toBe(0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(8_000);
    expect(hows).toMatch(/^summary( summary){4,9}$/);
    for (const { before, after } of facts) {
      expect(after.tokens).toBeLessThan(before.tokens * 0.7);
      expect(after.messages).toBeLessThan(before.messages * 0.6);
    }
    expect(asked).toContain(GOAL);
    expect(lab.entries().filter(({ kind }) => kind === "end")).toHaveLength(200);
    expect(lab.session.history({ limit: 1_000 }).messages).toHaveLength(400);
    expect(lab.session.state().summary).toContain(GOAL);
  });

  it("[C3] begins each of 50 requests with all that the one before had, byte for byte", async () => {
    const talking = new CompactionLab({
      config: { triggerMessages: 0 },
      answer: look,
    });
    for (let no = 0; no < 50; no++) await talking.say(`t${no}`, `Question no. ${no}.`);
    const requests = talking.requests.map(({ system, tools, messages }) => ({
      frame: JSON.stringify([system, tools]),
      messages: JSON.stringify(messages).slice(0, -1),
    }));
    expect(new Set(requests.map(({ frame }) => frame)).size).toBe(1);
    for (const [at, { messages }] of requests.entries())
      expect(messages.startsWith(requests[at - 1]?.messages ?? "")).toBe(true);
    expect(requests.length).toBeGreaterThan(60);
  });

  it("[C6] keeps how it began through five compactions, in the summary's input and in view", async () => {
    let no = 0;
    const talking = await talk(120, {
      ...small,
      summary: (request) =>
        `## SUMMARY\nNumber ${++no}, after ${textsOf(request.messages).length}.`,
    });
    expect(talking.summaries.length).toBeGreaterThanOrEqual(5);
    for (const [at, request] of talking.summaries.entries()) {
      const input = textsOf(request.messages);
      expect(input).toContain(GOAL);
      if (at > 0) expect(input).toContain(`Number ${at}, after`);
    }
    expect(talking.asked).toContain(GOAL);
    expect(talking.asked).toContain(`Number ${no}, after`);
    expect(talking.lab.restart().state().summary).toContain(GOAL);
  });

  it("[C6] of many short messages is never compacted for their number while hardly anything could go", async () => {
    const talking = new CompactionLab({ window: 200_000 });
    for (let no = 0; no < 60; no++) await talking.say(`t${no}`, `ok ${no}`);
    expect(talking.facts).toEqual([]);
    const counted = new CompactionLab({ config: { keepTokens: 0, triggerMessages: 22 } });
    for (let no = 0; no < 60; no++) await counted.say(`t${no}`, `ok ${no}`);
    expect(counted.hows.split(" ").length).toBeLessThanOrEqual(3);
  });

  it("[C6] in Chinese is compacted by its tokens, not by its characters", async () => {
    const chinese = "我们把书按架子装箱,每个箱子上都有编号。".repeat(20);
    const talking = new CompactionLab({ ...small, answer: () => ({ text: chinese }) });
    for (let no = 0; no < 30; no++) await talking.say(`t${no}`, `第${no}个问题:${chinese}`);
    expect(talking.violations).toEqual([]);
    expect(talking.overflows).toBe(0);
    expect(Math.max(...talking.sizes)).toBeLessThanOrEqual(8_000);
    expect(talking.hows).toMatch(/^summary( summary)+$/);
    expect(talking.asked).toContain("第0个问题");
  });

  it("[S7] says so in an event, with figures, once its next turn has begun, and never before its answer", async () => {
    const talking = await talk(40, small);
    const tail = talking.lab.listen();
    await talking.lab.settle();
    const events = tail.frames().map(({ event }) => event);
    const at = events.findIndex(({ type }) => type === "compacted");
    expect(events[at]).toMatchObject({ how: "summary", before: { messages: expect.any(Number) } });
    expect(events[at - 1]).toMatchObject({ type: "turn-start" });
    const [fact] = talking.facts;
    expect(fact).toMatchObject({ model: "counting", usage: { output: expect.any(Number) }, ms: 0 });
  });

  it("[T12] is not compacted twice in a row where each turn is as long as what may stay", async () => {
    const talking = new CompactionLab({ ...small, answer: () => ({ text: prose.repeat(40) }) });
    for (let no = 0; no < 60; no++) await talking.say(`t${no}`, prose.repeat(20));
    expect(talking.overflows).toBe(0);
    const seqs = talking.facts.map(({ seq }) => seq);
    for (const [at, seq] of seqs.entries())
      if (at > 0) expect(seq - (seqs[at - 1] ?? 0)).toBeGreaterThan(8);
  });
});
