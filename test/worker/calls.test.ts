import { beforeEach, describe, expect, inject, it } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { calls, eventsOf, NativeClient, type Answer } from "./native-client.ts";
import { breathe, tablesOf } from "./session-object.ts";

beforeEach(() => {
  resetOutside().pause = breathe;
});

const done = { text: "Done." };
const unsafe = calls(["unsafe_thing", { label: "one" }]);

/** A session whose turn waits for the approval of one call. */
async function asked(session: string) {
  const client = new NativeClient(session);
  await client.say([unsafe, done], "t1");
  return { client, call: await client.pending() };
}

const rowsOf = async (session: string) => {
  const { jobs: _, ...rows } = await tablesOf(session, "asking");
  return rows;
};

const problem = ({ body }: Answer) => (body as { error: { code: string; message: string } }).error;

describe("a call that needs approval", () => {
  it("[A6, S5] is asked, seen by whoever looks, and runs nothing until it is answered", async () => {
    const client = new NativeClient("asks");
    const events = await client.say([unsafe, done], "t1");
    const [question] = eventsOf(events, "call-asked");
    expect(question).toMatchObject({
      turn: "t1",
      name: "unsafe_thing",
      what: "approval",
      input: '{"label":"one"}',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(events.at(-1)).toMatchObject({ type: "turn-waiting", calls: [question?.call] });
    expect(outside().effects.runs).toEqual([]);
    const { status, messages } = await client.history();
    const { at: _, type: __, ...pending } = question ?? {};
    expect(status).toMatchObject({
      turns: [{ turn: "t1", state: "waiting" }],
      pending: [pending],
      mode: "DEFAULT",
    });
    expect(messages.at(-1)).toMatchObject({ state: "waiting", parts: [{ pending }] });
  });

  it("[S5, S1] is asked again of a client that connects again", async () => {
    const { client, call } = await asked("again");
    const response = await client.send("GET", "/events", undefined, { "last-event-id": "0.0" });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes('"type":"turn-waiting"')) text += (await reader?.read())?.value ?? "";
    await reader?.cancel();
    expect(text.indexOf('"type":"status"')).toBeLessThan(text.indexOf('"type":"turn-start"'));
    expect(text).toContain('"type":"call-asked"');
    expect(text.match(new RegExp(`"digest":"${call.digest}"`, "g"))).toHaveLength(2);
  });

  it("[A5] that is approved runs once, and the answer's stream ends with its turn", async () => {
    const { client, call } = await asked("approved");
    const events = await client.events("POST", `/calls/${call.call}`, {
      decision: "approve",
      digest: call.digest,
    });
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["call-answered", "tool-result", "text", "turn-end"]),
    );
    expect(eventsOf(events, "turn-start")).toEqual([]);
    expect(eventsOf(events, "call-answered")).toMatchObject([
      { call: call.call, answer: "approved", by: "user:local" },
    ]);
    expect(events.at(-1)).toMatchObject({ type: "turn-end", outcome: "completed" });
    expect(outside().effects.runs).toEqual(["unsafe_thing:one"]);
    expect((await client.history()).status).toMatchObject({ turns: [], pending: [] });
  });

  it("[A5] may be approved twice: the second time changes nothing", async () => {
    const { client, call } = await asked("twice");
    const outcome = async () => (await client.answer(call, { decision: "approve" })).body;
    expect(await outcome()).toMatchObject({
      call: { call: call.call, outcome: "taken", answer: "approved" },
      turn: { turn: "t1" },
    });
    expect(await outcome()).toMatchObject({ call: { outcome: "repeated", answer: "approved" } });
    await client.ask("POST", "/turns", { message: "[]" }, { key: "t2" });
    const stored = await untilIdle(client);
    expect(await outcome()).toMatchObject({ call: { outcome: "repeated" } });
    const denied = await client.answer(call, { decision: "deny" });
    expect(denied.status).toBe(409);
    expect(problem(denied)).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("approved") as string,
    });
    expect(await rowsOf("twice")).toEqual(stored);
    expect(outside().effects.runs).toEqual(["unsafe_thing:one"]);
  });

  it("[S7] that rules deny has an event of its own with the reason, which the model is told too", async () => {
    const client = new NativeClient("ruled-out");
    await client.ask("PUT", "/permissions", { deny: [{ tool: "unsafe_thing" }] });
    const events = await client.say([unsafe, done], "t1");
    expect(eventsOf(events, "call-asked")).toEqual([]);
    const [result] = eventsOf(events, "tool-result");
    expect(result).toMatchObject({ turn: "t1", name: "unsafe_thing", status: "denied" });
    const [said] = result?.content ?? [];
    const reason = said?.type === "text" ? said.text : "";
    expect(reason).toMatch(/^Not run: .*rule/);
    expect(JSON.stringify(outside().witness.requests.at(-1)?.messages)).toContain(reason);
    expect(outside().effects.runs).toEqual([]);
  });

  it("[A5, S7] that is denied has an event of its own with the reason, never runs, and the model is told why", async () => {
    const { client, call } = await asked("denied");
    const reason = "Not on a Sunday.";
    const events = await client.events("POST", `/calls/${call.call}`, {
      decision: "deny",
      digest: call.digest,
      reason,
    });
    expect(eventsOf(events, "call-answered")).toMatchObject([{ answer: "denied", reason }]);
    expect(eventsOf(events, "tool-result")).toMatchObject([{ status: "denied" }]);
    expect(events.at(-1)).toMatchObject({ outcome: "completed" });
    expect(outside().effects.runs).toEqual([]);
    expect(JSON.stringify(outside().witness.requests.at(-1)?.messages)).toContain(reason);
    const approved = await client.answer(call, { decision: "approve" });
    expect(approved.status).toBe(409);
    expect(problem(approved).message).toContain("denied");
    expect(outside().effects.runs).toEqual([]);
  });

  it("[A4] runs with other arguments when its approver gives them, and shows them", async () => {
    const { client, call } = await asked("edited");
    const input = { label: "two" };
    const events = await client.events("POST", `/calls/${call.call}`, {
      decision: "approve",
      digest: call.digest,
      input,
    });
    expect(eventsOf(events, "call-answered")).toMatchObject([{ input: JSON.stringify(input) }]);
    expect(outside().effects.runs).toEqual(["unsafe_thing:two"]);
    const { messages } = await client.history();
    expect(messages.at(-1)).toMatchObject({
      parts: [{ input: '{"label":"one"}', answered: { input: JSON.stringify(input) } }, {}],
    });
  });

  it("[X5, H1] cannot be approved with arguments that its tool refuses", async () => {
    const { client, call } = await asked("misedited");
    const stored = await rowsOf("misedited");
    const refused = await client.answer(call, { decision: "approve", input: { label: 7 } });
    expect(refused.status).toBe(400);
    expect(problem(refused).message).toContain("label");
    expect(await rowsOf("misedited")).toEqual(stored);
    expect((await client.answer(call, { decision: "approve" })).status).toBe(200);
    await untilIdle(client);
    expect(outside().effects.runs).toEqual(["unsafe_thing:one"]);
  });

  it("[A7] that is approved for always is not asked again in later turns", async () => {
    const { client, call } = await asked("always");
    expect(call.suggested.length).toBeGreaterThan(0);
    await client.events("POST", `/calls/${call.call}`, {
      decision: "approve",
      digest: call.digest,
      always: true,
    });
    expect((await client.permissions()).session.allow).toEqual([call.suggested[0]]);
    const events = await client.say([unsafe, done], "t2");
    expect(events.at(-1)).toMatchObject({ type: "turn-end", outcome: "completed" });
    expect(outside().effects.runs).toEqual(["unsafe_thing:one", "unsafe_thing:one"]);
  });

  it("[A7] takes the rules that its person writes, for both decisions", async () => {
    const { client, call } = await asked("rules");
    const deny = [{ tool: "unsafe_thing" }];
    await client.events("POST", `/calls/${call.call}`, {
      decision: "deny",
      digest: call.digest,
      always: deny,
    });
    expect((await client.permissions()).session.deny).toEqual(deny);
    const events = await client.say([unsafe, done], "t2");
    expect(eventsOf(events, "call-asked")).toEqual([]);
    expect(eventsOf(events, "tool-result")).toMatchObject([{ status: "denied" }]);
    expect(outside().effects.runs).toEqual([]);
  });

  it("[A4] is answered by its digest only, and nothing is stored for another", async () => {
    const { client, call } = await asked("digest");
    const stored = await rowsOf("digest");
    const other = { ...call, digest: "0".repeat(64) };
    const refused = await client.answer(other, { decision: "approve" });
    expect(refused.status).toBe(409);
    expect(problem(refused).message).toContain("changed");
    const unknown = await client.answer({ ...call, call: "call_9_9" }, { decision: "approve" });
    expect(unknown.status).toBe(404);
    expect(await rowsOf("digest")).toEqual(stored);
    expect(outside().effects.runs).toEqual([]);
  });

  it("[H1] is not answered when the stream that is asked for could not begin", async () => {
    const { client, call } = await asked("cursor");
    const stored = await rowsOf("cursor");
    for (const after of ["x", "99999.0", "1", ""]) {
      const response = await client.send(
        "POST",
        `/calls/${call.call}?after=${after}`,
        { decision: "approve", digest: call.digest },
        { accept: "text/event-stream" },
      );
      expect(response.status).toBe(400);
      expect(await response.text()).toContain("0.0");
    }
    expect(await rowsOf("cursor")).toEqual(stored);
  });

  it("[A6] waits beside others: each is answered for itself, and what needs none does not wait", async () => {
    const client = new NativeClient("several");
    const step = calls(
      ["unsafe_thing", { label: "one" }],
      ["read_thing", { label: "free" }],
      ["keyed_thing", { label: "two" }],
    );
    await client.say([step, done], "t1");
    expect(outside().effects.runs).toEqual(["read_thing:free"]);
    const [one, two] = (await client.history()).status.pending;
    if (!one || !two) throw new Error("two calls should wait");
    const first = await client.events("POST", `/calls/${one.call}`, {
      decision: "approve",
      digest: one.digest,
    });
    expect(first.at(-1)).toMatchObject({ type: "turn-waiting", calls: [two.call] });
    expect(outside().effects.runs).toEqual(["read_thing:free", "unsafe_thing:one"]);
    const second = await client.events("POST", `/calls/${two.call}`, {
      decision: "deny",
      digest: two.digest,
    });
    expect(second.at(-1)).toMatchObject({ type: "turn-end", outcome: "completed" });
    expect(outside().effects.runs).toEqual(["read_thing:free", "unsafe_thing:one"]);
  });
});

