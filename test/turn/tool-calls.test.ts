import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/session/entries.ts";
import { CarrelError } from "../../src/shared/errors.ts";
import type { ServerTool, Tool, ToolContext, ToolOutput } from "../../src/tools/tool.ts";
import type { Capability } from "../../src/turn/capability.ts";
import { defaultLimits } from "../../src/turn/limits.ts";
import { SessionLab } from "./session-lab.ts";

type Result = Extract<JournalEntry, { kind: "result" }>;

/** A tool that does what `run` does with its arguments. */
function toolOf(
  run: (input: unknown, context: ToolContext) => Promise<ToolOutput>,
  more: Partial<ServerTool> = {},
): ServerTool {
  return {
    name: "tool",
    description: "",
    inputSchema: {},
    effect: "external",
    replay: "unsafe",
    parallel: false,
    prepare: (input) => ({ run: (context) => run(input, context) }),
    ...more,
  };
}

const call = (input = "{}", name = "tool") => ({ name, input });

/** Makes the calls in one step and lets all of it happen. */
async function results(tools: readonly Tool[], ...calls: ReturnType<typeof call>[]) {
  const lab = new SessionLab({ tools });
  lab.say("t", [{ calls }, { text: "ok" }]);
  await lab.settle();
  return resultsOf(lab);
}

const resultsOf = (lab: SessionLab): Result[] =>
  lab.entries().flatMap((entry) => (entry.kind === "result" ? [entry] : []));

const textOf = (result: Result | undefined): string =>
  result?.content.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";

describe("a tool call", () => {
  it("gives the model what the tool gave", async () => {
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
    const [plain] = await results([toolOf(async () => "fine")], call());
    expect(plain).toMatchObject({ status: "success", content: [{ type: "text", text: "fine" }] });
    const [rich] = await results([toolOf(async () => [image])], call());
    expect(rich?.content).toEqual([image]);
  });

  it("has its arguments as JSON, none as an empty object", async () => {
    const seen: unknown[] = [];
    const tool = toolOf(async (input) => String(seen.push(input)));
    await results([tool], call('{"a":[1]}'), call(""), call("  "));
    expect(seen).toEqual([{ a: [1] }, {}, {}]);
  });

  it("[M6] knows whether its turn has results from outside", async () => {
    const seen: boolean[] = [];
    const run = async (_input: unknown, { fromOutside }: ToolContext) =>
      `${seen.push(fromOutside())}`;
    const own = toolOf(run, { name: "memory_save" });
    const lab = new SessionLab({ tools: [own, toolOf(async () => "a page", { name: "fetch" })] });
    const save = { calls: [call("{}", "memory_save")] };
    lab.say("t", [save, save, { calls: [call("{}", "fetch")] }, save, { text: "ok" }]);
    await lab.settle();
    lab.say("u", [save, { text: "ok" }]);
    await lab.settle();
    expect(seen).toEqual([false, false, true, false]);
  });

  it("[X5] with malformed JSON is not run, and the model is told", async () => {
    let runs = 0;
    const tool = toolOf(async () => `${++runs}`);
    const [result] = await results([tool], call('{"a": '));
    expect(result?.status).toBe("error");
    expect(textOf(result)).toContain("not valid JSON");
    expect(runs).toBe(0);
  });

  it("of a tool that does not exist says which do", async () => {
    const [result] = await results([toolOf(async () => "")], call("{}", "other"));
    expect(result?.status).toBe("error");
    expect(textOf(result)).toBe('There is no tool named "other". The tools are: tool.');
    expect(textOf((await results([], call()))[0])).toContain("The tools are: none.");
  });

  it("that fails as expected tells the model why; otherwise [H5] it gives an id only", async () => {
    const expected = toolOf(() => Promise.reject(new CarrelError("not_found", "No such file.")));
    expect(textOf((await results([expected], call()))[0])).toBe("No such file.");
    const lab = new SessionLab({ tools: [toolOf(() => Promise.reject(new Error("secret path")))] });
    lab.say("t", [{ calls: [call()] }, { text: "ok" }]);
    await lab.settle();
    const text = textOf(resultsOf(lab)[0]);
    expect(text).toMatch(/failed unexpectedly \(error id-\d+\)/);
    expect(text).not.toContain("secret");
    expect(lab.log.join()).toContain("secret path");
    expect(lab.entries().at(-1)).toMatchObject({ outcome: "completed" });
  });

  it("has a key that names turn and call", async () => {
    const keys: string[] = [];
    const tool = toolOf(async (_, { key }) => String(keys.push(key)));
    const made = await results([tool], call(), call());
    expect(keys).toEqual(made.map((result) => `t/${result.call}`));
    expect(new Set(keys).size).toBe(2);
  });

  it.each([
    ["unsafe", "unknown"],
    ["idempotent", "unknown"],
    ["pure", "error"],
  ] as const)(
    "[T10] of a %s tool that does not finish ends after 5 minutes as %s",
    async (replay, status) => {
      let signal: AbortSignal | undefined;
      const tool = toolOf(
        (_, context) => {
          signal = context.signal;
          return new Promise(() => {});
        },
        { replay },
      );
      const lab = new SessionLab({ tools: [tool] });
      lab.say("t", [{ calls: [call()] }, { text: "ok" }]);
      await lab.clock.pass(defaultLimits.toolTimeoutMs - 1);
      expect(resultsOf(lab)).toEqual([]);
      expect(signal?.aborted).toBe(false);
      await lab.clock.pass(1);
      expect(resultsOf(lab)).toMatchObject([{ status }]);
      expect(textOf(resultsOf(lab)[0])).toContain("within 300 seconds");
      expect(signal?.aborted).toBe(true);
      expect(lab.entries().at(-1)).toMatchObject({ outcome: "completed" });
    },
  );

  it("leaves nothing asleep once it is done", async () => {
    const lab = new SessionLab({ tools: [toolOf(async () => "")] });
    lab.say("t", [{ calls: [call(), call()] }, { text: "ok" }]);
    await lab.settle();
    expect(lab.clock.sleeping).toBe(0);
  });
});

