import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { bucketShard } from "../../src/shared/registry-shard.ts";
import type { RegistryApi } from "../../src/shared/registry-api.ts";
import { outside, resetOutside } from "../support/outside.ts";
import { script, type ScriptedStep } from "../support/scripted-model.ts";
import { breathe, sessionStub } from "./session-object.ts";
import { workspaceStub } from "./workspace-object.ts";

type Table = Readonly<Record<string, readonly unknown[]>>;
type Stub = ReturnType<typeof sessionStub> | ReturnType<typeof workspaceStub>;

beforeEach(() => {
  resetOutside().pause = breathe;
  outside().variables = { SETTLE_QUIET_MS: "0", SETTLE_AT_MOST_MS: "0" };
  for (const level of ["info", "warn"] as const)
    vi.spyOn(console, level).mockImplementation(() => {});
});

const call = (path: string, init?: RequestInit): Promise<Response> =>
  exports.default.fetch(`http://localhost/v1/agents/${path}`, init);

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  call(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** Says something under a key of its own; the stream ends with the turn. */
const say = (agent: string, session: string, key: string, ...steps: readonly ScriptedStep[]) =>
  post(
    `${agent}/sessions/${session}/turns`,
    { message: script(...steps) },
    { accept: "text/event-stream", "idempotency-key": key },
  );

const remove = async (agent: string, session: string) => {
  const response = await call(`${agent}/sessions/${session}`, { method: "DELETE" });
  return { status: response.status, body: (await response.json()) as object };
};

/** Every row of an object, by table; what the platform keeps for itself apart. */
const rowsOf = (stub: Stub): Promise<Table> =>
  runInDurableObject(stub, (_, { storage: { sql } }) => {
    const names = sql
      .exec<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .toArray()
      .map(({ name }) => name)
      .filter((name) => name !== "schema_step" && !/^(_cf|sqlite)_/.test(name));
    const tables = names.map(
      (name) => [name, sql.exec(`SELECT * FROM ${name}`).toArray()] as const,
    );
    return Object.fromEntries(tables.filter(([, rows]) => rows.length > 0));
  });

const alarmOf = (stub: Stub): Promise<number | null> =>
  runInDurableObject(stub, (_, { storage }) => storage.getAlarm());

const keysBelow = async (prefix: string): Promise<string[]> =>
  (await env.WORKSPACE.list({ prefix })).objects.map(({ key }) => key);

/** Waits for the work after the turns of a session. */
async function whenQuiet(session: string, agent: string): Promise<void> {
  while ((await rowsOf(sessionStub(session, agent)))["job"] !== undefined) await breathe();
}

/** Lets a bucket bring the store up to date. */
async function settle(bucket: ReturnType<typeof bucketPrefix>): Promise<void> {
  const isBehind = async () => {
    const { file = [], job = [] } = await rowsOf(workspaceStub(bucket));
    const isDirty = (row: unknown) => (row as { dirty: number | null }).dirty !== null;
    return file.some(isDirty) || job.some((row) => (row as { id: string }).id === "settle");
  };
  while (await isBehind()) {
    await runDurableObjectAlarm(workspaceStub(bucket));
    await breathe();
  }
}

const tombstone = {
  state: [
    {
      name: "deleted",
      body: expect.stringMatching(/^\{"hash":"[0-9a-f]{64}","at":\d+\}$/) as string,
    },
  ],
};

/** What every route of a session answers. */
async function statusesOf(agent: string, session: string): Promise<number[]> {
  const path = `${agent}/sessions/${session}`;
  const responses = await Promise.all([
    call(path),
    call(path, { method: "DELETE" }),
    call(`${path}/state`),
    call(`${path}/events?after=0.0`),
    call(`${path}/permissions`),
    post(`${path}/clear`, {}),
    post(`${path}/stop`, {}),
    say(agent, session, "again", { text: "never" }),
  ]);
  for (const response of responses) await response.body?.cancel();
  return responses.map(({ status }) => status);
}

const gone = Array.from({ length: 8 }, () => 410);

describe("DELETE of a session", () => {
  it("[R3] leaves one row of it, and nothing among its user's files, in R2 or in the list", async () => {
    const agent = "by-user";
    const bucket = bucketPrefix({ scope: "USER", agent, user: "local" });
    for (const session of ["d1", "d2"]) {
      await (await say(agent, session, "k1", { text: `secret of ${session}` })).text();
      await whenQuiet(session, agent);
    }
    await settle(bucket);
    expect((await keysBelow(bucket)).filter((key) => key.includes("/d1."))).not.toEqual([]);

    const stub = sessionStub("d1", agent);
    expect(await remove(agent, "d1")).toEqual({
      status: 200,
      body: { deleted: true, complete: true },
    });
    expect(await rowsOf(stub)).toEqual(tombstone);
    expect(await alarmOf(stub)).toBeNull();
    expect(await statusesOf(agent, "d1")).toEqual(gone);
    await settle(bucket);
    expect((await keysBelow(bucket)).filter((key) => key.includes("/d1"))).toEqual([]);
    const index = await env.WORKSPACE.get(`${bucket}files/agents/${agent}/sessions/sessions.json`);
    expect(Object.keys((await index?.json<{ sessions: object }>())?.sessions ?? {})).toEqual([
      "d2",
    ]);
    expect((await keysBelow(bucket)).filter((key) => key.includes("/d2."))).not.toEqual([]);
    const list = await (await call(`${agent}/sessions`)).text();
    expect(list).toContain('"d2"');
    expect(list).not.toContain('"d1"');
    expect(await rowsOf(stub)).toEqual(tombstone);
  });

  it("under the scope SESSION takes the session's own files with it, for ever", async () => {
    const agent = "by-session";
    const address = { agent, user: "local", session: "d3" };
    const bucket = bucketPrefix({ scope: "SESSION", ...address });
    const input = JSON.stringify({ path: "notes/a.md", content: "secret" });
    const calls = [{ name: "write_file", input }];
    await (await say(agent, "d3", "k1", { calls }, { text: "done" })).text();
    await whenQuiet("d3", agent);
    await settle(bucket);
    expect(await keysBelow(bucket)).toEqual([`${bucket}files/notes/a.md`]);
    const shard = env.REGISTRY.getByName(await bucketShard(bucket)) as unknown as RegistryApi;
    const registered = async () => (await shard.buckets(null)).items.map((item) => item.bucket);
    expect(await registered()).toContain(bucket);

    expect(await remove(agent, "d3")).toMatchObject({ status: 200, body: { complete: true } });
    expect(await keysBelow(bucket)).toEqual([]);
    expect(await registered()).not.toContain(bucket);
    expect(await rowsOf(workspaceStub(bucket))).toMatchObject({ meta: [{ name: "erased" }] });
    expect((await call(`${agent}/files/notes/a.md?session=d3`)).status).toBe(410);
    const again = await call(`${agent}/files/notes/a.md?session=d3`, { method: "PUT", body: "x" });
    expect(again.status).toBe(410);
    await env.WORKSPACE.put(`${bucket}files/AGENTS.md`, "put there by hand");
    expect((await call(`${agent}/files?session=d3`)).status).toBe(410);
  });

  it("ends a turn that runs, those in line and every open tail, and nothing comes back", async () => {
    const agent = "scripted";
    const bucket = bucketPrefix({ scope: "USER", agent, user: "local" });
    await (await say(agent, "d4", "k0", { text: "said before" })).text();
    const running = await say(agent, "d4", "k1", { text: "on and on", hang: true });
    while (!(await (await call(`${agent}/sessions/d4/state`)).text()).includes("k1"))
      await breathe();
    while (outside().witness.requests.length < 2) await breathe();
    for (let rounds = 0; rounds < 10; rounds++) await breathe();
    const waiting = await say(agent, "d4", "k2", { text: "in line" });
    const tail = await call(`${agent}/sessions/d4/events?after=0.0`);
    const texts = [running, waiting, tail].map((response) => response.text());

    expect(await remove(agent, "d4")).toMatchObject({ status: 200, body: { deleted: true } });
    for (const text of await Promise.all(texts)) {
      expect(text).not.toMatch(/"turn":"k[12]".*"turn-end"/);
      expect(text).not.toContain("in line");
    }
    expect(await statusesOf(agent, "d4")).toEqual(gone);
    for (let rounds = 0; rounds < 30; rounds++) await breathe();
    const stub = sessionStub("d4", agent);
    const { state, ...rest } = await rowsOf(stub);
    expect({ state }).toEqual(tombstone);
    expect(Object.keys(rest)).toEqual(["job"]);
    expect(rest["job"]).toMatchObject([{ kind: "erase", payload: "again" }]);
    expect(await alarmOf(stub)).not.toBeNull();
    // Not due yet, so an alarm that comes early only waits on.
    await runDurableObjectAlarm(stub);
    expect(await alarmOf(stub)).not.toBeNull();
    await settle(bucket);
    expect((await keysBelow(bucket)).filter((key) => key.includes("/d4"))).toEqual([]);
    expect(outside().witness.aborted).toBe(1);
  });

  it("takes a turn that waits for a person with it: an answer that comes later finds nothing", async () => {
    const agent = "asking";
    const calls = [{ name: "unsafe_thing", input: "{}" }];
    const stream = await (await say(agent, "d5", "k1", { calls }, { text: "never" })).text();
    const asked = /data: (\{"type":"call-asked".*\})/.exec(stream)?.[1] ?? "{}";
    const { call: id, digest } = JSON.parse(asked) as { call: string; digest: string };
    expect(await remove(agent, "d5")).toMatchObject({ status: 200 });
    const answer = await post(`${agent}/sessions/d5/calls/${id}`, { decision: "approve", digest });
    expect(answer.status).toBe(410);
    expect(outside().effects.runs).toEqual([]);
    const { state } = await rowsOf(sessionStub("d5", agent));
    expect({ state }).toEqual(tombstone);
  });

  it("[I6] of one that never was is not found, as any other, and stores nothing", async () => {
    const agent = "scripted";
    expect(await remove(agent, "never")).toMatchObject({ status: 404 });
    expect(await rowsOf(sessionStub("never", agent))).toEqual({});
    await (await say(agent, "never", "k1", { text: "now it is" })).text();
    expect((await call(`${agent}/sessions/never`)).status).toBe(200);
  });
});
