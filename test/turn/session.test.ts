import { describe, expect, it } from "vitest";
import type { CarrelError, ErrorCode } from "../../src/shared/errors.ts";
import { identified, textOf } from "../support/client.ts";
import { replayViolations, streamViolations } from "../support/stream-invariants.ts";
import { SessionLab, type Listener } from "./session-lab.ts";

const code = (of: ErrorCode) => expect.objectContaining<Partial<CarrelError>>({ code: of });
const eventsOf = (listener: Listener) => identified(listener.frames());
const typesOf = (listener: Listener) => listener.frames().map(({ event }) => event.type);

describe("stopping", () => {
  it("[T9] ends the turn at once, reaches the provider, and keeps what was said", async () => {
    const lab = new SessionLab();
    const listener = lab.listen();
    lab.say("t", [{ text: "so far", hang: true }]);
    await lab.settle();
    expect(lab.session.stop()).toMatchObject({ turn: "t", state: "stopped" });
    expect(lab.story()).toBe("user step:stopped end:stopped");
    await lab.settle();
    expect(lab.witness.aborted).toBe(1);
    expect(textOf(listener.frames())).toBe("so far");
    expect(typesOf(listener).at(-1)).toBe("turn-end");
    expect(lab.session.current()).toBeNull();
  });

  it("[T9] settles the calls that are open: one that runs as unknown, one that does not as interrupted", async () => {
    const lab = new SessionLab();
    const gate = Promise.withResolvers<void>();
    const call = { name: "unsafe_thing", input: "{}" };
    lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
    lab.say("t", [{ calls: [call, call] }]);
    await lab.settle();
    lab.session.stop();
    gate.resolve();
    await lab.settle();
    expect(lab.story()).toBe(
      "user step:tool-calls intent result:unknown result:interrupted end:stopped",
    );
    expect(lab.effects.runs).toHaveLength(1);
  });

  it("[T9] runs no further call, not even one that only reads", async () => {
    const lab = new SessionLab();
    const gate = Promise.withResolvers<void>();
    lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
    const call = (name: string) => ({ name, input: "{}" });
    lab.say("t", [{ calls: [call("unsafe_thing"), call("read_thing")] }]);
    await lab.settle();
    lab.session.stop();
    gate.resolve();
    await lab.settle();
    expect(lab.effects.runs).toEqual(["unsafe_thing:x"]);
  });

  it("[T2] does nothing to a turn that has ended, and says of an unknown one that it does not exist", async () => {
    const lab = new SessionLab();
    lab.say("t", "hi");
    await lab.settle();
    const story = lab.story();
    expect(lab.session.stop("t")).toMatchObject({ turn: "t", state: "completed" });
    expect(lab.session.stop()).toBeNull();
    expect(() => lab.session.stop("other")).toThrow(code("not_found"));
    expect(lab.story()).toBe(story);
  });

  it("[T4] of a turn in line is told at once, and shown when it would have been its turn", async () => {
    const lab = new SessionLab();
    const listener = lab.listen();
    lab.say("a", [{ text: "one", batches: 1, hang: true }]);
    for (const key of ["b", "c"]) lab.say(key, key);
    await lab.settle();
    expect(lab.session.stop("b")).toMatchObject({ turn: "b", state: "stopped" });
    expect(lab.session.stop("b")).toMatchObject({ state: "stopped" });
    expect(lab.story()).toBe("user");
    lab.restart().stop("a");
    await lab.settle();
    expect(lab.story("b")).toBe("user end:stopped");
    expect(lab.story("c")).toBe("user step:stop end:completed");
    const replay = lab.listen();
    await lab.settle();
    expect(replayViolations(eventsOf(replay))).toEqual([]);
    expect(listener.state).toBe("reading");
  });

  it("[S2] after a crash takes back what the dead attempt had shown", async () => {
    const lab = new SessionLab();
    const listener = lab.listen();
    lab.say("t", [{ text: "shown", batches: 1, hang: true }]);
    await lab.settle();
    expect(textOf(listener.frames())).toBe("shown");
    lab.restart().stop();
    const rest = lab.listen({ after: eventsOf(listener).at(-1)?.id ?? "" });
    const replay = lab.listen();
    await lab.settle();
    const seen = [...eventsOf(listener), ...eventsOf(rest)];
    expect(streamViolations(seen, eventsOf(replay))).toEqual([]);
    expect(seen.map(({ event }) => event.type).slice(-2)).toEqual(["step-reset", "turn-end"]);
  });
});