describe("the result of a call", () => {
  it("is cut at 100,000 characters, and says so", async () => {
    const [result] = await results([toolOf(async () => "x".repeat(250_000))], call());
    const text = textOf(result);
    expect(text.length).toBeLessThan(100_100);
    expect(text).toContain("100,000 of 250,000 characters");
  });

  it("is cut at 100,000 characters also where they are many texts", async () => {
    const parts = Array.from({ length: 40 }, () => ({
      type: "text" as const,
      text: "x".repeat(60_000),
    }));
    const [result] = await results([toolOf(async () => parts)], call());
    expect(textOf(result)).toContain("40,000 of 60,000 characters");
    expect(result?.content).toHaveLength(2);
  });

  it("[W9] shows no file whole once its text was cut", async () => {
    const seen = { "a.md": "1" };
    const tool = toolOf(async (input) => {
      const { size } = input as { size: number };
      return { content: [{ type: "text", text: "x".repeat(size) }], seen };
    });
    const [whole, cut] = await results([tool], call('{"size":100000}'), call('{"size":100001}'));
    expect(whole?.seen).toEqual(seen);
    expect(cut).not.toHaveProperty("seen");
  });

  it("keeps images up to 1,400,000 characters and says of the others that they are missing", async () => {
    const image = (size: number) =>
      ({ type: "image", mediaType: "image/png", data: "A".repeat(size) }) as const;
    const tool = toolOf(async () => [
      image(600_000),
      image(800_000),
      image(1),
      { type: "text", text: "end" },
    ]);
    const [result] = await results([tool], call());
    expect(
      result?.content.map((part) => (part.type === "image" ? part.data.length : part.text)),
    ).toEqual([
      600_000,
      800_000,
      "[An image of image/png was left out: the result is too large.]",
      "end",
    ]);
  });
});

describe("the calls of one step", () => {
  it("run beside each other where their tools allow it, the others one after another", async () => {
    const notes: string[] = [];
    const make = (name: string, parallel: boolean) =>
      toolOf(
        async () => {
          notes.push(name);
          await Promise.resolve();
          await Promise.resolve();
          notes.push(`/${name}`);
          return "";
        },
        { name, parallel },
      );
    const tools = [make("p", true), make("q", true), make("s", false)];
    await results(
      tools,
      call("{}", "p"),
      call("{}", "q"),
      call("{}", "s"),
      call("{}", "s"),
      call("{}", "p"),
    );
    expect(notes.join(" ")).toBe("p q /p /q s /s s /s p /p");
  });

  it("each keep their own result, in the order in which they came, and the model gets call order", async () => {
    const gates = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const tool = toolOf(
      (input) => gates[(input as { n: number }).n]?.promise ?? Promise.resolve(""),
      { parallel: true },
    );
    const lab = new SessionLab({ tools: [tool] });
    lab.say("t", [{ calls: [call('{"n":0}'), call('{"n":1}')] }, { text: "ok" }]);
    await lab.settle();
    gates[1]?.resolve("second");
    await lab.settle();
    expect(resultsOf(lab).map(textOf)).toEqual(["second"]);
    gates[0]?.resolve("first");
    await lab.settle();
    const last = lab.witness.requests.at(-1)?.messages.at(-1);
    const shown = last?.role === "tool" ? last.results.map(({ content }) => content) : [];
    expect(JSON.stringify(shown)).toMatch(/first.*second/);
  });

  it("[T10] beyond 25 are not run and say so, also when the turn was interrupted among them", async () => {
    let runs = 0;
    let isDown = false;
    const tool = toolOf(
      async () => {
        if (runs === 20 && isDown) return new Promise<string>(() => {});
        return `${++runs}`;
      },
      { replay: "idempotent" },
    );
    const calls = Array.from({ length: 30 }, (_, n) => call(`{"n":${n}}`));
    const plain = await results([tool], ...calls);
    expect(plain.map(({ status }) => status).filter((status) => status === "error")).toHaveLength(
      5,
    );
    expect(runs).toBe(25);

    [runs, isDown] = [0, true];
    const lab = new SessionLab({ tools: [tool] });
    lab.say("t", [{ calls }, { text: "ok" }]);
    await lab.settle();
    isDown = false;
    lab.restart().current();
    await lab.settle();
    expect(resultsOf(lab).filter(({ status }) => status === "error")).toHaveLength(5);
    expect(runs).toBe(25);
  });

  it("[T9] is not made any more once its turn was stopped, whatever is around it", async () => {
    const gate = Promise.withResolvers<void>();
    let runs = 0;
    const tool = toolOf(async () => `${++runs}`);
    const slow: Capability = {
      name: "slow",
      wrapToolCall: async (_scope, _call, next) => {
        await gate.promise;
        return next();
      },
    };
    const lab = new SessionLab({ tools: [tool], capabilities: [slow] });
    lab.say("t", [{ calls: [call()] }, { text: "ok" }]);
    await lab.settle();
    lab.session.stop();
    gate.resolve();
    await lab.settle();
    expect(runs).toBe(0);
    expect(lab.story("t")).toMatch(/end:stopped$/);
  });
});
