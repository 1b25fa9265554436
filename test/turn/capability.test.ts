import { describe, expect, it } from "vitest";
import { CarrelError } from "../../src/shared/errors.ts";
import { nest, type Capability, type TurnScope } from "../../src/turn/capability.ts";
import { asking, AskingLab, yes } from "./asking-lab.ts";
import { SessionLab } from "./session-lab.ts";

const toolTurn = [
  { calls: [{ name: "unsafe_thing", input: '{"label":"one"}' }] },
  { text: "done" },
] as const;

/** A capability that notes when each of its wrappers is entered and left. */
function noting(name: string, notes: string[]): Capability {
  const around = async <Result>(what: string, next: () => Promise<Result>): Promise<Result> => {
    notes.push(`${name} ${what}`);
    const result = await next();
    notes.push(`/${name} ${what}`);
    return result;
  };
  return {
    name,
    wrapTurn: (_, next) => around("turn", next),
    wrapStep: (_, step, next) => around(`step ${step}`, next),
    async *wrapModelCall(_, request, next) {
      notes.push(`${name} model`);
      yield* next(request);
      notes.push(`/${name} model`);
    },
    wrapToolCall: (_, call, next) => around(call.name, next),
  };
}

describe("wrappers", () => {
  it("nest, the first outermost", async () => {
    const notes: string[] = [];
    const wrap = (name: string) => async (value: number, next: () => Promise<string>) => {
      notes.push(`${name}${value}`);
      return `${name}(${await next()})`;
    };
    const result = await nest([wrap("a"), wrap("b")], [7], async () => "inner");
    expect({ result, notes }).toEqual({ result: "a(b(inner))", notes: ["a7", "b7"] });
    expect(await nest([], [], async () => "alone")).toBe("alone");
  });

  it("may replace what they wrap, or fail it", async () => {
    let isInner = false;
    const inner = async () => {
      isInner = true;
      return "inner";
    };
    expect(await nest([async () => "instead"], [], inner)).toBe("instead");
    const failing = nest([async () => Promise.reject(new Error("no"))], [], inner);
    await expect(failing).rejects.toThrow("no");
    expect(isInner).toBe(false);
  });

  it("stand around a turn, its steps, their model calls and tool calls, the first capability outermost", async () => {
    const notes: string[] = [];
    const lab = new SessionLab({ capabilities: [noting("a", notes), noting("b", notes)] });
    lab.say("t", toolTurn);
    await lab.settle();
    const step = (n: number) =>
      `a step ${n},b step ${n},a model,b model,/b model,/a model,/b step ${n},/a step ${n}`;
    const tool = "a unsafe_thing,b unsafe_thing,/b unsafe_thing,/a unsafe_thing";
    expect(notes.join()).toBe(`a turn,b turn,${step(1)},${tool},${step(2)},/b turn,/a turn`);
  });

  it("stand around each request of a step that is tried again", async () => {
    const notes: string[] = [];
    const lab = new SessionLab({ capabilities: [noting("a", notes)] });
    lab.say("t", [{ fail: "unavailable", failTimes: 1, text: "said" }]);
    await lab.clock.pass(10_000);
    expect(notes.join()).toBe("a turn,a step 1,a model,a model,/a model,/a step 1,/a turn");
  });

  it("pass a recovered turn again", async () => {
    const notes: string[] = [];
    const lab = new SessionLab({ capabilities: [noting("a", notes)] });
    lab.say("t", [{ hang: true }]);
    await lab.settle();
    lab.restart().current();
    await lab.settle();
    expect(notes.filter((note) => note === "a turn")).toHaveLength(2);
  });
});

