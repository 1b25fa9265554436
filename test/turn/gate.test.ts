import { describe, expect, it } from "vitest";
import type { defaultPermissions } from "../../src/permissions/config.ts";
import { CarrelError } from "../../src/shared/errors.ts";
import type { Capability, GatedCall } from "../../src/turn/capability.ts";
import { asking, AskingLab, call, waitingLab, yes } from "./asking-lab.ts";

const gateOf = (gate: NonNullable<Capability["gate"]>): Capability => ({ name: "gate", gate });
const open = { mode: "BYPASS" } as const;

describe("a capability's gate", () => {
  it("[A1] refuses calls before anyone is asked, in every mode, and the model is told why", async () => {
    const seen: GatedCall[] = [];
    const gate = gateOf((_, asked) => {
      seen.push(asked);
      return asked.effect === "read" ? null : "Only plan now.";
    });
    for (const mode of ["DEFAULT", "BYPASS"] as const) {
      const lab = new AskingLab({ capabilities: [gate], permissions: { mode } });
      lab.say("t", [{ calls: [call("unsafe_thing"), call("read_thing")] }, { text: "ok" }]);
      await lab.settle();
      expect(lab.facts("asked", "result")).toBe("result:denied result:success");
      expect(lab.effects.runs).toEqual(["read_thing:x"]);
      expect(JSON.stringify(lab.witness.requests.at(-1))).toContain("Not run: Only plan now.");
    }
    expect(seen[0]).toEqual({ name: "unsafe_thing", effect: "external", input: { label: "x" } });
  });

  it("[A1] is asked of each call when it is its turn, so that a call can open it for the next", async () => {
    const lab: AskingLab = new AskingLab({
      permissions: open,
      capabilities: [
        gateOf((_, { name }) =>
          name === "unsafe_thing" && lab.effects.runs.length === 0 ? "Not yet." : null,
        ),
      ],
    });
    lab.say("t", [
      { calls: [call("unsafe_thing", "a"), call("probed_thing", "b"), call("unsafe_thing", "c")] },
      { text: "ok" },
    ]);
    await lab.settle();
    expect(lab.effects.runs).toEqual(["probed_thing:b", "unsafe_thing:c"]);
  });

  it("[A1] refuses what was approved, when it closes meanwhile", async () => {
    let isClosed = false;
    const lab = new AskingLab({ capabilities: [gateOf(() => (isClosed ? "Closed." : null))] });
    lab.say("t", asking("one"));
    await lab.settle();
    const one = lab.question("one");
    isClosed = true;
    await lab.answer({ call: one.call, digest: one.digest, ...yes });
    expect(lab.effects.runs).toEqual([]);
    expect(lab.facts("answered", "result")).toBe("answered:approved result:denied");
  });

  it("[A10] that fails lets nothing through: the first of several that refuses counts", async () => {
    const failing = [
      gateOf(() => {
        throw new TypeError("secret detail");
      }),
      gateOf(() => {
        throw new CarrelError("forbidden", "Not now.");
      }),
    ];
    for (const gate of failing) {
      const lab = new AskingLab({ capabilities: [gateOf(() => null), gate], permissions: open });
      lab.say("t", asking("one"));
      await lab.settle();
      expect(lab.facts("result", "end")).toBe("result:error end:completed");
      expect(lab.effects.runs).toEqual([]);
      expect(JSON.stringify(lab.witness.requests)).not.toContain("secret");
    }
  });
});

