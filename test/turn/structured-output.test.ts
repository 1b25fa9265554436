import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/model/model.ts";
import type { ContentPart } from "../../src/shared/messages.ts";
import type { TurnInput } from "../../src/shared/session-api.ts";
import type { Capability } from "../../src/turn/capability.ts";
import { defaultLimits } from "../../src/turn/limits.ts";
import { textOf } from "../support/client.ts";
import { historyViolations, requestViolations } from "../support/message-invariants.ts";
import { call, city, good, OutputLab, question, schema, text } from "./output-lab.ts";

const bad = call('{"name":5}');

describe("a turn that was asked for JSON", () => {
  it("ends with the arguments of the call that gives it, without asking the model again", async () => {
    const lab = new OutputLab([good]);
    const listener = lab.listen();
    await lab.ask();
    expect(lab.story()).toBe("user step:tool-calls result:success end:completed");
    expect(lab.requests).toHaveLength(1);
    expect(lab.end()).toMatchObject({ outcome: "completed", output: city, steps: 1 });
    expect(listener.frames().at(-1)?.event).toMatchObject({ type: "turn-end", output: city });
    const { messages } = lab.session.history({ limit: 10 });
    expect(messages.at(-1)).toMatchObject({ state: "completed", output: city });
  });

  it("[C3] offers the tool last and asks for it in the message, the same in every step, and not in other turns", async () => {
    const lab = new OutputLab([text("Hm."), bad]);
    await lab.ask();
    const [first, second] = lab.requests;
    expect(first?.tools.at(-1)).toMatchObject({ name: "generate_response", inputSchema: schema });
    expect(second?.tools).toEqual(first?.tools);
    expect(second?.system).toBe(first?.system);
    expect(second?.messages[0]).toEqual(first?.messages[0]);
    expect(texts(first)).toEqual(["Which city?", expect.stringContaining("generate_response")]);
    expect(lab.entries()[0]).toMatchObject({ content: question.content });
    lab.say("next", "hi");
    await lab.settle();
    const next = lab.requests.at(-1);
    expect(next?.tools).toEqual(first?.tools.slice(0, -1));
    expect(JSON.stringify(next?.messages[0])).not.toContain("output_format");
    lab.say("third", { ...question, output: { schema } });
    await lab.settle();
    const asking = lab.requests.at(-1)?.messages.map((one) => JSON.stringify(one)) ?? [];
    expect(asking.filter((one) => one.includes("output_format"))).toHaveLength(1);
  });

  it.each([
    ["as it is", JSON.stringify(city)],
    ["among white space", `\n ${JSON.stringify(city, null, 2)}\n`],
    ["in a fence", `Here:\n\`\`\`json\n${JSON.stringify(city)}\n\`\`\`\nDone.`],
    [
      "in the last of two fences",
      `\`\`\`\n{"name":"Bonn","people":1}\n\`\`\`\n\`\`\`json\n${JSON.stringify(city)}\n\`\`\``,
    ],
    [
      "in the last fence that fits",
      `\`\`\`\n${JSON.stringify(city)}\n\`\`\`\n\`\`\`\n{"name":1}\n\`\`\``,
    ],
  ])("takes a text for it that is the JSON %s, in the commit of the step", async (_, said) => {
    const lab = new OutputLab([text(said)]);
    const commits: string[] = [];
    lab.onPoint = (name) => void commits.push(name);
    await lab.ask();
    expect(lab.end()).toMatchObject({ outcome: "completed", output: city });
    expect(commits.slice(-3)).toEqual(["model:after", "commit:step:before", "commit:step:after"]);
  });

  it("gives what the model wrote: nothing is converted, added or left out", async () => {
    const odd = { name: "Ulm", people: 126405, more: { __proto: null, list: [1, "1"] } };
    const lab = new OutputLab([call(JSON.stringify(odd))]);
    await lab.ask({ ...schema, additionalProperties: true });
    expect(lab.end()).toMatchObject({ output: odd });
    const strict = new OutputLab([call('{"name":"Ulm","people":"126405"}'), good]);
    await strict.ask();
    expect(strict.story()).toContain("result:error");
  });

  it("runs the other calls of the step, and ends when all have results", async () => {
    const both = {
      calls: [...good.calls, { name: "unsafe_thing", input: '{"label":"after"}' }],
    };
    const lab = new OutputLab([both]);
    await lab.ask();
    expect(lab.effects.runs).toEqual(["unsafe_thing:after"]);
    expect(lab.story()).toMatch(/result:success end:completed$/);
    expect(lab.end()).toMatchObject({ output: city });
  });

  it("takes the first of several answers that is valid", async () => {
    const lab = new OutputLab([{ calls: [...bad.calls, ...good.calls, ...call("{}").calls] }]);
    await lab.ask();
    expect(lab.end()).toMatchObject({ outcome: "completed", output: city });
  });

  it("may be answered with nothing in it where the schema asks for nothing", async () => {
    const lab = new OutputLab([call("")]);
    await lab.ask({ type: "object" });
    expect(lab.end()).toMatchObject({ outcome: "completed", output: {} });
  });

  it("fails where the schema cannot be checked, before the model is asked", async () => {
    const lab = new OutputLab([good]);
    await lab.ask({ type: "object", not: {} });
    expect(lab.requests).toEqual([]);
    expect(lab.end()).toMatchObject({ error: { code: "invalid" } });
  });
});

