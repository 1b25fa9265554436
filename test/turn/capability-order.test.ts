import { describe, expect, it } from "vitest";
import type { Capability } from "../../src/turn/capability.ts";
import { createTelemetry } from "../../src/turn/spans/telemetry.ts";
import { quiet } from "./after-turn-lab.ts";
import { SessionLab } from "./session-lab.ts";
import type { ScriptedStep } from "../support/scripted-model.ts";

/** A capability with every hook, which notes when each is entered and left: `a step 1`, `/a step 1`. */
function noting(name: string, notes: string[]): Capability {
  const note = (what: string) => void notes.push(`${name} ${what}`);
  const left = (what: string) => void notes.push(`/${name} ${what}`);
  const around = async <Result>(what: string, next: () => Promise<Result>): Promise<Result> => {
    note(what);
    try {
      return await next();
    } finally {
      left(what);
    }
  };
  return {
    name,
    sections() {
      note("sections");
      return [{ name: `section_${name}`, layer: "shared", text: name }];
    },
    tools() {
      note("tools");
      return [];
    },
    gate(_scope, call) {
      note(`gate ${call.name}`);
      return null;
    },
    wrapTurn: (_, next) => around("turn", next),
    wrapStep: (_, step, next) => around(`step ${step}`, next),
    async *wrapModelCall(_, request, next) {
      note("model");
      try {
        yield* next(request);
      } finally {
        left("model");
      }
    },
    wrapToolCall: (_, call, next) => around(call.name, next),
    afterTurns: async (_, turns) => note(`after ${turns.map(({ turn }) => turn).join(" ")}`),
  };
}

/** A session with telemetry, as in every agent, and two capabilities of its own. */
function lab() {
  const notes: string[] = [];
  const telemetry = createTelemetry(
    (_, __, facts) => void notes.push(`/span ${String(facts["name"])}`),
    {
      agent: "Carrel",
      model: "scripted",
      payloads: false,
    },
  );
  const session = new SessionLab({
    capabilities: [telemetry, noting("a", notes), noting("b", notes)],
  });
  const until = async (isSo: () => boolean) => {
    for (let rounds = 0; !isSo(); rounds++) {
      if (rounds > 10_000) throw new Error(`never: ${isSo.toString()}`);
      await session.settle();
    }
    await session.settle();
  };
  const asked = (count: number) => until(() => session.witness.requests.length >= count);
  const ended = () => until(() => session.session.current() === null);
  return { session, notes, asked, ended };
}

const PREPARED = ["a sections", "a tools", "b sections", "b tools"];
const MODEL = ["a model", "b model", "/b model", "/a model", "/span chat scripted"];

/** What is inside of `what`, with those around it. */
const inside = (what: string, ...notes: string[]) => [
  `a ${what}`,
  `b ${what}`,
  ...notes,
  `/b ${what}`,
  `/a ${what}`,
];
const step = (no: number, ...notes: string[]) => [
  ...inside(`step ${no}`, ...notes),
  `/span step ${no}`,
];
const turn = (...notes: string[]) => [
  ...PREPARED,
  ...inside("turn", ...notes),
  "/span invoke_agent Carrel",
];
const call = (name: string) => [
  `a gate ${name}`,
  `b gate ${name}`,
  ...inside(name),
  `/span execute_tool ${name}`,
];

const tooled: readonly ScriptedStep[] = [
  { calls: [{ name: "unsafe_thing", input: '{"label":"one"}' }] },
  { text: "done" },
];

describe("the hooks of two capabilities and telemetry", () => {
  it("are called in this order in a plain turn", async () => {
    const { session, notes, ended } = lab();
    session.say("t", "hi");
    await ended();
    expect(notes).toEqual(turn(...step(1, ...MODEL)));
    await quiet(session);
    expect(notes.slice(-2)).toEqual(["a after t", "b after t"]);
    const system = session.witness.requests[0]?.system ?? "";
    expect(system.indexOf("<section_a>")).toBeLessThan(system.indexOf("<section_b>"));
    expect(system).toContain("<section_b>");
  });

  it("are called in this order in a turn with a tool", async () => {
    const { session, notes, ended } = lab();
    session.say("t", tooled);
    await ended();
    expect(notes).toEqual(
      turn(...step(1, ...MODEL), ...call("unsafe_thing"), ...step(2, ...MODEL)),
    );
  });

  it("are called in this order when a model call is tried again", async () => {
    const { session, notes, asked, ended } = lab();
    session.say("t", [{ fail: "unavailable", failTimes: 1, text: "said" }]);
    await asked(1);
    await session.clock.pass(10_000);
    await ended();
    const during = notes.filter((note) => !note.includes(" after "));
    expect(during).toEqual(turn(...step(1, ...MODEL, ...MODEL)));
  });

  it("are called in this order when a turn is taken up again in its second step", async () => {
    const { session, notes, asked, ended } = lab();
    const [calls] = tooled;
    session.say("t", [calls ?? {}, { text: "so far", hang: true }]);
    await asked(2);
    const before = notes.splice(0);
    session.restart().current();
    await asked(3);
    session.session.stop();
    await ended();
    expect(before).toEqual([
      ...PREPARED,
      "a turn",
      "b turn",
      ...step(1, ...MODEL),
      ...call("unsafe_thing"),
      "a step 2",
      "b step 2",
      "a model",
      "b model",
    ]);
    expect(notes).toEqual(turn(...step(2, ...MODEL)));
    expect(session.effects.runs).toEqual(["unsafe_thing:one"]);
  });
});
