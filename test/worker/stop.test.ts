import { exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import { breathe, clientOf, tablesOf } from "./session-object.ts";

beforeEach(() => {
  resetOutside().pause = breathe;
});

const base = "http://localhost/v1/agents/scripted/sessions";

const stop = async (session: string, turn?: string) => {
  const response = await exports.default.fetch(`${base}/${session}/stop`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(turn === undefined ? {} : { turn }),
  });
  return { status: response.status, body: await response.json() };
};

const stopped = (turn: string) => ({
  status: 200,
  body: { turn: expect.objectContaining({ turn, state: "stopped" }) as object },
});

const rest = async () => {
  for (let breaths = 0; breaths < 30; breaths++) await breathe();
};

describe("stop", () => {
  it("[T9] reaches the provider and keeps the partial answer", async () => {
    const client = clientOf("partial");
    const answers: Promise<unknown>[] = [];
    let said = "";
    await client.talk("t1", { message: script({ text: "Half an", hang: true }) }, (event) => {
      if (event.type === "text") said += event.text;
      if (said === "Half an" && answers.length === 0) answers.push(stop("partial"));
    });
    expect(await Promise.all(answers)).toEqual([stopped("t1")]);
    await rest();
    expect(outside().witness.aborted).toBe(1);
    expect((await client.history()).at(-1)).toMatchObject({
      role: "assistant",
      state: "stopped",
      parts: [{ type: "text", text: "Half an" }],
    });
    expect(client.streams[0]?.slice(-2).map(({ event }) => event)).toMatchObject([
      { type: "step-end", finish: "stopped" },
      { type: "turn-end", outcome: "stopped" },
    ]);
  });

  it("[T9] settles open calls, waits for none, and lets nothing of the turn follow its end", async () => {
    let isHeld = true;
    const calls = ["keyed_thing", "unsafe_thing"].map((name) => ({ name, input: "{}" }));
    const client = clientOf("calls");
    const { effects } = outside();
    // Holds the first tool in the middle of its run, and nothing before.
    outside().pause = async () => {
      while (isHeld && effects.runs.length > 0) await breathe();
    };
    await client.post("t1", { message: script({ text: "I", calls }, { text: "never" }) });
    while (effects.runs.length === 0) await breathe();
    expect(await stop("calls")).toEqual(stopped("t1"));
    const { jobs: _, ...atStop } = await tablesOf("calls");
    expect(
      atStop.journal.flatMap((entry) =>
        entry.kind === "result" ? [[entry.name, entry.status]] : [],
      ),
    ).toEqual([
      ["keyed_thing", "unknown"],
      ["unsafe_thing", "interrupted"],
    ]);
    isHeld = false;
    await rest();
    const { jobs: __, ...later } = await tablesOf("calls");
    expect(later).toEqual(atStop);
    expect(effects.runs).toEqual(["keyed_thing:x"]);
  });

  it("[T9] said twice, or to a turn that has ended, changes nothing", async () => {
    const client = clientOf("twice");
    await client.post("t1", { message: script({ text: "x", hang: true }) });
    expect(await Promise.all([stop("twice", "t1"), stop("twice", "t1")])).toEqual([
      stopped("t1"),
      stopped("t1"),
    ]);
    const once = await tablesOf("twice");
    expect(await stop("twice", "t1")).toEqual(stopped("t1"));
    await client.talk("t2", { message: "Fine." });
    expect((await stop("twice", "t2")).body).toMatchObject({ turn: { state: "completed" } });
    expect((await tablesOf("twice")).journal.slice(0, once.journal.length)).toEqual(once.journal);
  });

  it("[T9] of a turn in line takes it out of the line, and of nothing does nothing", async () => {
    const client = clientOf("line");
    expect(await stop("line")).toEqual({ status: 200, body: { turn: null } });
    expect((await stop("line", "nobody")).status).toBe(404);
    await client.post("t1", { message: script({ text: "x", hang: true }) });
    await client.post("t2", { message: script({ text: "y" }) });
    await client.post("t3", { message: script({ text: "z" }) });
    expect(await stop("line", "t2")).toEqual(stopped("t2"));
    expect(await stop("line", "t2")).toEqual(stopped("t2"));
    expect(await stop("line")).toEqual(stopped("t1"));
    await client.follow((event) => event.type === "turn-end" && event.turn === "t3");
    const { turns, journal } = await tablesOf("line");
    expect(turns.map(({ state }) => state)).toEqual(["stopped", "stopped", "completed"]);
    expect(journal.filter(({ turn }) => turn === "t2").map(({ kind }) => kind)).toEqual([
      "user",
      "end",
    ]);
  });
});