describe("an answer that does not match", () => {
  it("is given back once, with what to mend", async () => {
    const lab = new OutputLab([bad, good]);
    await lab.ask();
    expect(lab.story()).toBe(
      "user step:tool-calls result:error step:tool-calls result:success end:completed",
    );
    const told = lab.requests[1]?.messages.at(-1);
    expect(JSON.stringify(told)).toContain("name: expected a string, got 5");
  });

  it("in a text is answered by a repair that only the model sees", async () => {
    const lab = new OutputLab([text("It is Ulm."), good]);
    const listener = lab.listen();
    await lab.ask();
    expect(lab.story()).toBe("user step:stop repair step:tool-calls result:success end:completed");
    expect(texts(lab.requests[1])).toEqual([expect.stringContaining("it is not valid JSON")]);
    expect(lab.end()).toMatchObject({ output: city });
    expect(textOf(listener.frames())).toContain("It is Ulm.");
    expect(JSON.stringify(listener.frames())).not.toContain("not valid JSON");
    expect(JSON.stringify(lab.session.history({ limit: 10 }))).not.toContain("not valid JSON");
  });

  it.each([
    ["two calls", [bad, call("{}")]],
    ["two texts", [text("Ulm"), text('{"name":5}')]],
    ["a call and a text", [bad, text("Ulm")]],
    ["a text and a call", [text("Ulm"), bad]],
    ["other calls between them", [bad, { calls: [{ name: "read_thing", input: "{}" }] }, text("")]],
  ])("the second time fails the turn and says why: %s", async (_, steps) => {
    const lab = new OutputLab([
      ...steps.map((step) => ("text" in step ? text(step.text || "-") : step)),
      good,
    ]);
    await lab.ask();
    expect(lab.requests).toHaveLength(steps.length);
    expect(lab.end()).toMatchObject({
      outcome: "failed",
      error: {
        code: "output_invalid",
        message: expect.stringMatching(
          /did not match the schema, .*(name|not valid JSON)/,
        ) as string,
      },
    });
    expect(lab.end()).not.toHaveProperty("output");
    lab.say("next", "hi");
    await lab.settle();
    expect(lab.story("next")).toMatch(/end:completed$/);
  });

  it("[T10] counts as a step like any other", async () => {
    const lab = new OutputLab([bad, good], { limits: { ...defaultLimits, maxIters: 1 } });
    await lab.ask();
    expect(lab.end()).toMatchObject({ error: { code: "step_limit" } });
    const last = new OutputLab([good], { limits: { ...defaultLimits, maxIters: 1 } });
    await last.ask();
    expect(last.end()).toMatchObject({ outcome: "completed" });
  });

  it("is also one that something around the call refuses", async () => {
    const content: ContentPart[] = [{ type: "text", text: "Not this city." }];
    const picky: Capability = {
      name: "picky",
      wrapToolCall: async (_, { input }, next) =>
        input.includes("Ulm") ? { status: "error", content } : next(),
    };
    const bonn = { name: "Bonn", people: 336_465 };
    const lab = new OutputLab([good, call(JSON.stringify(bonn))], { capabilities: [picky] });
    await lab.ask();
    expect(lab.end()).toMatchObject({ outcome: "completed", output: bonn });
    const again = new OutputLab([good, good], { capabilities: [picky] });
    await again.ask();
    expect(again.end()).toMatchObject({
      error: { code: "output_invalid", message: expect.stringContaining("Not this city.") },
    });
  });
});

