import { beforeEach, describe, expect, it } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { calls, eventsOf, NativeClient, untilEnded } from "./native-client.ts";
import { breathe, tablesOf } from "./session-object.ts";

beforeEach(() => {
  resetOutside().pause = breathe;
});

const AGENT = "client-tool";
const done = { text: "Done." };

/** A session whose turn waits for its client to run a tool. */
async function waiting(session: string) {
  const client = new NativeClient(session, AGENT);
  await client.say([calls(["locate"]), done], "t1");
  return { client, call: await client.pending() };
}

const rowsOf = async (session: string) => {
  const { jobs: _, ...rows } = await tablesOf(session, AGENT);
  return rows;
};

describe("a tool that the client runs", () => {
  it("[A6, S5] waits for its result, which the model is given", async () => {
    const { client, call } = await waiting("result");
    expect(call).toMatchObject({ what: "client", name: "locate", input: "{}" });
    const events = await client.events("POST", `/calls/${call.call}`, {
      result: { city: "Turin" },
      digest: call.digest,
    });
    expect(eventsOf(events, "call-answered")).toMatchObject([{ answer: "result" }]);
    expect(eventsOf(events, "tool-result")).toMatchObject([
      { status: "success", content: [{ type: "text", text: '{"city":"Turin"}' }] },
    ]);
    expect(events.at(-1)).toMatchObject({ type: "turn-end", outcome: "completed" });
    expect(JSON.stringify(outside().witness.requests.at(-1)?.messages)).toContain("Turin");
  });

  it("[A5] gives its result once: again is repeated, another is a conflict", async () => {
    const { client, call } = await waiting("once");
    const outcome = async (result: unknown) => await client.answer(call, { result });
    expect((await outcome("Turin")).body).toMatchObject({ call: { outcome: "taken" } });
    expect((await outcome("Turin")).body).toMatchObject({ call: { outcome: "repeated" } });
    const other = await outcome("Milan");
    expect(other).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
    await untilEnded("once", 1, AGENT);
    const sent = JSON.stringify(outside().witness.requests.at(-1)?.messages);
    expect([sent.includes("Turin"), sent.includes("Milan")]).toEqual([true, false]);
  });

  it("may fail, and the model is told so", async () => {
    const { client, call } = await waiting("failed");
    const body = { result: "No signal.", isError: true, digest: call.digest };
    const events = await client.events("POST", `/calls/${call.call}`, body);
    expect(eventsOf(events, "tool-result")).toMatchObject([
      { status: "error", content: [{ type: "text", text: "No signal." }] },
    ]);
  });

  it("[X5, H1] is not answered by what its tool does not give, or by an approval", async () => {
    const { client, call } = await waiting("refused");
    const stored = await rowsOf("refused");
    for (const body of [{ result: { town: "x" } }, { result: 7 }, { decision: "approve" }]) {
      const refused = await client.answer(call, body);
      expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid" } } });
    }
    expect(await rowsOf("refused")).toEqual(stored);
    expect((await client.answer(call, { decision: "deny" })).status).toBe(200);
    const events = await untilEnded("refused", 1, AGENT);
    expect(eventsOf(events, "tool-result")).toMatchObject([{ status: "denied" }]);
  });

  it("[H1] is the only kind of tool that takes a result", async () => {
    const client = new NativeClient("server", AGENT);
    await client.say([calls(["unsafe_thing"]), done], "t1");
    const refused = await client.answer(await client.pending(), { result: "I did it." });
    expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid" } } });
    expect((await client.history()).status.pending).toHaveLength(1);
  });

  it("[A6] has the turn go on when everything that was asked is answered", async () => {
    const client = new NativeClient("batch", AGENT);
    const step = calls(["locate", { label: "a" }], ["locate", { label: "b" }]);
    await client.say([step, done], "t1");
    const [one, two] = (await client.history()).status.pending;
    if (!one || !two) throw new Error("two calls should wait");
    const first = await client.events("POST", `/calls/${one.call}`, {
      result: "Turin",
      digest: one.digest,
    });
    expect(first.map(({ type }) => type)).toContain("call-answered");
    expect((await client.history()).status).toMatchObject({
      turns: [{ turn: "t1", state: "waiting" }],
      pending: [two],
    });
    expect(outside().witness.requests).toHaveLength(1);
    await client.answer(two, { result: "Milan" });
    await untilEnded("batch", 1, AGENT);
    expect(outside().witness.requests).toHaveLength(2);
  });
});

describe("a message while the client runs a tool", () => {
  it("[T8] waits in line until the result is there", async () => {
    const { client, call } = await waiting("line");
    await client.ask("POST", "/turns", { message: "Next." }, { key: "t2" });
    expect((await client.history()).status).toMatchObject({
      turns: [
        { turn: "t1", state: "waiting" },
        { turn: "t2", state: "queued" },
      ],
      pending: [call],
    });
    await client.answer(call, { result: "Turin" });
    const events = await untilEnded("line", 2, AGENT);
    expect(eventsOf(events, "turn-end").map(({ turn, outcome }) => [turn, outcome])).toEqual([
      ["t1", "completed"],
      ["t2", "completed"],
    ]);
  });

  it("[T8] stops the turn when it replaces, and the result comes too late", async () => {
    const { client, call } = await waiting("replaced");
    await client.ask("POST", "/turns", { message: "Now.", whenBusy: "replace" }, { key: "t2" });
    const events = await untilEnded("replaced", 2, AGENT);
    expect(eventsOf(events, "turn-end").map(({ outcome }) => outcome)).toEqual([
      "stopped",
      "completed",
    ]);
    expect((await client.answer(call, { result: "Turin" })).status).toBe(409);
  });
});
