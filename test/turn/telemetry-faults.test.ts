import { describe, expect, it } from "vitest";
import { defaultLimits } from "../../src/turn/limits.ts";
import { SessionLab } from "./session-lab.ts";
import { tool, TracedLab } from "./telemetry-lab.ts";

/** Long enough for every wait between two attempts. */
const A_WHILE = 120_000;

describe("what goes wrong in a turn", () => {
  it("is the code of each model call that failed, and not the step's that got through", async () => {
    const lab = new TracedLab();
    lab.say("t", [{ text: "said", fail: "rate_limited", failTimes: 2 }]);
    await lab.asked(1);
    await lab.clock.pass(A_WHILE);
    await lab.rest();
    const calls = lab.named("chat gpt-5.1").map((line) => [line["status"], line["error.type"]]);
    expect(calls).toEqual([
      ["error", "rate_limited"],
      ["error", "rate_limited"],
      ["ok", undefined],
    ]);
    const step = lab.one("step 1");
    expect(step).toMatchObject({ status: "ok" });
    for (const { parentSpanId } of lab.named("chat gpt-5.1"))
      expect(parentSpanId).toBe(step["spanId"]);
  });

  it("is the code of the turn's end", async () => {
    const failed = new TracedLab();
    failed.say("t", [{ fail: "model_auth" }]);
    await failed.rest();
    for (const name of ["chat gpt-5.1", "step 1", "invoke_agent Carrel"])
      expect(failed.one(name)).toMatchObject({ status: "error", "error.type": "model_auth" });
    expect(failed.one("invoke_agent Carrel")).toMatchObject({ "carrel.turn.outcome": "failed" });

    const limited = new TracedLab({ limits: { ...defaultLimits, maxIters: 1 } });
    limited.say("t", [tool("one"), tool("two")]);
    await limited.rest();
    expect(limited.one("step 1")).toMatchObject({ status: "ok" });
    expect(limited.one("invoke_agent Carrel")).toMatchObject({
      status: "error",
      "error.type": "step_limit",
    });
  });

  it("is the status or the code of a tool call that did not succeed", async () => {
    const lab = new TracedLab({
      capabilities: [
        {
          name: "denying",
          wrapToolCall: async (_, { input }, next) =>
            input.includes("no") ? { status: "denied", content: [] } : next(),
        },
      ],
    });
    lab.say("t", [tool("no"), { calls: [{ name: "keyed_thing", input: '{"fail":true}' }] }]);
    await lab.rest();
    expect(lab.one("execute_tool unsafe_thing")).toMatchObject({ "error.type": "denied" });
    expect(lab.one("execute_tool keyed_thing")).toMatchObject({
      status: "error",
      "error.type": "invalid",
    });
    expect(lab.one("invoke_agent Carrel")).toMatchObject({ status: "ok" });
  });

  it("is nothing where a turn is stopped: what was under way is cancelled", async () => {
    const lab = new TracedLab();
    lab.say("t", [{ text: "so far", hang: true }]);
    await lab.asked(1);
    lab.session.stop();
    await lab.rest();
    for (const name of ["chat gpt-5.1", "step 1", "invoke_agent Carrel"]) {
      expect(lab.one(name)).toMatchObject({ status: "cancelled" });
      expect(lab.one(name)).not.toHaveProperty("error.type");
    }
    expect(lab.one("invoke_agent Carrel")).toMatchObject({ "carrel.turn.outcome": "stopped" });
  });

  it("is nothing where an answer is cut off: its model call was let go of", async () => {
    const lab = new TracedLab();
    lab.say("t", [{ text: "x".repeat(1_000), repeat: 600 }]);
    await lab.rest();
    expect(lab.story()).toBe("user step:length end:completed");
    expect(lab.one("chat gpt-5.1")).toMatchObject({ status: "cancelled" });
    expect(lab.one("step 1")).toMatchObject({ status: "ok" });
  });

  it("[H5] is never more than a code, and the turn goes the same way as without spans", async () => {
    const broken = {
      name: "broken",
      wrapStep: () => Promise.reject(new TypeError("secret detail")),
    };
    const lab = new TracedLab({ capabilities: [broken] });
    const plain = new SessionLab({ capabilities: [broken] });
    lab.say("t", "hi");
    plain.say("t", "hi");
    await lab.rest();
    expect(lab.one("step 1")).toMatchObject({ status: "error", "error.type": "internal" });
    expect(JSON.stringify(lab.lines)).not.toContain("secret");
    expect(lab.story()).toBe(plain.story());
  });
});
