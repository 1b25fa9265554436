import { describe, expect, it } from "vitest";
import { defaultLimits } from "../../src/turn/limits.ts";
import type { Capability, EndedTurn } from "../../src/turn/capability.ts";
import { identified } from "../support/client.ts";
import { historyViolations, requestViolations } from "../support/message-invariants.ts";
import { script } from "../support/scripted-model.ts";
import { streamViolations } from "../support/stream-invariants.ts";
import { AskingLab, call, type AskingOptions } from "./asking-lab.ts";

const steer = { whenBusy: "steer" } as const;

/** A session whose turn `t` runs a tool until `release`. */
async function busy(options: AskingOptions = {}) {
  const lab = new AskingLab(options);
  const gate = Promise.withResolvers<void>();
  lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
  lab.say("t", [{ calls: [call("read_thing", "slow")] }, { text: "never asked" }]);
  await lab.settle();
  const release = async () => {
    lab.pause = () => Promise.resolve();
    gate.resolve();
    await lab.settle();
  };
  return { lab, release };
}

/** A session whose turn `t` is in its only step until `end`. */
async function lastStep() {
  const lab = new AskingLab();
  const gate = Promise.withResolvers<void>();
  lab.pause = () => gate.promise;
  lab.say("t", [{ text: "whole" }]);
  await lab.settle();
  const end = async () => {
    lab.pause = () => Promise.resolve();
    gate.resolve();
    await lab.settle();
  };
  return { lab, end };
}

/** The turns that were taken up, in that order. */
const turnsOf = (lab: AskingLab) =>
  lab.entries().flatMap(({ kind, turn }) => (kind === "user" ? [turn] : []));

const said = (text: string) => script({ text, batches: 1 });

