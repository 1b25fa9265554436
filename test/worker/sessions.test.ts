import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SessionSummary } from "../../src/shared/registry-api.ts";
import type { AgentState } from "../../src/session/agent-state.ts";
import { outside, resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import { callersWithKeys, say, type AskAs } from "./callers.ts";
import { calls, NativeClient } from "./native-client.ts";
import { breathe, tablesOf } from "./session-object.ts";
import { sessionRoutes } from "./session-routes.ts";

beforeEach(() => {
  resetOutside().pause = breathe;
});

type List = { readonly sessions: readonly SessionSummary[]; readonly cursor: string | null };

const done = [{ text: "Done." }];
const asking = [calls(["unsafe_thing"]), { text: "Done." }];

const listOf = async (client: NativeClient, query = "") => (await client.list(query)).body as List;

/** The list once it is as it should be; it follows what happens in a session, and does not hold it up. */
async function listWhen(client: NativeClient, isSo: (sessions: List["sessions"]) => boolean) {
  let list = await listOf(client);
  while (!isSo(list.sessions)) {
    await breathe();
    list = await listOf(client);
  }
  return list.sessions;
}

describe("a list of sessions", () => {
  it("[I1, I6] has the caller's own with one agent, from their first message on", async () => {
    const mine = new NativeClient("list-a", "asking", "lister");
    expect(await listOf(mine)).toEqual({ sessions: [], cursor: null });
    await mine.ask("POST", "/turns", { message: "Hello there." }, { key: "t1" });
    expect((await listOf(mine)).sessions.map(({ session }) => session)).toEqual(["list-a"]);
    const [shown] = await listWhen(mine, ([first]) => first?.title === "Hello there.");
    expect(shown).toMatchObject({ session: "list-a", isWaiting: false });
    expect((await listOf(new NativeClient("list-a", "asking", "other"))).sessions).toEqual([]);
    expect((await listOf(new NativeClient("list-a", "careful", "lister"))).sessions).toEqual([]);
  });

  it("shows which session waits for a person, and under which name", async () => {
    const client = new NativeClient("waits", "asking", "waiter");
    await client.say(asking, "t1");
    await listWhen(client, ([first]) => first?.isWaiting === true);
    await client.ask("PATCH", "", { title: "Mine" });
    await client.answer(await client.pending(), { decision: "approve" });
    const [shown] = await listWhen(
      client,
      ([first]) => first?.isWaiting === false && first.title === "Mine",
    );
    expect(shown?.session).toBe("waits");
  });

  it("comes in pages that fit together", async () => {
    const of = (session: string) => new NativeClient(session, "asking", "pager");
    for (const session of ["p1", "p2", "p3", "p4", "p5"])
      await of(session).ask("POST", "/turns", { message: session }, { key: "t1" });
    await listWhen(of("p1"), (sessions) => sessions.every(({ title }) => title !== ""));
    const all = await listOf(of("p1"));
    const paged: SessionSummary[] = [];
    for (let query = "?limit=2"; query !== "";) {
      const { sessions, cursor } = await listOf(of("p1"), query);
      paged.push(...sessions);
      query = cursor === null ? "" : `?limit=2&cursor=${encodeURIComponent(cursor)}`;
    }
    expect(paged).toEqual(all.sessions);
    expect(paged).toHaveLength(5);
  });
});

describe("the name of a session", () => {
  it("is how it begins until it is given one, and again when that is taken away", async () => {
    const client = new NativeClient("named");
    await client.ask("POST", "/turns", { message: "How it began" }, { key: "t1" });
    expect((await client.history()).title).toBe("How it began");
    const renamed = await client.ask("PATCH", "", { title: "  A name 🎈 " });
    expect(renamed).toMatchObject({ status: 200, body: { title: "A name 🎈" } });
    expect((await client.history()).title).toBe("A name 🎈");
    expect((await client.ask("PATCH", "", { title: "" })).body).toEqual({ title: "How it began" });
  });

  it("[I6] cannot be given to a session that is not there", async () => {
    const client = new NativeClient("unnamed");
    expect((await client.ask("PATCH", "", { title: "x" })).status).toBe(404);
    expect((await tablesOf("unnamed", "asking")).turns).toEqual([]);
  });
});

describe("a session that is deleted", () => {
  it("is gone at once and for good, whatever is asked of it", async () => {
    const client = new NativeClient("deleted", "asking", "deleter");
    await client.say(done, "t1");
    const deleted = await client.ask("DELETE", "");
    expect(deleted).toMatchObject({ status: 200, body: { deleted: true } });
    for (const { method, path, body } of sessionRoutes)
      for (const accept of ["*/*", "text/event-stream"]) {
        const answer = await client.ask(method, path, body, { headers: { accept } });
        expect([method, path, answer.status]).toEqual([method, path, 410]);
        expect(answer.body).toMatchObject({ error: { code: "gone" } });
      }
    await listWhen(client, (sessions) => sessions.length === 0);
  });

  it("[I6] has to be there, and another user's is not", async () => {
    const mine = new NativeClient("kept", "asking", "keeper");
    await mine.say(done, "t1");
    const stranger = new NativeClient("kept", "asking", "stranger");
    expect((await stranger.ask("DELETE", "")).status).toBe(404);
    expect((await mine.history()).messages).toHaveLength(2);
  });

  it("[T9] while its turn runs reaches the provider", async () => {
    const client = new NativeClient("deleted-running");
    const message = script({ text: "x", hang: true });
    await client.ask("POST", "/turns", { message }, { key: "t1" });
    while (outside().witness.requests.length === 0) await breathe();
    expect((await client.ask("DELETE", "")).status).toBe(200);
    while (outside().witness.aborted === 0) await breathe();
    expect((await client.ask("GET", "")).status).toBe(410);
  });
});

describe("a session that is cleared", () => {
  it("begins anew, keeps what is allowed, and says so when it is said twice", async () => {
    const client = new NativeClient("cleared");
    await client.say([{ text: "The word is xyzzy." }], "t1");
    await client.ask("PUT", "/mode", { mode: "EXPLORE" });
    const cleared = { status: 200, body: { cleared: true } };
    expect(await client.ask("POST", "/clear", {})).toMatchObject(cleared);
    expect(await client.ask("POST", "/clear", {})).toMatchObject(cleared);
    expect((await client.history()).status.mode).toBe("EXPLORE");
    await client.say(done, "t2");
    const sent = JSON.stringify(outside().witness.requests.at(-1)?.messages);
    expect(sent).not.toContain("xyzzy");
  });

  it("has no turn that runs or waits", async () => {
    const client = new NativeClient("busy");
    await client.say(asking, "t1");
    const refused = await client.ask("POST", "/clear", {});
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "conflict" } } });
    expect((await client.history()).status.pending).toHaveLength(1);
  });
});

