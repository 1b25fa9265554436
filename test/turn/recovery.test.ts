import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fact, JournalEntry } from "../../src/session/entries.ts";
import { recoveryBounds, recoveryExhausted } from "../../src/turn/recovery.ts";
import { createEffects, createScriptedTools } from "../support/scripted-tools.ts";
import { SessionLab } from "./session-lab.ts";

const usage = { input: 0, output: 0, cached: 0 };
const interrupted: Fact = { kind: "reset", attempt: 1, reason: "interrupted" };
const retried: Fact = { kind: "reset", attempt: 1, reason: "retry" };
const step: Fact = { kind: "step", step: 1, model: "m", parts: [], finish: "stop", usage };
const result: Fact = { kind: "result", call: "c", name: "n", status: "success", content: [] };

const entriesOf = (
  facts: readonly Fact[],
  at: (index: number) => number = () => 0,
): JournalEntry[] =>
  facts.map((fact, index) => ({ seq: index + 1, turn: "t", at: at(index), ...fact }));

const exhausted = (facts: readonly Fact[]) =>
  recoveryExhausted(entriesOf(facts), 0)?.message ?? null;
const times = (count: number, ...facts: Fact[]): Fact[] =>
  Array.from({ length: count }, () => facts).flat();

describe("the bounds of recovery", () => {
  it("[T7] are ten interruptions without progress", () => {
    expect(exhausted(times(9, interrupted))).toBeNull();
    expect(exhausted(times(10, interrupted))).toContain("10 times without progress");
    expect(exhausted([...times(9, interrupted), step, ...times(9, interrupted)])).toBeNull();
    expect(exhausted([...times(9, interrupted), result, ...times(10, interrupted)])).not.toBeNull();
  });

  it("[T7] are five minutes without progress since the first interruption", () => {
    const entries = entriesOf([step, interrupted, interrupted], (index) => index * 60_000);
    expect(recoveryExhausted(entries, 360_000)).toBeNull();
    expect(recoveryExhausted(entries, 360_001)?.code).toBe("recovery_exhausted");
    const progressed = entriesOf([interrupted, step, interrupted], (index) => index * 300_000);
    expect(recoveryExhausted(progressed, 900_000)).toBeNull();
  });

  it("[T7] are 1,000 pieces of work after an interruption", () => {
    const work = (count: number) => [...times(500, step), interrupted, ...times(count, step)];
    expect(exhausted(work(999))).toBeNull();
    expect(exhausted(work(1_000))).toContain("1000 units of work");
  });

  it("[T7] begin anew when the turn came to rest, or someone outside had it go on; a question alone is no progress", () => {
    const head = { call: "c", name: "n", digest: "d" };
    const rest: Fact = { kind: "waiting", calls: ["c"], expiresAt: 1 };
    const answered: Fact = { kind: "answered", ...head, answer: "approved", by: "user:ann" };
    const steered: Fact = { kind: "steered", message: "s", content: [] };
    for (const fact of [rest, answered, steered]) {
      expect(exhausted([...times(9, interrupted), fact, ...times(9, interrupted)])).toBeNull();
      const days = entriesOf([interrupted, fact, interrupted], (index) => index * 86_400_000);
      expect(recoveryExhausted(days, 2 * 86_400_000)).toBeNull();
    }
    const question = { what: "approval", input: "{}", reason: "", suggested: [] } as const;
    const asked: Fact = { kind: "asked", ...head, ...question, expiresAt: 1 };
    expect(exhausted(times(10, interrupted, asked))).not.toBeNull();
  });

  it("do not count attempts that the model's failures cost", () => {
    expect(exhausted(times(50, retried))).toBeNull();
  });

  it("[T7] are reached by any turn that is interrupted for ever", () => {
    const fact = fc.constantFrom(interrupted, retried, step, result);
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 30 }), (facts) => {
        expect(
          exhausted([...facts, ...times(recoveryBounds.attempts, interrupted)]),
        ).not.toBeNull();
      }),
    );
  });
});

