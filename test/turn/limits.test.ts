import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/session/entries.ts";
import type { StepPart } from "../../src/shared/messages.ts";
import { defaultLimits, limitReached, usageOf } from "../../src/turn/limits.ts";
import { SessionLab } from "./session-lab.ts";

const stepOf = (parts: readonly StepPart[], input = 0, output = 0): JournalEntry => ({
  seq: 1,
  turn: "t",
  at: 0,
  kind: "step",
  step: 1,
  model: "m",
  finish: "tool-calls",
  parts,
  usage: { input, output, cached: 0 },
});

const call = (name: string, input = "{}"): StepPart => ({
  type: "tool-call",
  call: "c",
  name,
  input,
});
const text: StepPart = { type: "text", text: "said" };

const reached = (entries: readonly JournalEntry[]) =>
  limitReached(entries, defaultLimits)?.code ?? null;

describe("the limits of a turn", () => {
  it("[T10] are ten steps", () => {
    const steps = Array.from({ length: 10 }, (_, n) => stepOf([call("tool", `{"n":${n}}`)]));
    expect(reached(steps.slice(0, 9))).toBeNull();
    expect(reached(steps)).toBe("step_limit");
  });

  it("[T10] are a million tokens, in and out together", () => {
    expect(reached([stepOf([call("a")], 500_000, 499_999)])).toBeNull();
    expect(reached([stepOf([call("a")], 500_000, 400_000), stepOf([call("b")], 0, 100_000)])).toBe(
      "token_budget",
    );
  });

  it("[T10] are three steps in a row with the very same calls", () => {
    const same = stepOf([text, call("a", "1"), call("b", "2")]);
    const other = stepOf([call("a", "1"), call("b", "3")]);
    expect(reached([same, same])).toBeNull();
    expect(reached([same, same, same])).toBe("repeated_call");
    expect(reached([same, same, other, same, same])).toBeNull();
    expect(reached([other, same, same, same])).toBe("repeated_call");
    expect(reached([stepOf([text]), stepOf([text]), stepOf([text])])).toBeNull();
  });

  it("count the tokens of all steps", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000)), (inputs) => {
        const usage = usageOf(inputs.map((input) => stepOf([], input, 1)));
        expect(usage).toEqual({
          input: inputs.reduce((a, b) => a + b, 0),
          output: inputs.length,
          cached: 0,
        });
      }),
    );
  });

  it("[T10] end a model that calls tools for ever, visibly, and the session takes the next message", async () => {
    const lab = new SessionLab({ limits: { ...defaultLimits, maxIters: 4 } });
    const listener = lab.listen();
    const calls = (n: number) => ({ calls: [{ name: "read_thing", input: `{"label":"${n}"}` }] });
    lab.say(
      "t",
      Array.from({ length: 50 }, (_, n) => calls(n)),
    );
    await lab.settle();
    expect(lab.witness.requests).toHaveLength(4);
    const end = listener.frames().at(-1)?.event;
    expect(end).toMatchObject({
      type: "turn-end",
      outcome: "failed",
      error: { code: "step_limit" },
      steps: 4,
    });
    lab.say("next", "hi");
    await lab.settle();
    expect(lab.story("next")).toBe("user step:stop end:completed");
  });

  it("[T10] end a model that repeats itself", async () => {
    const lab = new SessionLab();
    const again = { calls: [{ name: "read_thing", input: "{}" }] };
    lab.say("t", [again, again, again, again]);
    await lab.settle();
    expect(lab.entries().at(-1)).toMatchObject({ error: { code: "repeated_call" } });
    expect(lab.effects.runs).toHaveLength(3);
  });
});
