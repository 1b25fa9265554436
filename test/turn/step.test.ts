import { describe, expect, it } from "vitest";
import type { Model, ModelEvent } from "../../src/model/model.ts";
import { withInactivityLimit } from "../../src/model/watchdog.ts";
import { textOf } from "../support/client.ts";
import { messageViolations } from "../support/message-invariants.ts";
import { SessionLab } from "./session-lab.ts";

const finish: ModelEvent = {
  type: "finish",
  reason: "stop",
  usage: { input: 3, output: 2, cached: 1 },
};

/** A model that sends these batches, one answer after another; `null` in the place of an answer's end breaks it off. */
function modelOf(...answers: readonly (readonly ModelEvent[])[]): Model {
  let count = 0;
  return {
    id: "fixed",
    async *stream() {
      for (const event of answers[Math.min(count++, answers.length - 1)] ?? []) yield [event];
    },
  };
}

const say = (text: string): ModelEvent => ({ type: "text", text });

/** Long enough for every wait between two attempts. */
const A_WHILE = 120_000;

describe("a step", () => {
  it("is stored as the model said it, with what it cost", async () => {
    const lab = new SessionLab({ model: modelOf([say("Hel"), say("lo"), finish]) });
    lab.say("t", "hi");
    await lab.settle();
    expect(lab.entries()[1]).toMatchObject({
      kind: "step",
      step: 1,
      model: "fixed",
      finish: "stop",
      parts: [{ type: "text", text: "Hello" }],
      usage: { input: 3, output: 2, cached: 1 },
    });
    expect(lab.entries()[2]).toMatchObject({
      kind: "end",
      steps: 1,
      usage: { input: 3, output: 2 },
    });
  });

  it.each(["rate_limited", "unavailable", "stalled", "malformed"] as const)(
    "is asked again after %s, and readers are told to forget the first attempt",
    async (fail) => {
      const lab = new SessionLab();
      const listener = lab.listen();
      lab.say("t", [{ text: "said", fail, failTimes: 2 }]);
      await lab.clock.pass(A_WHILE);
      expect(lab.story()).toBe("user reset:2 reset:4 step:stop end:completed");
      expect(lab.witness.requests).toHaveLength(3);
      expect(textOf(listener.frames())).toBe("said");
    },
  );

  it("that fails for ever ends its turn with the reason, and keeps what it said", async () => {
    const lab = new SessionLab();
    const listener = lab.listen();
    lab.say("t", [{ text: "said", fail: "unavailable" }]);
    await lab.clock.pass(A_WHILE);
    expect(lab.story()).toBe("user reset:2 reset:4 step:failed end:unavailable");
    expect(textOf(listener.frames())).toBe("said");
  });

  it.each(["model_auth", "model_quota", "model_bad_request", "context_overflow"] as const)(
    "is not asked again after %s",
    async (fail) => {
      const lab = new SessionLab();
      lab.say("t", [{ fail }]);
      await lab.clock.pass(A_WHILE);
      expect(lab.witness.requests).toHaveLength(1);
      expect(lab.entries().at(-1)).toMatchObject({ outcome: "failed", error: { code: fail } });
    },
  );

  it("keeps its attempt when nothing was shown of it", async () => {
    const lab = new SessionLab();
    lab.say("t", [{ fail: "rate_limited", failTimes: 1, text: "" }, { text: "unused" }]);
    await lab.clock.pass(A_WHILE);
    expect(lab.story()).not.toContain("reset");
  });

  it.each([
    ["that ends without a finish", [say("x")], "unavailable"],
    ["of nothing", [finish], "malformed"],
    [
      "with arguments for no call",
      [{ type: "tool-input", index: 3, text: "{}" }, finish],
      "malformed",
    ],
  ] as const)("with an answer %s fails as %s", async (_, answer, code) => {
    const lab = new SessionLab({ model: modelOf(answer) });
    lab.say("t", "hi");
    await lab.clock.pass(A_WHILE);
    expect(lab.entries().at(-1)).toMatchObject({ outcome: "failed", error: { code } });
  });

  it("that the provider refuses to answer fails, with what it said, and runs no call of it", async () => {
    const calls: ModelEvent[] = [{ type: "tool-call", index: 0, name: "unsafe_thing" }];
    const refused: ModelEvent = { ...finish, reason: "refused" };
    const lab = new SessionLab({ model: modelOf([say("I"), ...calls, refused]) });
    lab.say("t", "hi");
    await lab.settle();
    expect(lab.story()).toBe("user step:refused result:interrupted end:model_refused");
    expect(lab.effects.runs).toEqual([]);
  });

  it("[S6] whose provider falls silent is given up after a minute, and asked again", async () => {
    const lab = new SessionLab();
    const hanging = new SessionLab({
      model: withInactivityLimit(modelThatHangs(), 60_000, lab.clock),
    });
    hanging.say("t", "hi");
    await hanging.settle();
    await lab.clock.pass(60_000);
    await hanging.clock.pass(A_WHILE);
    await lab.clock.pass(60_000);
    await hanging.clock.pass(A_WHILE);
    await lab.clock.pass(60_000);
    await hanging.settle();
    expect(hanging.entries().at(-1)).toMatchObject({ error: { code: "stalled" } });
  });

  it("[T10] is cut at 500,000 characters as if the provider's own limit was reached", async () => {
    const endless = Array.from({ length: 200 }, () => say("x".repeat(10_000)));
    const lab = new SessionLab({ model: modelOf([...endless, finish]) });
    lab.say("t", "hi");
    await lab.settle();
    expect(lab.story()).toBe("user step:length end:completed");
    const step = lab.entries()[1];
    const [part] = step?.kind === "step" ? step.parts : [];
    expect(part?.type === "text" ? part.text.length : 0).toBeLessThanOrEqual(520_000);
  });

  it("[T10] is cut also when all of it comes at once", async () => {
    const lab = new SessionLab({ model: modelOf([say("x".repeat(4_000_000)), finish]) });
    lab.say("t", "hi");
    await lab.settle();
    expect(lab.story()).toBe("user step:length end:completed");
  });

  it("[T2, S2] that no row can hold ends its turn, and readers are told to forget it", async () => {
    const answer = Array.from({ length: 45 }, () => say("\u0001".repeat(10_000)));
    const lab = new SessionLab({ model: modelOf([...answer, finish]) });
    const listener = lab.listen();
    lab.say("t", "hi");
    await lab.settle();
    expect(lab.story()).toBe("user reset:2 end:too_large");
    expect(textOf(listener.frames())).toBe("");
    expect(lab.sql.all("SELECT * FROM live")).toEqual([]);
  });

  it("[T2, T10] of calls without end ends its turn, and none of them runs", async () => {
    const answer = Array.from({ length: 20_000 }, (_, index): ModelEvent => {
      return { type: "tool-call", index, name: "unsafe_thing" };
    });
    const lab = new SessionLab({ model: modelOf([...answer, finish]) });
    lab.say("t", "hi");
    await lab.settle();
    const results = Array.from({ length: 128 }, () => "result:interrupted").join(" ");
    expect(lab.story()).toBe(`user step:failed ${results} end:too_large`);
    expect(lab.effects.runs).toEqual([]);
  });

  it("[T10] of a model that only keeps the line open ends its turn, and the next one runs", async () => {
    const lab: SessionLab = new SessionLab({
      model: {
        id: "waiting",
        async *stream() {
          yield [say("Well")];
          for (;;) {
            await lab.clock.sleep(20_000);
            yield [];
          }
        },
      },
    });
    lab.say("a", "hi");
    lab.say("b", "you");
    for (let seconds = 0; seconds < 330; seconds += 10) await lab.clock.pass(10_000);
    expect(lab.story("a")).toBe("user step:failed end:no_progress");
    expect(lab.session.current()?.turn).toBe("b");
  });

  it("runs calls whose provider repeats their index, each with its own arguments", async () => {
    const one = (label: string): ModelEvent[] => [
      { type: "tool-call", index: 0, name: "unsafe_thing" },
      { type: "tool-input", index: 0, text: JSON.stringify({ label }) },
    ];
    const reason: ModelEvent = { ...finish, reason: "tool-calls" };
    const lab = new SessionLab({
      model: modelOf([...one("a"), ...one("b"), reason], [say("ok"), finish]),
    });
    lab.say("t", "hi");
    await lab.settle();
    expect(lab.effects.runs).toEqual(["unsafe_thing:a", "unsafe_thing:b"]);
    expect(lab.story()).toContain("end:completed");
  });

  it("[T6] gives the model a valid history, whatever came before", async () => {
    const lab = new SessionLab();
    lab.say("failed", [{ text: "x", fail: "model_auth" }]);
    await lab.settle();
    lab.say("stopped", [
      { calls: [{ name: "unsafe_thing", input: "{}" }] },
      { text: "y", hang: true },
    ]);
    await lab.settle();
    lab.session.stop();
    lab.say("silent", [{ fail: "model_auth" }]);
    await lab.settle();
    lab.say("last", "hi");
    await lab.settle();
    for (const { messages } of lab.witness.requests)
      expect(messageViolations(messages)).toEqual([]);
    expect(lab.story("last")).toBe("user step:stop end:completed");
  });
});