/** The rows of the session once none of its turns is unfinished. */
async function untilIdle(client: NativeClient) {
  while ((await client.history()).status.turns.length > 0) await breathe();
  return rowsOf(client.session);
}

const PATIENCE = { timeout: 600_000 };

const range = (count: number) => Array.from({ length: count }, (_, at) => at);

describe("many answers at once", () => {
  it(
    "[A5] twenty parallel approvals run the tool once, for each of many calls",
    PATIENCE,
    async () => {
      const count = inject("atOnce");
      for (let no = 0; no < count; no += 20)
        await Promise.all(range(20).map((at) => approveAtOnce(`many-${no + at}`)));
      expect(outside().effects.runs).toHaveLength(count);
    },
  );

  it("[A5] of approvals and denials the first counts, and the others learn of it", async () => {
    const { client, call } = await asked("contest");
    const answers = await Promise.all(
      range(20).map((no) => client.answer(call, { decision: no % 2 === 0 ? "approve" : "deny" })),
    );
    const taken = answers.filter(({ body }) => hasOutcome(body, "taken"));
    expect(taken).toHaveLength(1);
    const conflicts = answers.filter(({ status }) => status === 409);
    expect(conflicts).toHaveLength(10);
    await untilIdle(client);
    expect(outside().effects.runs).toHaveLength(hasAnswer(taken[0]?.body, "approved") ? 1 : 0);
  });
});

async function approveAtOnce(session: string) {
  const { client, call } = await asked(session);
  const answers = await Promise.all(
    range(20).map(() => client.answer(call, { decision: "approve" })),
  );
  expect(answers.filter(({ body }) => hasOutcome(body, "taken"))).toHaveLength(1);
  expect(answers.filter(({ body }) => hasOutcome(body, "repeated"))).toHaveLength(19);
  const { journal } = await untilIdle(client);
  expect(journal.filter(({ kind }) => kind === "answered")).toHaveLength(1);
  expect(journal.filter(({ kind }) => kind === "result")).toHaveLength(1);
}

type Outcome = { readonly call?: { readonly outcome: string; readonly answer: string | null } };

const hasOutcome = (body: unknown, outcome: string) => (body as Outcome).call?.outcome === outcome;

const hasAnswer = (body: unknown, answer: string) => (body as Outcome).call?.answer === answer;
