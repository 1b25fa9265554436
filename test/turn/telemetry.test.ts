import { describe, expect, it } from "vitest";
import { defaultPermissions } from "../../src/permissions/config.ts";
import { createTelemetry } from "../../src/turn/spans/telemetry.ts";
import { defaults, tool, TracedLab, type Line } from "./telemetry-lab.ts";

describe("the spans of a turn", () => {
  it("are its steps, model calls and tool calls, with the attributes of OpenTelemetry's conventions", async () => {
    const lab = new TracedLab();
    lab.say("t", [tool("one"), { text: "done" }]);
    await lab.rest();
    expect(lab.lines.map(({ name }) => name)).toEqual([
      "chat gpt-5.1",
      "step 1",
      "execute_tool unsafe_thing",
      "chat gpt-5.1",
      "step 2",
      "invoke_agent Carrel",
    ]);
    const ids = {
      level: "info",
      event: "span",
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      start: 0,
      durationMs: 0,
      status: "ok",
    };
    const model = { "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-5.1" };
    const usage = (input: number, output: number) => ({
      "gen_ai.usage.input_tokens": input,
      "gen_ai.usage.output_tokens": output,
      "gen_ai.usage.cache_read.input_tokens": 0,
    });
    const turn = lab.one("invoke_agent Carrel");
    expect(turn).toEqual({
      ...ids,
      name: "invoke_agent Carrel",
      parentSpanId: null,
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.id": "main",
      "gen_ai.agent.name": "Carrel",
      "gen_ai.conversation.id": "s1",
      "carrel.turn.id": "t",
      "carrel.turn.outcome": "completed",
      "carrel.turn.steps": 2,
      ...model,
      ...usage(20, 10),
    });
    const step = lab.one("step 1");
    expect(step).toEqual({
      ...ids,
      name: "step 1",
      parentSpanId: turn["spanId"],
      "carrel.step": 1,
    });
    expect(lab.lines[0]).toEqual({
      ...ids,
      name: "chat gpt-5.1",
      parentSpanId: step["spanId"],
      "gen_ai.operation.name": "chat",
      "gen_ai.response.finish_reasons": ["tool_calls"],
      ...model,
      ...usage(10, 5),
    });
    expect(lab.one("execute_tool unsafe_thing")).toEqual({
      ...ids,
      name: "execute_tool unsafe_thing",
      parentSpanId: turn["spanId"],
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "unsafe_thing",
      "gen_ai.tool.call.id": "call_2_0",
      "gen_ai.tool.type": "function",
    });
    expect(new Set(lab.lines.map(({ traceId }) => traceId)).size).toBe(1);
    expect(new Set(lab.lines.map(({ spanId }) => spanId)).size).toBe(6);
  });

  it("last as long as what they stand for", async () => {
    const lab = new TracedLab();
    lab.pause = () => lab.clock.sleep(1_000);
    lab.say("t", [tool("one"), { text: "done", batches: 2 }]);
    await lab.until(() => lab.clock.sleeping > 0);
    for (let n = 0; n < 20; n++) await lab.clock.pass(1_000);
    const tooled = lab.one("execute_tool unsafe_thing");
    expect(tooled).toMatchObject({ durationMs: 2_000 });
    const turn = lab.one("invoke_agent Carrel");
    const steps = [lab.one("step 1"), lab.one("step 2"), tooled];
    const sum = steps.reduce((total, { durationMs }) => total + Number(durationMs), 0);
    expect(turn).toMatchObject({ durationMs: sum });
  });

  it("are those of one trace when the turn is taken up by another object, and of others in other turns", async () => {
    const lab = new TracedLab();
    lab.say("t", [{ hang: true }]);
    await lab.asked(1);
    lab.restart().current();
    await lab.asked(2);
    lab.session.stop();
    await lab.rest();
    lab.say("u", "hi");
    await lab.rest();
    const turns = lab.named("invoke_agent Carrel");
    const ofFirst = turns.filter((line) => line["carrel.turn.id"] === "t");
    // The object that ended wrote none.
    expect(ofFirst).toHaveLength(1);
    const [, second] = lab.named("step 1");
    expect(second?.["traceId"]).toBe(turns.at(-1)?.["traceId"]);
    expect(second?.["traceId"]).not.toBe(ofFirst[0]?.["traceId"]);
    const again = new TracedLab();
    again.say("t", "hi");
    await again.rest();
    expect(again.one("invoke_agent Carrel")["traceId"]).toBe(ofFirst[0]?.["traceId"]);
    expect(again.one("step 1")["spanId"]).not.toBe(second?.["spanId"]);
  });

  it("end where the turn waits for a person, and go on in the same trace", async () => {
    const lab = new TracedLab({ permissions: defaultPermissions });
    lab.say("t", [tool("one"), { text: "done" }]);
    await lab.until(() => lab.session.current()?.state === "waiting");
    expect(lab.lines.map(({ name }) => name)).toEqual([
      "chat gpt-5.1",
      "step 1",
      "invoke_agent Carrel",
    ]);
    const [waiting] = lab.lines.splice(0).slice(-1);
    expect(waiting).toMatchObject({ status: "ok", "carrel.turn.outcome": "waiting" });
    const [pending] = lab.session.history({ limit: 1 }).status.pending;
    if (!pending) throw new Error("nothing waits");
    const { call, digest } = pending;
    await lab.session.answer([{ kind: "approve", call, digest }], "user:ann");
    await lab.rest();
    const turn = lab.one("invoke_agent Carrel");
    expect(turn).toMatchObject({ "carrel.turn.outcome": "completed", "carrel.turn.steps": 2 });
    expect(turn["traceId"]).toBe(waiting?.["traceId"]);
    expect(turn["spanId"]).not.toBe(waiting?.["spanId"]);
    expect(lab.one("execute_tool unsafe_thing")["parentSpanId"]).toBe(turn["spanId"]);
  });

  it("[I5] are told apart where turns of several sessions run beside each other", async () => {
    const lines: Line[] = [];
    const shared = createTelemetry((_, __, facts) => void lines.push(facts), defaults);
    const labs = ["a", "b", "c"].map((turn) => {
      const lab = new TracedLab({ shared });
      lab.say(turn, [tool("one"), { text: "done" }]);
      return lab;
    });
    for (const lab of labs) await lab.rest();
    const turns = lines.filter((line) => "carrel.turn.id" in line);
    expect(new Set(turns.map((line) => line["carrel.turn.id"]))).toEqual(new Set(["a", "b", "c"]));
    expect(turns).toHaveLength(3);
    for (const { traceId, spanId } of turns) {
      const inside = lines.filter((line) => line["traceId"] === traceId);
      expect(inside).toHaveLength(6);
      const steps = inside.filter(({ parentSpanId }) => parentSpanId === spanId);
      expect(steps).toHaveLength(3);
    }
  });
});

