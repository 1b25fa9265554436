import { describe, expect, it } from "vitest";
import type { CarrelError, ErrorCode } from "../../src/shared/errors.ts";
import type { WhenBusy } from "../../src/shared/session-api.ts";
import { textOf } from "../support/client.ts";
import { historyViolations } from "../support/message-invariants.ts";
import { asking, AskingLab, call, named, waitingForBoth, waitingLab, yes } from "./asking-lab.ts";

const code = (of: ErrorCode) => expect.objectContaining<Partial<CarrelError>>({ code: of });
const hanging = [{ text: "so far", batches: 1, hang: true }] as const;
const choices = ["queue", "steer", "replace"] as const;

const rows = (lab: AskingLab) =>
  lab.sql.all<{ id: string; state: string }>("SELECT id, state FROM turn ORDER BY no");

describe("a message that replaces", () => {
  it("[T8, T9] stops the turn that runs, keeps what it said, and is answered", async () => {
    const lab = new AskingLab();
    const listener = lab.listen();
    lab.say("t", hanging);
    await lab.settle();
    const { turn } = lab.send("r", "instead", { whenBusy: "replace" });
    expect(turn).toMatchObject({ turn: "r", state: "running" });
    expect(lab.story()).toBe("user step:stopped end:stopped user");
    await lab.settle();
    expect(lab.story()).toBe("user step:stopped end:stopped user step:stop end:completed");
    expect(lab.witness.aborted).toBe(1);
    expect(textOf(listener.frames())).toContain("so far");
    expect(historyViolations(lab.entries())).toEqual([]);
  });

  it("[T4, T8] leaves those in line their place before it", async () => {
    const lab = new AskingLab();
    lab.say("t", hanging);
    await lab.settle();
    for (const key of ["a", "b"]) lab.send(key, key);
    expect(lab.send("r", "r", { whenBusy: "replace" }).turn).toMatchObject({ state: "queued" });
    await lab.settle();
    expect(rows(lab)).toEqual([
      { id: "t", state: "stopped" },
      { id: "a", state: "completed" },
      { id: "b", state: "completed" },
      { id: "r", state: "completed" },
    ]);
  });

  it("[T5] settles a call that runs as unknown, and never runs it again", async () => {
    const lab = new AskingLab({ permissions: { mode: "BYPASS" } });
    const gate = Promise.withResolvers<void>();
    lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
    lab.say("t", asking("one"));
    await lab.settle();
    lab.send("r", "instead", { whenBusy: "replace" });
    lab.pause = () => Promise.resolve();
    gate.resolve();
    await lab.settle();
    expect(lab.facts("result", "end")).toBe("result:unknown end:stopped end:completed");
    expect(lab.effects.runs).toEqual(["unsafe_thing:one"]);
  });

  it.each(["commit:accept:before", "commit:accept:after"])(
    "[T1, T8] is there whole or not at all after a crash at %s",
    async (point) => {
      const lab = new AskingLab();
      lab.say("t", hanging);
      await lab.settle();
      lab.crashAt((name) => name === point);
      expect(() => lab.send("r", "instead", { whenBusy: "replace" })).toThrow("crash");
      await lab.recover();
      if (point.endsWith("before")) {
        expect(rows(lab)).toEqual([{ id: "t", state: "running" }]);
        lab.send("r", "instead", { whenBusy: "replace" });
      }
      expect(lab.send("r", "instead").isNew).toBe(false);
      await lab.settle();
      expect(rows(lab)).toEqual([
        { id: "t", state: "stopped" },
        { id: "r", state: "completed" },
      ]);
    },
  );

  it("[T3] does nothing when it was accepted before, whatever it says then", async () => {
    const lab = new AskingLab();
    lab.send("r", "once");
    await lab.settle();
    lab.say("t", hanging);
    await lab.settle();
    expect(lab.send("r", "once", { whenBusy: "replace" })).toMatchObject({ isNew: false });
    expect(() => lab.send("r", "other", { whenBusy: "replace" })).toThrow(code("key_reused"));
    expect(lab.session.current()).toMatchObject({ turn: "t", state: "running" });
  });
});