describe("the state of a session", () => {
  let ask: AskAs;
  const path = (session: string, query = "") =>
    `/v1/agents/asking/sessions/${session}/state${query}`;
  const put = (user: string, session: string, state: unknown, query = "") =>
    ask(user, path(session, query), {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(state),
    });
  const said = ({ context }: AgentState) =>
    context.map(({ id, ...message }) => [typeof id, message]);
  const stateOf = async (user: string, session: string) =>
    (await (await ask(user, path(session))).json()) as AgentState;

  beforeAll(async () => {
    ask = await callersWithKeys(["ann"], ["root"]);
    resetOutside();
    await say(ask, { agent: "asking", user: "ann", session: "source" }, "Remember xyzzy.");
  });

  it("[T13] is put into an empty session by an admin, and by nobody else", async () => {
    const state = await stateOf("ann", "source");
    expect((await put("ann", "target", state)).status).toBe(403);
    expect((await put("ann", "target", state, "?user=root")).status).toBe(403);
    const taken = await put("root", "target", state, "?user=ann");
    expect(taken.status).toBe(200);
    expect(said(await stateOf("ann", "target"))).toEqual(said(state));
    expect((await stateOf("root", "target")).context).toEqual([]);
    await say(ask, { agent: "asking", user: "ann", session: "target" }, "Which word?");
    const sent = JSON.stringify(outside().witness.requests.at(-1)?.messages);
    expect(sent).toContain("xyzzy");
  });

  it("[T13, H1] is refused where something was said, and when it is no such document", async () => {
    const state = await stateOf("ann", "source");
    expect((await put("root", "source", state, "?user=ann")).status).toBe(409);
    for (const wrong of [{ context: 7 }, { ...state, context: [{ role: "system" }] }])
      expect((await put("root", "wrong", wrong)).status).toBe(400);
    for (const wrong of [[], null, "x", 7])
      expect((await put("root", "wrong", wrong)).status).toBe(400);
    expect((await put("root", "wrong", { x: "x".repeat(1_500_000) })).status).toBe(413);
    for (const query of ["?user=", "?user=a%2fb", "?usr=ann", "?user=ann&user=ann"])
      expect((await put("root", "wrong", state, query)).status).toBe(400);
    expect((await put("root", "wrong", state)).status).toBe(200);
  });
});