describe("the payloads of spans", () => {
  const script = [tool("canary-argument"), { text: "canary-answer", reasoning: "canary-thought" }];

  it("[H5, I1] are left out: no line says what was said, or whose turn it is", async () => {
    const lab = new TracedLab();
    lab.say("t", script);
    await lab.rest();
    expect(lab.story()).toContain("end:completed");
    expect(lab.lines).toHaveLength(6);
    expect(JSON.stringify(lab.lines)).not.toMatch(/canary|ann/);
  });

  it("are there where they are asked for, and no longer than a log takes", async () => {
    const lab = new TracedLab({ telemetry: { payloads: true } });
    lab.say("t", script);
    await lab.rest();
    const [first, last] = lab.named("chat gpt-5.1");
    expect(first?.["gen_ai.input.messages"]).toContain("canary-argument");
    expect(JSON.parse(String(last?.["gen_ai.output.messages"]))).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "reasoning", content: "canary-thought" },
          { type: "text", content: "canary-answer" },
        ],
      },
    ]);
    expect(JSON.parse(String(last?.["gen_ai.input.messages"]))).toMatchObject([
      { role: "user" },
      { role: "assistant", parts: [{ type: "tool_call", name: "unsafe_thing" }] },
      { role: "tool", parts: [{ type: "tool_call_response", response: [{ type: "text" }] }] },
    ]);
    const called = lab.one("execute_tool unsafe_thing");
    expect(called["gen_ai.tool.call.arguments"]).toBe('{"label":"canary-argument"}');
    expect(called["gen_ai.tool.call.result"]).toContain("did canary-argument");
    const long = new TracedLab({ telemetry: { payloads: true } });
    long.say("t", "x".repeat(200_000));
    await long.rest();
    for (const line of long.lines) expect(JSON.stringify(line).length).toBeLessThan(256_000);
  });
});