/** Says something and then nothing more. */
function modelThatHangs(): Model {
  return {
    id: "hanging",
    async *stream(_, signal) {
      yield [say("so")];
      await new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      );
    },
  };
}

describe("the checkpoint of a step", () => {
  const saved = (lab: SessionLab) => lab.sql.all<{ body: string }>("SELECT body FROM live").length;

  /** A model that says a piece each time it is let. */
  function drip(lab: () => SessionLab, size: number): Model {
    return {
      id: "drip",
      async *stream() {
        for (let n = 0; n < 100; n++) {
          await lab().clock.sleep(1_000);
          yield [say("x".repeat(size))];
        }
        yield [finish];
      },
    };
  }

  it("is written every 5 s or 64,000 characters, and is gone when the step is stored", async () => {
    const slow: SessionLab = new SessionLab({ model: drip(() => slow, 1) });
    slow.say("t", "hi");
    await slow.clock.pass(4_500);
    expect(saved(slow)).toBe(0);
    await slow.clock.pass(1_000);
    expect(saved(slow)).toBe(1);
    await slow.clock.pass(100_000);
    expect(saved(slow)).toBe(0);
    const fast: SessionLab = new SessionLab({ model: drip(() => fast, 33_000) });
    fast.say("t", "hi");
    await fast.clock.pass(2_100);
    expect(saved(fast)).toBe(1);
  });

  it("[T9] is what a turn keeps that is stopped after its object ended, and readers are told", async () => {
    const lab: SessionLab = new SessionLab({ model: drip(() => lab, 1) });
    const listener = lab.listen();
    lab.say("t", "hi");
    await lab.clock.pass(7_500);
    expect(textOf(listener.frames())).toBe("x".repeat(7));
    lab.restart().stop();
    expect(lab.story()).toMatch(/^user (reset:\S+ )+step:stopped end:stopped$/);
    const replay = lab.listen();
    await lab.settle();
    expect(textOf(replay.frames())).toBe("x".repeat(5));
    expect(saved(lab)).toBe(0);
  });
});