describe("a turn whose object ends again and again", () => {
  it("[T7] is given up after ten interruptions in which it got nowhere, and the next message is answered", async () => {
    const lab = new SessionLab();
    lab.say("t", [{ hang: true }]);
    await lab.settle();
    let restarts = 0;
    for (; lab.session.current() !== null && restarts < 50; restarts++) {
      lab.restart().current();
      await lab.settle();
    }
    expect(restarts).toBe(11);
    expect(lab.entries().at(-1)).toMatchObject({
      outcome: "failed",
      error: { code: "recovery_exhausted" },
    });
    expect(lab.witness.requests).toHaveLength(11);
    lab.say("next", "hi");
    await lab.settle();
    expect(lab.story("next")).toBe("user step:stop end:completed");
  });

  it("[T7] is given up when loading it ended the object three times, and the next message is answered", async () => {
    const lab = new SessionLab();
    lab.say("t", [{ hang: true }]);
    await lab.settle();
    lab.onPoint = (name) => {
      if (name === "commit:recover:before" || name === "commit:end:before")
        throw new Error("out of memory");
    };
    for (let n = 0; n < 3; n++) {
      lab.restart().current();
      await lab.settle();
    }
    lab.onPoint = () => {};
    lab.restart().current();
    await lab.settle();
    expect(lab.entries().at(-1)).toMatchObject({
      outcome: "failed",
      error: { code: "out_of_memory" },
    });
    lab.say("next", "hi");
    await lab.settle();
    expect(lab.story("next")).toBe("user step:stop end:completed");
  });

  it("[T11] and was given up unloaded is told of in the lists", async () => {
    const lab = new SessionLab();
    const titles: string[] = [];
    lab.index = async ({ title, isWaiting }) => void titles.push(`${title} ${isWaiting}`);
    lab.say("t", "hello there");
    lab.sql.run("UPDATE turn SET strikes = 3");
    lab.restart().current();
    await lab.settle();
    expect(lab.story()).toMatch(/end:out_of_memory$/);
    while (await lab.fireAlarm());
    expect(titles).toEqual(["hello there false"]);
    expect(lab.sql.all("SELECT id FROM job")).toEqual([]);
  });

  it("[T7] waits until the strike is durable before it loads anything", async () => {
    const lab = new SessionLab();
    lab.say("t", [{ hang: true }]);
    await lab.settle();
    lab.sync = () => new Promise(() => {});
    lab.restart().current();
    await lab.settle();
    expect(lab.story()).toBe("user");
    expect(lab.sql.all("SELECT strikes FROM turn")).toEqual([{ strikes: 1 }]);
  });

  it("[T2] and that is stopped before it goes on is stopped, and the next message is answered", async () => {
    const lab = new SessionLab();
    lab.say("t", [{ hang: true }]);
    await lab.settle();
    const durable = Promise.withResolvers<void>();
    lab.sync = () => durable.promise;
    lab.restart().current();
    await lab.settle();
    lab.session.stop();
    lab.say("next", "hi");
    durable.resolve();
    await lab.settle();
    expect(lab.story()).toBe("user reset:2 end:stopped user step:stop end:completed");
  });

  it("[S2] takes back what it had shown when it is given up", async () => {
    const lab = new SessionLab();
    const listener = lab.listen();
    lab.say("t", [{ text: "so far", batches: 1, hang: true }]);
    for (let n = 0; n < 15; n++) {
      await lab.settle();
      lab.restart().current();
    }
    await lab.settle();
    const replay = lab.listen();
    await lab.settle();
    const shown = listener.frames().findLast(({ event }) => event.type === "text");
    const resets = replay
      .frames()
      .flatMap(({ event }) => (event.type === "step-reset" ? [event.to] : []));
    expect(resets).toContain(`${shown?.id?.split(".")[0]}.0`);
    expect(resets).toHaveLength(11);
  });
});

describe("a call that was interrupted", () => {
  /** Makes one call, interrupts it while the tool is at work, and lets another object go on. */
  async function interruptedCall(name: string, between: (lab: SessionLab) => void = () => {}) {
    const lab = new SessionLab();
    const gate = Promise.withResolvers<void>();
    lab.say("t", [{ calls: [{ name, input: "{}" }] }, { text: "ok" }]);
    lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
    await lab.settle();
    expect(lab.effects.runs).toHaveLength(1);
    lab.pause = () => Promise.resolve();
    between(lab);
    lab.restart().current();
    await lab.settle();
    gate.resolve();
    await lab.settle();
    return { runs: lab.effects.runs.length, story: lab.story(), lab };
  }

  it("[T5] is run again when it only reads", async () => {
    expect(await interruptedCall("read_thing")).toMatchObject({
      runs: 2,
      story: "user step:tool-calls reset:- result:success step:stop end:completed",
    });
  });

  it("[T5] is run again with the same key when it is idempotent", async () => {
    const { runs, story, lab } = await interruptedCall("keyed_thing");
    expect({ runs, keys: lab.effects.keyed.size }).toEqual({ runs: 2, keys: 1 });
    expect(story).toBe(
      "user step:tool-calls intent reset:- result:success step:stop end:completed",
    );
  });

  it("[T5] is not run again when its probe says that it was done, and is when it was not", async () => {
    expect(await interruptedCall("probed_thing")).toMatchObject({ runs: 1 });
    const absent = await interruptedCall("probed_thing", (lab) => lab.effects.keyed.clear());
    expect(absent).toMatchObject({ runs: 2, story: expect.stringContaining("result:success") });
  });

  it("[T2] does not wait for a probe that never answers, and a stop ends it at once", async () => {
    const gate = Promise.withResolvers<never>();
    const probed = createScriptedTools(createEffects()).map((tool) => ({
      ...tool,
      prepare: () => ({ run: () => gate.promise, probe: () => gate.promise }),
    }));
    const lab = new SessionLab({ tools: probed });
    lab.say("t", [{ calls: [{ name: "probed_thing", input: "{}" }] }, { text: "ok" }]);
    await lab.settle();
    lab.restart().current();
    await lab.settle();
    lab.say("next", "hi");
    lab.session.stop("t");
    await lab.settle();
    expect(lab.story("next")).toBe("user step:stop end:completed");
  });

  it("[T5] is never run again when it is unsafe, and the model is told that its outcome is unknown", async () => {
    const { runs, story, lab } = await interruptedCall("unsafe_thing");
    expect(runs).toBe(1);
    expect(story).toBe(
      "user step:tool-calls intent reset:- result:unknown step:stop end:completed",
    );
    expect(JSON.stringify(lab.witness.requests.at(-1)?.messages.at(-1))).toContain("unknown");
  });
});