describe("what was asked for", () => {
  it("stays when the answer is given anew", async () => {
    const lab = new OutputLab([good]);
    await lab.ask();
    lab.say("again", { kind: "regenerate" } satisfies TurnInput);
    await lab.settle();
    expect(lab.entries("again").at(-1)).toMatchObject({ outcome: "completed", output: city });
    expect(lab.requests.at(-1)).toEqual(lab.requests[0]);
  });

  it("is the turn's own: a tool of the same name works again in the next", async () => {
    const own = { name: "generate_response", description: "mine", inputSchema: {} } as const;
    const mine: Capability = {
      name: "mine",
      tools: () => [
        {
          ...own,
          effect: "read",
          replay: "pure",
          parallel: true,
          prepare: () => ({ run: async () => "mine" }),
        },
      ],
    };
    const lab = new OutputLab([good], { capabilities: [mine] });
    await lab.ask();
    expect(lab.end()).toMatchObject({ output: city });
    lab.say("next", "hi");
    await lab.settle();
    const named = (request?: ModelRequest) =>
      request?.tools.filter(({ name }) => name === own.name).map(({ description }) => description);
    expect(named(lab.requests[0])).toEqual([expect.stringContaining("final answer")]);
    expect(lab.requests[0]?.tools.at(-1)?.name).toBe(own.name);
    expect(named(lab.requests.at(-1))).toEqual(["mine"]);
  });
});

describe("a turn that was asked for JSON and whose object ends", () => {
  const scenarios = {
    "a call": [good],
    "a call that is mended": [bad, good],
    "a text": [text(JSON.stringify(city))],
    "a text that is mended": [text("Ulm"), text(JSON.stringify(city))],
    "calls beside it": [{ calls: [{ name: "unsafe_thing", input: "{}" }, ...good.calls] }],
    "two failures": [text("Ulm"), bad],
  };

  it.each(Object.entries(scenarios))(
    "[T2, T6] at any point gives one answer, the same: %s",
    async (_, steps) => {
      const whole = new OutputLab(steps);
      const points = await whole.countPoints(() => whole.ask());
      const { outcome, output, error } = whole.end();
      for (let point = 1; point <= points; point++) {
        const lab = new OutputLab(steps);
        await lab.dieAt(point, () => lab.ask());
        await lab.dieAt(Math.ceil(point / 2), () => lab.goOn());
        await lab.goOn();
        const facts = lab.entries();
        expect(lab.end(), `point ${point}: ${lab.story()}`).toMatchObject({ outcome });
        expect([lab.end().output, lab.end().error]).toEqual([output, error]);
        expect(facts.filter(({ kind }) => kind === "end")).toHaveLength(1);
        expect(facts.filter(({ kind }) => kind === "repair").length).toBeLessThanOrEqual(1);
        expect(historyViolations(facts)).toEqual([]);
        for (const request of lab.requests) expect(requestViolations(request.messages)).toEqual([]);
      }
      expect(points).toBeGreaterThan(5);
    },
  );
});

const texts = (request?: ModelRequest): string[] => {
  const message = request?.messages.findLast(({ role }) => role === "user");
  return message?.role === "user"
    ? message.content.map((part) => (part.type === "text" ? part.text : ""))
    : [];
};