describe("a message that steers", () => {
  it("[T8] is taken into the turn before its next step, which answers it", async () => {
    const { lab, release } = await busy();
    expect(lab.send("s", said("Rather this."), steer).turn).toMatchObject({
      turn: "s",
      state: "queued",
      start: null,
    });
    await release();
    expect(lab.story("t")).toBe(
      "user step:tool-calls result:success steered step:stop end:completed",
    );
    expect(lab.story("s")).toBe("");
    const last = lab.witness.requests.at(-1)?.messages ?? [];
    expect(last.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(JSON.stringify(last.at(-1))).toContain("Rather this.");
    expect(requestViolations(last)).toEqual([]);
    expect(lab.sql.all("SELECT id, state, joined FROM turn WHERE id = 's'")).toEqual([
      { id: "s", state: "steered", joined: "t" },
    ]);
    expect(lab.sql.all("SELECT id FROM job")).toEqual([]);
  });

  it("[T8] comes with others that do, all at once and in their order, past those in line", async () => {
    const { lab, release } = await busy();
    lab.send("q", "in line");
    lab.send("s1", said("First."), steer);
    lab.send("s2", said("Second."), steer);
    await release();
    expect(lab.story("t")).toBe(
      "user step:tool-calls result:success steered steered step:stop end:completed",
    );
    const steered = lab.entries().flatMap((entry) => (entry.kind === "steered" ? [entry] : []));
    expect(steered.map(({ message }) => message)).toEqual(["s1", "s2"]);
    expect(lab.story("q")).toBe("user step:stop end:completed");
    expect(historyViolations(lab.entries())).toEqual([]);
  });

  it("[T8] is the next turn when the turn ends before it could be taken", async () => {
    const { lab, end } = await lastStep();
    lab.send("s", said("Then this."), steer);
    await end();
    expect(lab.story()).toBe("user step:stop end:completed user step:stop end:completed");
  });

  it("[T8] is for the turn that it came in, and not for one that waits in line before it", async () => {
    const { lab, end } = await lastStep();
    lab.send("q", "in line");
    lab.send("s", said("Rather this."), steer);
    await end();
    expect(lab.facts("steered")).toBe("");
    expect(turnsOf(lab)).toEqual(["t", "q", "s"]);
    expect(lab.story("s")).toBe("user step:stop end:completed");
    expect(JSON.stringify(lab.witness.requests.at(1))).not.toContain("Rather this.");
  });

  it("[T8] leaves the JSON alone that a message in line asked for", async () => {
    const { lab, end } = await lastStep();
    const output = { schema: { type: "object", properties: { n: { type: "integer" } } } };
    const text = script({ calls: [{ name: "generate_response", input: '{"n":1}' }] });
    const input = { kind: "message", content: [{ type: "text", text }], output } as const;
    lab.session.accept({ key: "q", digest: "q", input });
    lab.send("s", said("Rather this."), steer);
    await end();
    expect(lab.entries("q").at(-1)).toMatchObject({ outcome: "completed", output: { n: 1 } });
    expect(turnsOf(lab)).toEqual(["t", "q", "s"]);
  });

  it("[T8, T1] is for that turn also in another object", async () => {
    const { lab, end } = await lastStep();
    lab.send("q", [{ calls: [call("read_thing", "q")] }, { text: "q" }]);
    lab.send("s", said("Rather this."), steer);
    const crashed = lab.crashAt((name) => name === "commit:step:after");
    await end();
    expect(crashed()).toBe(true);
    await lab.recover();
    expect(lab.facts("steered")).toBe("");
    expect(turnsOf(lab)).toEqual(["t", "q", "s"]);
  });

  it("[T8] is for no turn where the one in line has not begun", async () => {
    const { lab, end } = await lastStep();
    lab.send("q", [{ calls: [call("read_thing", "q")] }, { text: "q" }]);
    const crashed = lab.crashAt((name) => name === "commit:step:after");
    await end();
    expect(crashed()).toBe(true);
    lab.onPoint = () => {};
    lab.again();
    lab.send("s", said("Rather this."), steer);
    await lab.settle();
    expect(lab.facts("steered")).toBe("");
    expect(turnsOf(lab)).toEqual(["t", "q", "s"]);
  });

  it("[T10] gives the turn no more steps: one that has used them ends, and the message is next", async () => {
    const { lab, release } = await busy({ limits: { ...defaultLimits, maxIters: 1 } });
    lab.send("s", said("Then this."), steer);
    await release();
    expect(lab.story("t")).toBe("user step:tool-calls result:success end:step_limit");
    expect(lab.story("s")).toBe("user step:stop end:completed");
  });

  it("[T8] waits in line when its answer has to have a form of its own, or nothing runs", async () => {
    const { lab, release } = await busy();
    const input = {
      kind: "message",
      content: [{ type: "text", text: "JSON, please." }],
      output: { schema: { type: "object" } },
    } as const;
    lab.session.accept({ key: "s", digest: "s", input, ...steer });
    await release();
    expect(lab.facts("steered")).toBe("");
    expect(lab.story("s")).toMatch(/^user /);
    const idle = new AskingLab();
    idle.send("s", "hi", steer);
    await idle.settle();
    expect(idle.story("s")).toBe("user step:stop end:completed");
  });

  it("[T3] is the same message when it is sent again, before and after it was taken", async () => {
    const { lab, release } = await busy();
    const again = (more: object = steer) => lab.send("s", said("Rather."), more);
    again();
    expect(again()).toMatchObject({ isNew: false, turn: { state: "queued" } });
    await release();
    const view = { turn: "s", reply: "t.reply", state: "completed", start: "5.0" };
    expect(again()).toEqual({ isNew: false, turn: view });
    expect(again({ whenBusy: "replace" })).toEqual({ isNew: false, turn: view });
    lab.again();
    expect(again({})).toEqual({ isNew: false, turn: view });
    expect(lab.facts("steered", "user")).toBe("user steered");
  });

  it("[S4] is followed to the end of the turn that it was taken into, from where it was taken", async () => {
    const { lab, release } = await busy();
    lab.send("s", said("Rather."), steer);
    const waiting = lab.listen({ until: "s" });
    await release();
    const after = lab.listen({ until: "s" });
    const replay = lab.listen();
    await lab.settle();
    for (const listener of [waiting, after]) {
      expect(listener.state).toBe("ended");
      const events = identified(listener.frames());
      expect(events[0]?.event).toMatchObject({ type: "steered", turn: "t", message: "s" });
      expect(events.at(-1)?.event).toMatchObject({ type: "turn-end", turn: "t" });
      expect(streamViolations(events, identified(replay.frames()).slice(-events.length))).toEqual(
        [],
      );
    }
  });

  it("[T9] can be stopped while it waits, and stands for its turn once it was taken", async () => {
    const { lab, release } = await busy();
    lab.send("s", said("Rather."), steer);
    expect(lab.session.stop("s")).toMatchObject({ turn: "s", state: "stopped" });
    await release();
    expect(lab.facts("steered")).toBe("");
    expect(lab.story("s")).toBe("user end:stopped");

    const taken = await busy();
    taken.lab.send("s", script({ text: "so far", batches: 1, hang: true }), steer);
    await taken.release();
    expect(taken.lab.session.stop("s")).toMatchObject({ turn: "t", state: "stopped" });
    expect(taken.lab.story("t")).toMatch(/steered step:stopped end:stopped$/);
    expect(taken.lab.session.stop("s")).toMatchObject({ reply: "t.reply", state: "stopped" });
  });

  it("[T11] is in the history, and in what is done after its turn, once", async () => {
    const ended: EndedTurn[] = [];
    const after: Capability = {
      name: "after",
      afterTurns: async (_, turns) => void ended.push(...turns),
    };
    const { lab, release } = await busy({ capabilities: [after] });
    lab.send("s", said("Rather."), steer);
    await release();
    await lab.clock.pass(20_000);
    expect(ended.map(({ turn }) => turn)).toEqual(["t"]);
    expect(ended[0]?.entries.map(({ kind }) => kind)).toContain("steered");
    const { messages } = lab.session.history({ limit: 10 });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const [, answer] = messages;
    const parts = answer?.role === "assistant" ? answer.parts.map(({ type }) => type) : [];
    expect(parts).toEqual(["tool", "steered", "text"]);
  });

  it("[T1] is not lost when the answer is given anew: the new one is asked for both", async () => {
    const { lab, release } = await busy();
    lab.send("s", said("Rather."), steer);
    await release();
    lab.say("again", { kind: "regenerate" });
    await lab.settle();
    const [question] = lab.session.history({ limit: 10 }).messages;
    expect(JSON.stringify(question)).toMatch(/never asked.*Rather/);
    expect(lab.story("again")).toBe("user step:stop end:completed");
  });

  it.each(["commit:steer:before", "commit:steer:after"] as const)(
    "[T1, T8] survives a crash at %s, and is answered once",
    async (point) => {
      const { lab, release } = await busy();
      lab.send("s", said("Rather."), steer);
      const crashed = lab.crashAt((name) => name === point);
      await release();
      expect(crashed()).toBe(true);
      await lab.recover();
      expect(lab.facts("user", "steered", "step", "end")).toBe(
        "user step steered step end:completed",
      );
      expect(lab.effects.runs).toEqual(["read_thing:slow"]);
    },
  );

  it("[T8] is not taken by an object that another has replaced", async () => {
    const { lab, release } = await busy();
    lab.send("s", said("Rather."), steer);
    const story = () => lab.facts("user", "steered", "step", "end");
    lab.pause = () => Promise.resolve();
    lab.again();
    lab.session.current();
    await lab.settle();
    const before = story();
    await release();
    expect(story()).toBe(before);
    expect(before).toBe("user step steered step end:completed");
  });
});