describe("listening", () => {
  it("[H1] from what is no cursor, or from beyond the end, or to no turn is refused", async () => {
    const lab = new SessionLab();
    lab.say("t", "hi");
    await lab.settle();
    for (const after of ["", "x", "1", "1.2.3", "-1.0", "99.0", "9".repeat(16) + ".0"])
      expect(() => lab.session.tail({ after }), after).toThrow(code("invalid"));
    expect(() => lab.session.tail({ until: "other" })).toThrow(code("not_found"));
  });

  it("until a turn ends with that turn, and begins with it", async () => {
    const lab = new SessionLab();
    for (const key of ["a", "b", "c"]) lab.say(key, key);
    const listener = lab.listen({ until: "b" });
    await lab.settle();
    const turns = eventsOf(listener).flatMap(({ event }) => ("turn" in event ? [event.turn] : []));
    expect(new Set(turns)).toEqual(new Set(["b"]));
    expect(typesOf(listener).at(-1)).toBe("turn-end");
    expect(listener.state).toBe("ended");
  });

  it("[S1] in an object that just woke hears what comes next, wherever it begins", async () => {
    const lab = new SessionLab();
    lab.say("a", "one");
    await lab.settle();
    const before = lab.listen();
    await lab.settle();
    for (const { id } of eventsOf(before)) {
      lab.restart();
      const listener = lab.listen({ after: id });
      await lab.settle();
      lab.say(`after ${id}`, "two");
      await lab.settle();
      expect(eventsOf(listener).at(-1)?.event, id).toMatchObject({
        type: "turn-end",
        turn: `after ${id}`,
      });
    }
  });

  it("[S5] starts a turn again that was left unfinished", async () => {
    const lab = new SessionLab();
    lab.say("t", [{ text: "x", batches: 1, hang: true }]);
    await lab.settle();
    lab.restart();
    const listener = lab.listen({ until: "t" });
    await lab.settle();
    expect(listener.frames()[0]?.event).toMatchObject({ turns: [{ turn: "t", state: "running" }] });
    expect(lab.witness.requests).toHaveLength(2);
  });
});

describe("the alarm", () => {
  it("[T1] takes up a turn that was left unfinished when nobody calls", async () => {
    const lab = new SessionLab();
    lab.pause = () => new Promise(() => {});
    lab.say("t", "hi");
    await lab.settle();
    lab.pause = () => Promise.resolve();
    lab.restart();
    expect(await lab.fireAlarm()).toBe(true);
    expect(lab.story()).toBe("user reset:2 step:stop end:completed");
  });

  it("stands 30 s ahead while a turn runs, and [R3] no alarm is left when nothing waits", async () => {
    const lab = new SessionLab();
    lab.say("t", [{ hang: true }]);
    await lab.settle();
    for (let n = 0; n < 5; n++) {
      await lab.fireAlarm();
      expect(lab.alarm).toBe(lab.clock.now() + 30_000);
    }
    expect(lab.witness.requests).toHaveLength(1);
    lab.session.stop();
    await lab.settle();
    expect(await lab.fireAlarm()).toBe(true);
    expect(await lab.fireAlarm()).toBe(false);
  });

  it("never throws, and stands again when its work failed", async () => {
    const lab = new SessionLab();
    lab.say("t", [{ hang: true }]);
    await lab.settle();
    const session = lab.restart();
    Object.assign(lab.sql, {
      all: () => {
        throw new Error("disk I/O error");
      },
    });
    await expect(session.alarm()).resolves.toBeUndefined();
    expect(lab.alarm).not.toBeNull();
  });
});
