import { describe, expect, it } from "vitest";
import { defaultPermissions } from "../../src/permissions/config.ts";
import { historyViolations } from "../support/message-invariants.ts";
import { AskingLab, call, named, no, waitingLab, yes } from "./asking-lab.ts";

const WEEK = 7 * 86_400_000;

describe("a call that needs approval", () => {
  it("[A6, T2] is parked: its turn waits, runs nothing, and says so", async () => {
    const lab = await waitingLab("one");
    expect(lab.story()).toBe("user step:tool-calls asked waiting");
    expect(lab.effects.runs).toEqual([]);
    expect(lab.witness.requests).toHaveLength(1);
    expect(lab.status()).toMatchObject({
      turns: [{ turn: "t", state: "waiting", start: "0.0" }],
      pending: [{ turn: "t", name: "unsafe_thing", what: "approval", input: '{"label":"one"}' }],
      mode: "DEFAULT",
    });
    expect(lab.session.current()).toMatchObject({ turn: "t", state: "waiting" });
    expect(lab.entries().at(-1)).toMatchObject({ calls: ["call_2_0"], expiresAt: WEEK });
  });

  it("[A5] that is approved runs once, and the turn goes on to its end", async () => {
    const lab = await waitingLab("one");
    expect(await lab.decide("one", yes)).toBe("taken");
    expect(lab.story()).toBe(
      "user step:tool-calls asked waiting answered intent result:success step:stop end:completed",
    );
    expect(lab.effects.runs).toEqual(["unsafe_thing:one"]);
    expect(lab.entries()).toContainEqual(
      expect.objectContaining({ kind: "answered", answer: "approved", by: "user:ann" }),
    );
  });

  it("[A5] that is denied never runs, and the model is told why", async () => {
    const lab = await waitingLab("one");
    expect(await lab.decide("one", { ...no, reason: "Not today." })).toBe("taken");
    expect(lab.story()).toBe(
      "user step:tool-calls asked waiting answered result:denied step:stop end:completed",
    );
    expect(lab.effects.runs).toEqual([]);
    const told = JSON.stringify(lab.witness.requests.at(-1)?.messages.at(-1));
    expect(told).toContain("Not run: the user denied it. Reason: Not today.");
  });

  it("[A6] waits alone: calls of its step that need none run meanwhile, each in its order", async () => {
    const lab = new AskingLab({ permissions: { allow: [{ tool: "keyed_thing" }] } });
    const calls = [
      call("unsafe_thing", "one"),
      call("read_thing", "free"),
      call("nothing_of_the_kind"),
      call("keyed_thing", "allowed"),
      call("unsafe_thing", "two"),
    ];
    lab.say("t", [{ calls }, { text: "ok" }]);
    await lab.settle();
    expect(lab.effects.runs.toSorted()).toEqual(["keyed_thing:allowed", "read_thing:free"]);
    expect(lab.pending().map(({ input }) => input)).toEqual(['{"label":"one"}', '{"label":"two"}']);
    expect(lab.facts("result", "waiting")).toBe(
      "result:error result:success result:success waiting",
    );
  });

  it("[A6] is asked while others of its step still run, and answered then", async () => {
    const lab = new AskingLab();
    const gate = Promise.withResolvers<void>();
    lab.say("t", [
      { calls: [call("read_thing", "slow"), call("unsafe_thing", "one")] },
      { text: "ok" },
    ]);
    lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
    await lab.settle();
    expect(lab.status()).toMatchObject({
      turns: [{ state: "running" }],
      pending: [{ name: "unsafe_thing" }],
    });
    expect(await lab.decide("one", yes)).toBe("taken");
    expect(lab.status().pending).toEqual([]);
    gate.resolve();
    await lab.settle();
    expect(lab.facts("waiting", "end")).toBe("end:completed");
    expect(lab.effects.runs).toEqual(["read_thing:slow", "unsafe_thing:one"]);
  });

  it("[S5] is shown as asked in another object, also before that has taken its turn over", async () => {
    const lab = new AskingLab();
    const gate = Promise.withResolvers<void>();
    const calls = [call("unsafe_thing", "one"), call("read_thing", "slow")];
    lab.say("t", [{ calls }, { text: "ok" }]);
    lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
    await lab.settle();
    lab.sync = () => gate.promise;
    lab.again();
    const seen = [lab.pending().length, lab.pending().length];
    await lab.settle();
    expect([...seen, lab.pending().length]).toEqual([1, 1, 1]);
    expect(lab.status().turns).toMatchObject([{ state: "running" }]);
  });

  it("[A6] that no row can ask about fails alone, and the others are asked", async () => {
    const lab = new AskingLab();
    const grows = `{"label":"x","n":[${"1e20,".repeat(95_000)}1]}`;
    const calls = [{ name: "unsafe_thing", input: grows }, call("unsafe_thing", "one")];
    lab.say("t", [{ calls }, { text: "ok" }]);
    await lab.settle();
    expect(lab.story()).toBe("user step:tool-calls result:error asked waiting");
    await lab.decide("one", yes);
    expect(lab.effects.runs).toEqual(["unsafe_thing:one"]);
    expect(lab.facts("end")).toBe("end:completed");
  });

  it.each([
    ["first", "second"],
    ["second", "first"],
  ])("[A6] and another are answered in any order: %s, %s", async (one, two) => {
    const lab = await waitingLab("first", "second");
    await lab.decide(one, yes);
    expect(lab.effects.runs).toEqual([`unsafe_thing:${one}`]);
    expect(lab.status()).toMatchObject({ turns: [{ state: "waiting" }], pending: [{}] });
    await lab.decide(two, yes);
    expect(lab.effects.runs).toEqual([`unsafe_thing:${one}`, `unsafe_thing:${two}`]);
    expect(lab.facts("waiting", "end")).toBe("waiting waiting end:completed");
    expect(historyViolations(lab.entries())).toEqual([]);
  });

  it("[A6] that is denied leaves the turn waiting for the others, with no model call between", async () => {
    const lab = await waitingLab("one", "two");
    await lab.decide("one", no);
    expect(lab.witness.requests).toHaveLength(1);
    const stillWaits = { turns: [{ state: "waiting" }], pending: [{ input: '{"label":"two"}' }] };
    expect(lab.status()).toMatchObject(stillWaits);
    expect(lab.session.history({ limit: 5 }).messages.at(-1)).toMatchObject({ state: "waiting" });
    lab.again();
    expect(lab.status()).toMatchObject(stillWaits);
    await lab.decide("two", no);
    expect(lab.facts("result", "end")).toBe("result:denied result:denied end:completed");
  });

  it("[A6] survives restarts and six days, without being taken for an interruption", async () => {
    const lab = await waitingLab("one");
    for (let day = 0; day < 6; day++) {
      for (let n = 0; n < 5; n++) {
        lab.again();
        lab.session.current();
        await lab.settle();
      }
      await lab.clock.pass(86_400_000);
    }
    expect(lab.story()).toBe("user step:tool-calls asked waiting");
    expect(lab.sql.all("SELECT strikes FROM turn")).toEqual([{ strikes: 0 }]);
    await lab.decide("one", yes);
    expect(lab.effects.runs).toEqual(["unsafe_thing:one"]);
    expect(lab.facts("end", "reset")).toBe("end:completed");
  });

  it("[T7] and days of waiting do not use up what recovery allows afterwards", async () => {
    const lab = new AskingLab();
    lab.say("t", [{ calls: [call("unsafe_thing", "one")] }, { hang: true }]);
    await lab.settle();
    await lab.clock.pass(WEEK - 1);
    await lab.decide("one", yes);
    for (let n = 0; n < 5; n++) {
      lab.again();
      lab.session.current();
      await lab.settle();
    }
    expect(lab.session.current()).toMatchObject({ state: "running" });
  });

  it("[A4] asks again when the tool changed while it waited, and runs only what was approved then", async () => {
    const lab = await waitingLab("one");
    const old = lab.question("one");
    const changed = lab
      .ownTools()
      .map((tool) =>
        tool.name === "unsafe_thing" ? { ...tool, description: "Something else." } : tool,
      );
    lab.restart({ tools: changed, permissions: defaultPermissions });
    expect(await lab.answer({ ...named(old), ...yes })).toBe("taken");
    expect(lab.effects.runs).toEqual([]);
    const asked = lab.question("one");
    expect(asked.digest).not.toBe(old.digest);
    expect(await lab.answer({ ...named(old), ...yes })).toBe("stale");
    expect(lab.effects.runs).toEqual([]);
    expect(await lab.answer({ ...named(asked), ...yes })).toBe("taken");
    expect(lab.effects.runs).toEqual(["unsafe_thing:one"]);
  });

  it("[A4] asks again when the operator's rules changed while it waited", async () => {
    const lab = await waitingLab("one");
    lab.restartWith({ ask: [{ tool: "unsafe_*" }] });
    await lab.decide("one", yes);
    expect(lab.effects.runs).toEqual([]);
    await lab.decide("one", yes);
    expect(lab.effects.runs).toEqual(["unsafe_thing:one"]);
  });

  it("[A4] is denied when the operator forbids it meanwhile, although it was approved", async () => {
    const lab = await waitingLab("one");
    lab.restartWith({ deny: [{ tool: "unsafe_thing" }] });
    await lab.decide("one", yes);
    expect(lab.effects.runs).toEqual([]);
    expect(lab.facts("answered", "result", "end")).toBe(
      "answered:approved result:denied end:completed",
    );
  });

  it("[A4] whose tool is gone is settled without running", async () => {
    const lab = await waitingLab("one");
    lab.restart({ tools: [], permissions: defaultPermissions });
    await lab.decide("one", yes);
    expect(lab.facts("answered", "result", "end")).toBe(
      "answered:approved result:error end:completed",
    );
  });

  it("[T9] is denied when the turn is stopped, and stays so", async () => {
    const lab = await waitingLab("one", "two");
    const one = lab.question("one");
    expect(lab.session.stop()).toMatchObject({ turn: "t", state: "stopped" });
    await lab.settle();
    expect(lab.facts("answered", "result", "end")).toBe(
      "answered:denied result:denied answered:denied result:denied end:stopped",
    );
    expect(lab.entries()).toContainEqual(expect.objectContaining({ by: "session" }));
    expect(lab.status()).toMatchObject({ turns: [], pending: [] });
    expect(await lab.answer({ ...named(one), ...yes })).toBe("stale");
    expect(lab.effects.runs).toEqual([]);
    lab.say("next", "hi");
    await lab.settle();
    expect(lab.story("next")).toBe("user step:stop end:completed");
  });

  it("[T9] is denied by a stop while other calls of its step run", async () => {
    const lab = new AskingLab();
    const gate = Promise.withResolvers<void>();
    lab.say("t", [{ calls: [call("read_thing", "slow"), call("unsafe_thing", "one")] }]);
    lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
    await lab.settle();
    lab.session.stop();
    gate.resolve();
    await lab.settle();
    expect(lab.facts("answered", "result", "end")).toBe(
      "result:interrupted answered:denied result:denied end:stopped",
    );
  });

  it("[T7] is denied when its turn is given up, too large to be loaded", async () => {
    const lab = await waitingLab("one");
    lab.onPoint = (name) => {
      if (name !== "commit:answer:after") return;
      lab.onPoint = () => {};
      throw new Error("out of memory");
    };
    await expect(lab.decide("one", yes)).rejects.toThrow("out of memory");
    lab.onPoint = (name) => {
      if (name === "commit:recover:before" || name === "commit:end:before")
        throw new Error("out of memory");
    };
    for (let n = 0; n < 3; n++) {
      lab.again();
      lab.session.current();
      await lab.settle();
    }
    lab.onPoint = () => {};
    lab.again();
    lab.session.current();
    await lab.settle();
    expect(lab.entries().at(-1)).toMatchObject({ error: { code: "out_of_memory" } });
    expect(lab.facts("result")).toBe("result:interrupted");
    expect(lab.effects.runs).toEqual([]);
  });
});
