import { beforeEach, describe, expect, inject, it } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import { Hold } from "./chat-page.ts";
import { calls, eventsOf, NativeClient, untilEnded } from "./native-client.ts";
import { breathe, tablesOf } from "./session-object.ts";

beforeEach(() => {
  resetOutside().pause = breathe;
});

const PATIENCE = { timeout: 600_000 };

const range = (count: number) => Array.from({ length: count }, (_, at) => at);

const journalOf = async (session: string, agent = "scripted") =>
  (await tablesOf(session, agent)).journal;

const read = calls(["read_thing", { label: "first" }]);

describe("a message while a turn runs", () => {
  it("[T8] waits in line unless it says otherwise", async () => {
    const client = new NativeClient("queue", "scripted");
    const hold = new Hold(2);
    for (const [key, more] of [
      ["t1", {}],
      ["t2", {}],
      ["t3", { whenBusy: "queue" }],
    ] as const) {
      const { status } = await client.ask("POST", "/turns", { message: key, ...more }, { key });
      expect(status).toBe(202);
    }
    await hold.reached();
    hold.release();
    const events = await untilEnded("queue", 3, "scripted");
    expect(eventsOf(events, "turn-start").map(({ turn }) => turn)).toEqual(["t1", "t2", "t3"]);
    expect(eventsOf(events, "turn-end").map(({ outcome }) => outcome)).toEqual([
      "completed",
      "completed",
      "completed",
    ]);
  });

  it("[T8] that steers is taken into the turn at its next step, once", async () => {
    const client = new NativeClient("steer", "scripted");
    const hold = new Hold(2);
    const first = script(read, { text: "never said" });
    await client.ask("POST", "/turns", { message: first }, { key: "t1" });
    await hold.reached();
    const steer = { message: "Rather this.", whenBusy: "steer" };
    const accepted = await client.ask("POST", "/turns", steer, { key: "t2" });
    expect(accepted).toMatchObject({
      status: 202,
      body: { turn: { turn: "t2", state: "queued" } },
    });
    hold.release();
    const events = await untilEnded("steer", 1, "scripted");
    expect(eventsOf(events, "turn-start").map(({ turn }) => turn)).toEqual(["t1"]);
    expect(eventsOf(events, "steered")).toMatchObject([{ turn: "t1", message: "t2" }]);
    expect(events.at(-1)).toMatchObject({ turn: "t1", outcome: "completed" });
    const last = outside().witness.requests.at(-1)?.messages;
    expect(JSON.stringify(last)).toContain("Rather this.");
    const again = await client.ask("POST", "/turns", steer, { key: "t2" });
    expect(again.body).toMatchObject({ turn: { turn: "t2", state: "completed" } });
    const queued = { ...steer, whenBusy: "queue" };
    expect((await client.ask("POST", "/turns", queued, { key: "t2" })).status).toBe(202);
    expect((await journalOf("steer")).filter(({ kind }) => kind === "steered")).toHaveLength(1);
  });

  it("[T8] that replaces stops the turn and is answered; those in line keep their place", async () => {
    const client = new NativeClient("replace", "scripted");
    const hanging = script({ text: "Half an", hang: true });
    await client.ask("POST", "/turns", { message: hanging }, { key: "t1" });
    while (outside().witness.requests.length === 0) await breathe();
    await client.ask("POST", "/turns", { message: "Second." }, { key: "t2" });
    const replace = { message: "Third.", whenBusy: "replace" };
    await client.ask("POST", "/turns", replace, { key: "t3" });
    const events = await untilEnded("replace", 3, "scripted");
    expect(eventsOf(events, "turn-end").map(({ turn, outcome }) => [turn, outcome])).toEqual([
      ["t1", "stopped"],
      ["t2", "completed"],
      ["t3", "completed"],
    ]);
    expect(outside().witness.aborted).toBe(1);
  });

  it("[T8, H1] is refused with 429 when 20 wait already, and nothing of it is stored", async () => {
    const client = new NativeClient("full", "scripted");
    const hanging = script({ text: "x", hang: true });
    await client.ask("POST", "/turns", { message: hanging }, { key: "t0" });
    for (const no of range(20))
      await client.ask("POST", "/turns", { message: `${no}` }, { key: `q${no}` });
    const stored = await tablesOf("full");
    for (const whenBusy of ["queue", "steer"]) {
      const more = await client.ask("POST", "/turns", { message: "more", whenBusy }, { key: "m" });
      expect(more.status).toBe(429);
      expect(more.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(more.body).toMatchObject({ error: { code: "too_many" } });
    }
    const known = await client.ask("POST", "/turns", { message: "3" }, { key: "q3" });
    expect(known.status).toBe(202);
    const { turns, journal } = await tablesOf("full");
    expect({ turns, journal }).toEqual({ turns: stored.turns, journal: stored.journal });
    await client.ask("POST", "/stop", {});
    await untilEnded("full", 21, "scripted");
    const later = await client.ask("POST", "/turns", { message: "more" }, { key: "m" });
    expect(later.status).toBe(202);
  });
});

describe("a message while a turn waits for approval", () => {
  const asking = [calls(["unsafe_thing"]), { text: "Done." }];

  it.each(["queue", "replace"] as const)(
    "[A8] denies it and is answered in a turn of its own (%s)",
    async (whenBusy) => {
      const session = `denied-${whenBusy}`;
      const client = new NativeClient(session);
      await client.say(asking, "t1");
      const call = await client.pending();
      const events = await client.say([{ text: "Instead." }], "t2", { whenBusy });
      expect(events.at(-1)).toMatchObject({ turn: "t2", outcome: "completed" });
      const all = await untilEnded(session, 2);
      expect(eventsOf(all, "call-answered")).toMatchObject([{ answer: "denied", by: "session" }]);
      expect(eventsOf(all, "turn-end")).toMatchObject([
        { turn: "t1", outcome: "stopped" },
        { turn: "t2", outcome: "completed" },
      ]);
      expect((await client.answer(call, { decision: "approve" })).status).toBe(409);
      expect(outside().effects.runs).toEqual([]);
    },
  );

  it("[A8] denies it and is taken into the turn when it steers", async () => {
    const client = new NativeClient("denied-steer");
    await client.say(asking, "t1");
    await client.ask("POST", "/turns", { message: "Else.", whenBusy: "steer" }, { key: "t2" });
    const events = await untilEnded("denied-steer", 1);
    expect(eventsOf(events, "call-answered")).toMatchObject([{ answer: "denied" }]);
    expect(eventsOf(events, "steered")).toMatchObject([{ turn: "t1", message: "t2" }]);
    expect(events.at(-1)).toMatchObject({ turn: "t1", outcome: "completed" });
    expect(outside().effects.runs).toEqual([]);
  });
});

describe("a message that is sent again", () => {
  it("[T3] with other arguments for a busy session is the same message", async () => {
    const client = new NativeClient("same", "scripted");
    const send = (more: object) =>
      client.ask("POST", "/turns", { message: "once", ...more }, { key: "t1" });
    expect((await send({ whenBusy: "queue" })).status).toBe(202);
    expect((await send({ whenBusy: "replace" })).status).toBe(202);
    const output = { schema: { type: "object" } };
    expect((await send({ output })).status).toBe(422);
    const events = await untilEnded("same", 1, "scripted");
    expect(eventsOf(events, "turn-end")).toMatchObject([{ outcome: "completed" }]);
  });

  it("[T3] twenty times at once is one turn, for each of many keys", PATIENCE, async () => {
    for (let no = 0; no < inject("atOnce"); no += 20) await manyAtOnce(`parallel-${no}`, 20);
  });
});

/** Posts twenty times at once under each of 20 keys of one session. */
async function manyAtOnce(session: string, keys: number) {
  const client = new NativeClient(session, "scripted");
  const names = range(keys).map((no) => `k${no}`);
  const posts = names.flatMap((key) => range(20).map(() => key));
  const answers = await Promise.all(
    posts.map(async (key) => {
      const { status, body } = await client.ask("POST", "/turns", { message: key }, { key });
      return [key, status, (body as { turn: { turn: string } }).turn.turn] as const;
    }),
  );
  expect(answers.filter(([key, status, turn]) => status !== 202 || turn !== key)).toEqual([]);
  await untilEnded(session, keys, "scripted");
  const journal = await journalOf(session);
  for (const kind of ["user", "end"] as const)
    expect(journal.filter((entry) => entry.kind === kind)).toHaveLength(keys);
}