describe("a call that began before the object ended", () => {
  /** Ends the object while `name` runs; another one, of an agent with these permissions, goes on. */
  async function interrupted(name: string, permissions: Partial<typeof defaultPermissions>) {
    const lab = new AskingLab({ permissions: open });
    const gate = Promise.withResolvers<void>();
    lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
    lab.say("t", [{ calls: [call(name, "one")] }, { text: "ok" }]);
    await lab.settle();
    lab.pause = () => Promise.resolve();
    lab.effects.keyed.clear();
    lab.restartWith(permissions);
    lab.session.current();
    await lab.settle();
    gate.resolve();
    await lab.settle();
    return { runs: lab.effects.runs.length, facts: lab.facts("asked", "result", "end") };
  }

  it("[T5] is not asked about again: it was permitted, and follows its replay class", async () => {
    const asks = { ask: [{ tool: "*" }] };
    expect(await interrupted("keyed_thing", asks)).toEqual({
      runs: 2,
      facts: "result:success end:completed",
    });
    expect(await interrupted("unsafe_thing", asks)).toEqual({
      runs: 1,
      facts: "result:unknown end:completed",
    });
  });

  it.each(["keyed_thing", "probed_thing", "unsafe_thing"])(
    "[T5, A4] is not run again when it is forbidden by now: what became of %s is unknown",
    async (name) => {
      expect(await interrupted(name, { deny: [{ tool: "*" }] })).toEqual({
        runs: 1,
        facts: "result:unknown end:completed",
      });
    },
  );

  it("[A4] is decided on anew when it only reads", async () => {
    expect(await interrupted("read_thing", { deny: [{ tool: "*" }] })).toEqual({
      runs: 1,
      facts: "result:denied end:completed",
    });
    expect(await interrupted("read_thing", { ask: [{ tool: "*" }] })).toEqual({
      runs: 1,
      facts: "asked",
    });
  });
});

describe("a call whose arguments were edited", () => {
  it("[A4] is shown to wrappers as it runs", async () => {
    const seen: string[] = [];
    const looking: Capability = {
      name: "looking",
      wrapToolCall(_, { input }, next) {
        seen.push(input);
        return next();
      },
    };
    const lab = new AskingLab({ capabilities: [looking] });
    lab.say("t", asking("one"));
    await lab.settle();
    await lab.decide("one", { ...yes, input: { label: "edited" } });
    expect(seen).toEqual(['{"label":"edited"}']);
  });
});

describe("a turn that waits", () => {
  it("[T2] passes its wrappers to their end, and again when it goes on", async () => {
    const notes: string[] = [];
    const wrap: Capability = {
      name: "wrap",
      async wrapTurn(_, next) {
        notes.push("in");
        await next();
        notes.push("out");
      },
    };
    const lab = new AskingLab({ capabilities: [wrap] });
    lab.say("t", asking("one"));
    await lab.settle();
    expect(notes).toEqual(["in", "out"]);
    await lab.decide("one", yes);
    expect(notes).toEqual(["in", "out", "in", "out"]);
    expect(lab.facts("end")).toBe("end:completed");
  });

  it("[T1] may be answered while its wrappers are still on their way out", async () => {
    const gate = Promise.withResolvers<void>();
    const slow: Capability = {
      name: "slow",
      async wrapTurn(_, next) {
        await next();
        await gate.promise;
      },
    };
    const lab = new AskingLab({ capabilities: [slow] });
    lab.say("t", asking("one"));
    await lab.settle();
    expect(await lab.decide("one", yes)).toBe("taken");
    expect(lab.effects.runs).toEqual([]);
    gate.resolve();
    await lab.settle();
    expect(lab.effects.runs).toEqual(["unsafe_thing:one"]);
    expect(lab.facts("end")).toBe("end:completed");
  });

  it("[A6] tells the registry and whoever is to be told once, and the registry when it waits no more", async () => {
    const told: boolean[] = [];
    const notices: string[][] = [];
    const lab = new AskingLab({
      notify: async ({ calls }) => void notices.push(calls.map(({ call: id }) => id)),
    });
    lab.index = async ({ isWaiting }) => void told.push(isWaiting);
    lab.say("t", asking("one", "two"));
    await lab.settle();
    expect({ told, notices }).toEqual({ told: [true], notices: [["call_2_0", "call_2_1"]] });
    await lab.decide("one", yes);
    await lab.decide("two", yes);
    expect(told.at(-1)).toBe(false);
    expect(notices).toHaveLength(1);
    const other = await waitingLab("one");
    const news: boolean[] = [];
    other.index = async ({ isWaiting }) => void news.push(isWaiting);
    other.session.stop();
    await other.settle();
    expect(news).toEqual([false]);
  });
});