describe("a capability", () => {
  it("fails the turn with its code where it refuses a turn, a step or a request", async () => {
    const refuse = () => {
      throw new CarrelError("forbidden", "Not today.");
    };
    const refusing: Capability[] = [
      { name: "turn", wrapTurn: refuse },
      { name: "step", wrapStep: refuse },
      { name: "model", wrapModelCall: refuse },
      { name: "sections", sections: refuse },
    ];
    for (const capability of refusing) {
      const lab = new SessionLab({ capabilities: [capability] });
      lab.say("t", "hi");
      await lab.settle();
      expect(lab.entries().at(-1), capability.name).toMatchObject({
        kind: "end",
        outcome: "failed",
        error: { code: "forbidden", message: "Not today." },
      });
    }
  });

  it("[H5] that breaks fails the turn with an id, and says no more than that", async () => {
    const broken: Capability = {
      name: "broken",
      wrapStep: () => Promise.reject(new TypeError("secret detail")),
    };
    const lab = new SessionLab({ capabilities: [broken] });
    const listener = lab.listen();
    lab.say("t", "hi");
    await lab.settle();
    const end = lab.entries().at(-1);
    expect(end).toMatchObject({ kind: "end", error: { code: "internal" } });
    expect(JSON.stringify(listener.frames())).not.toContain("secret");
    expect(lab.log.join()).toContain("secret detail");
    lab.say("next", "hi");
    await lab.settle();
    expect(lab.session.current()).toBeNull();
  });

  it("[T2, T4] that breaks after its turn has ended changes nothing, and the next turn follows at once", async () => {
    const late = async (next: () => Promise<void>) => {
      await next();
      throw new TypeError("too late");
    };
    const capabilities: Capability[] = [
      { name: "turn", wrapTurn: (_, next) => late(next) },
      { name: "step", wrapStep: (_, __, next) => late(next) },
    ];
    for (const capability of capabilities) {
      const lab = new SessionLab({ capabilities: [capability] });
      lab.say("t", "hi");
      lab.say("next", "hi");
      await lab.settle();
      const whole = "user step:stop end:completed";
      expect(lab.story(), capability.name).toBe(`${whole} ${whole}`);
      expect(lab.log.join()).toContain("too late");
    }
  });

  it.each([
    ["while it waits", "user step:tool-calls asked waiting", "asked waiting"],
    [
      "when it goes on again",
      "step:stop end:completed",
      "asked waiting answered:approved result:success",
    ],
  ])("[A6] that breaks after its turn was parked, %s, leaves it", async (when, end, before) => {
    const gate = Promise.withResolvers<void>();
    let passes = 0;
    const late: Capability = {
      name: "late",
      async wrapTurn(_scope, next) {
        await next();
        if (++passes > 1) return;
        if (when !== "while it waits") await gate.promise;
        throw new Error("late");
      },
    };
    const lab = new AskingLab({ capabilities: [late] });
    lab.say("t", asking("one"));
    await lab.settle();
    if (when !== "while it waits") await lab.decide("one", yes);
    gate.resolve();
    await lab.settle();
    expect(lab.story()).toContain(end);
    expect(lab.facts("asked", "waiting", "answered", "result")).toBe(before);
    expect(lab.log.filter((line) => line.startsWith("error capability_failed"))).toHaveLength(1);
    expect(lab.log.filter((line) => line.startsWith("error turn_failed"))).toEqual([]);
  });

  it("[T2] that does not let a turn or a step go on fails the turn, once", async () => {
    const capabilities: Capability[] = [
      { name: "turn", wrapTurn: () => Promise.resolve() },
      { name: "step", wrapStep: () => Promise.resolve() },
    ];
    for (const capability of capabilities) {
      const lab = new SessionLab({ capabilities: [capability] });
      lab.say("t", "hi");
      await lab.settle();
      expect(lab.story(), capability.name).toMatch(/^user .*end:internal$/);
    }
  });

  it("may answer in the place of a tool, or refuse a call, which the model is told", async () => {
    const own: Capability = {
      name: "own",
      async wrapToolCall(_, { input }, next) {
        if (input.includes("one"))
          return { status: "denied", content: [{ type: "text", text: "no" }] };
        if (input.includes("two")) throw new CarrelError("forbidden", "Not that one.");
        return next();
      },
    };
    const lab = new SessionLab({ capabilities: [own] });
    const calls = ["one", "two", "three"].map((label) => ({
      name: "unsafe_thing",
      input: JSON.stringify({ label }),
    }));
    lab.say("t", [{ calls }, { text: "ok" }]);
    await lab.settle();
    const statuses = lab
      .entries()
      .flatMap((entry) => (entry.kind === "result" ? [entry.status] : []));
    expect(statuses).toEqual(["denied", "error", "success"]);
    expect(lab.effects.runs).toEqual(["unsafe_thing:three"]);
    expect(lab.entries().at(-1)).toMatchObject({ outcome: "completed" });
  });

  it("may change a request before it is sent", async () => {
    const louder: Capability = {
      name: "louder",
      wrapModelCall: (_, request, next) => next({ ...request, system: `${request.system}!` }),
    };
    const lab = new SessionLab({ capabilities: [louder, louder] });
    lab.say("t", "hi");
    await lab.settle();
    expect(lab.witness.requests.map(({ system }) => system.match(/!+$/)?.[0])).toEqual(["!!"]);
  });

  it("is asked for its sections and tools once a turn, and a name that is taken stays taken", async () => {
    let asked = 0;
    const mine: Capability = {
      name: "mine",
      sections() {
        asked++;
        return [];
      },
      tools: () => [
        {
          name: "unsafe_thing",
          description: "mine",
          inputSchema: {},
          effect: "read",
          replay: "pure",
          parallel: true,
          prepare: () => ({ run: async () => "mine" }),
        },
      ],
    };
    const lab = new SessionLab({ capabilities: [mine] });
    lab.say("t", toolTurn);
    await lab.settle();
    expect(asked).toBe(1);
    expect(lab.effects.runs).toEqual([]);
    const tools = lab.witness.requests[0]?.tools.map(({ name, description }) => [
      name,
      description,
    ]);
    expect(tools?.[0]).toEqual(["unsafe_thing", "mine"]);
    expect(tools?.filter(([name]) => name === "unsafe_thing")).toHaveLength(1);
  });

  it("knows whose turn it is, and hears when the turn is stopped", async () => {
    const scopes: TurnScope[] = [];
    const looking: Capability = {
      name: "looking",
      wrapTurn(scope, next) {
        scopes.push(scope);
        return next();
      },
    };
    const lab = new SessionLab({ capabilities: [looking] });
    lab.say("t", [{ hang: true }]);
    await lab.settle();
    const [scope] = scopes;
    expect(scope).toMatchObject({
      turn: "t",
      address: { agent: "main", user: "ann", session: "s1" },
    });
    expect(scope?.signal.aborted).toBe(false);
    lab.session.stop();
    expect(scope?.signal.aborted).toBe(true);
  });
});