describe("a message while approvals wait", () => {
  it.each(["queue", "replace"] as const)(
    "[A8] denies them, stops their turn, and is answered in its own (%s)",
    async (whenBusy) => {
      const lab = await waitingLab("one", "two");
      const one = named(lab.question("one"));
      expect(lab.send("next", "instead", { whenBusy }).turn).toMatchObject({ state: "running" });
      expect(lab.facts("answered", "result", "end", "user")).toBe(
        "user answered:denied result:denied answered:denied result:denied end:stopped user",
      );
      await lab.settle();
      expect(lab.story("next")).toBe("user step:stop end:completed");
      expect(await lab.answer({ ...one, ...yes })).toBe("stale");
      expect(lab.effects.runs).toEqual([]);
      const request = JSON.stringify(lab.witness.requests.at(-1)?.messages);
      expect(request).toContain("Not run: a new message came instead of an answer.");
    },
  );

  it("[A8] that steers denies them and is taken into their turn, which goes on", async () => {
    const lab = await waitingLab("one");
    lab.send("s", [{ text: "steered" }], { whenBusy: "steer" });
    await lab.settle();
    expect(lab.story()).toBe(
      "user step:tool-calls asked waiting answered result:denied steered step:stop end:completed",
    );
    expect(lab.effects.runs).toEqual([]);
    expect(historyViolations(lab.entries())).toEqual([]);
  });

  it("[A8] denies them also while other calls of the step run, which go on", async () => {
    const lab = new AskingLab();
    const gate = Promise.withResolvers<void>();
    lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
    lab.say("t", [
      { calls: [call("read_thing", "slow"), call("unsafe_thing", "one")] },
      { text: "ok" },
    ]);
    await lab.settle();
    lab.send("next", "then this");
    expect(lab.facts("answered", "result")).toBe("answered:denied result:denied");
    expect(lab.pending()).toEqual([]);
    lab.pause = () => Promise.resolve();
    gate.resolve();
    await lab.settle();
    expect(lab.facts("answered", "result", "end")).toBe(
      "answered:denied result:denied result:success end:completed end:completed",
    );
    expect(lab.effects.runs).toEqual(["read_thing:slow"]);
  });

  it("[A8, T8] that waited in line before they were asked denies nothing", async () => {
    const lab = new AskingLab();
    const gate = Promise.withResolvers<void>();
    lab.pause = () => gate.promise;
    lab.say("t", asking("one"));
    lab.send("q", "in line");
    lab.pause = () => Promise.resolve();
    gate.resolve();
    await lab.settle();
    expect(lab.status()).toMatchObject({
      turns: [
        { turn: "t", state: "waiting" },
        { turn: "q", state: "queued" },
      ],
      pending: [{ name: "unsafe_thing" }],
    });
    await lab.decide("one", yes);
    expect(lab.effects.runs).toEqual(["unsafe_thing:one"]);
    expect(lab.story("q")).toBe("user step:stop end:completed");
  });

  it("[A8] is answered after those that waited in line before", async () => {
    const lab = new AskingLab();
    lab.say("t", asking("one"));
    lab.send("q", "in line");
    await lab.settle();
    expect(lab.send("next", "hi").turn).toMatchObject({ state: "queued" });
    await lab.settle();
    expect(rows(lab)).toEqual([
      { id: "t", state: "stopped" },
      { id: "q", state: "completed" },
      { id: "next", state: "completed" },
    ]);
  });

  it("[T1] that is refused denies nothing: a reused key, a forged history, too much", async () => {
    const lab = await waitingLab("one");
    const story = lab.story();
    const again = lab.session.accept.bind(lab.session);
    const input = { kind: "message", content: [{ type: "text", text: "x" }] } as const;
    expect(() => again({ key: "t", digest: "other", input })).toThrow(code("key_reused"));
    expect(() => again({ key: "n", digest: "n", input, claimed: ["forged"] })).toThrow(
      code("invalid"),
    );
    const large = [{ type: "text", text: "x".repeat(2_000_000) }] as const;
    const tooLarge = { kind: "message", content: large } as const;
    for (const whenBusy of choices)
      expect(() => again({ key: "n", digest: "n", input: tooLarge, whenBusy })).toThrow(
        code("too_large"),
      );
    expect(lab.story()).toBe(story);
    expect(lab.status()).toMatchObject({ turns: [{ state: "waiting" }], pending: [{}] });
    expect(await lab.decide("one", yes)).toBe("taken");
  });

  it.each(choices.flatMap((whenBusy) => ["before", "after"].map((when) => [whenBusy, when])))(
    "[A8, T1] (%s) has denied and been accepted in one, when it crashes %s that commit",
    async (whenBusy, when) => {
      const lab = await waitingLab("one");
      lab.crashAt((name) => name === `commit:accept:${when}`);
      const send = () => lab.send("n", [{ text: "n" }], { whenBusy: whenBusy as WhenBusy });
      expect(send).toThrow("crash");
      await lab.recover();
      if (when === "before") {
        expect(lab.status()).toMatchObject({ turns: [{ turn: "t", state: "waiting" }] });
        expect(lab.facts("answered")).toBe("");
        send();
        await lab.settle();
      }
      expect(lab.facts("answered", "result")).toBe("answered:denied result:denied");
      expect(lab.status().turns).toEqual([]);
      expect(lab.effects.runs).toEqual([]);
      expect(send()).toMatchObject({ isNew: false, turn: { state: "completed" } });
    },
  );
});

describe("a message while a client's tool is waited for", () => {
  it("[A8] waits in line, and denies approvals beside it", async () => {
    const lab = await waitingForBoth();
    expect(lab.send("q", "then").turn).toMatchObject({ state: "queued" });
    await lab.settle();
    expect(lab.facts("answered", "result", "waiting")).toBe(
      "waiting answered:denied result:denied waiting",
    );
    expect(lab.status()).toMatchObject({
      turns: [{ state: "waiting" }, { state: "queued" }],
      pending: [{ name: "locate" }],
    });
    await lab.decide("a", { kind: "result", output: "here", isError: false });
    expect(lab.facts("end")).toBe("end:completed end:completed");
  });

  it("[T8] is taken at the next step when it steers", async () => {
    const lab = await waitingForBoth();
    lab.send("s", [{ text: "steered" }], { whenBusy: "steer" });
    await lab.settle();
    expect(lab.facts("steered")).toBe("");
    await lab.decide("a", { kind: "result", output: "here", isError: false });
    expect(lab.facts("steered", "end")).toBe("steered end:completed");
  });

  it("[T8] stops the turn when it replaces", async () => {
    const lab = await waitingForBoth();
    lab.send("r", "instead", { whenBusy: "replace" });
    await lab.settle();
    expect(lab.facts("answered", "result", "end")).toBe(
      "answered:denied result:denied answered:denied result:denied end:stopped end:completed",
    );
  });

  it("[R3] in line behind it keeps no driver and no alarm busy", async () => {
    const lab = await waitingForBoth();
    lab.send("q", "then");
    await lab.settle();
    const alarms: (number | null)[] = [];
    for (let n = 0; n < 3; n++) {
      await lab.fireAlarm();
      alarms.push(lab.alarm);
    }
    expect(alarms[0]).toBe(7 * 86_400_000);
  });
});
