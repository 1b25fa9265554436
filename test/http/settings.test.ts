import { describe, expect, it } from "vitest";
import { createDeployment } from "../../src/harness.ts";
import { createApp } from "../../src/http/app.ts";
import { Registry } from "../../src/maintenance/registry.ts";
import type { AcceptRequest } from "../../src/shared/session-api.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";

/** The routes over a real registry, and a session that takes every message. */
function desk() {
  const registry = new Registry(nodeSql(openDatabase()));
  const accepted: AcceptRequest[] = [];
  const turn = { turn: "t", reply: "t.reply", state: "running", start: "0.0" };
  const session = {
    accept: async (_address: object, request: AcceptRequest) => {
      accepted.push(request);
      return { ok: true, turn, isNew: true };
    },
    fetch: async (_url: string, { body }: { body: string }) => {
      const { args } = JSON.parse(body) as { args: [object, AcceptRequest] };
      accepted.push(args[1]);
      return Response.json({ ok: false, code: "conflict", message: "Enough is known." });
    },
  };
  const env = {
    SESSIONS: { getByName: () => session },
    WORKSPACES: { getByName: () => ({}) },
    REGISTRY: { getByName: () => registry },
  };
  const app = createApp(createDeployment([{ id: "main" }]));
  const ask = async (method: string, path: string, body?: unknown, user = "ann") => {
    const headers = { "x-carrel-user": user, "content-type": "application/json" };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    return app.fetch(new Request(`http://localhost${path}`, init), env);
  };
  const say = (body: object) => ask("POST", "/v1/agents/main/sessions/s1/turns", body);
  return { ask, say, accepted };
}

const path = "/v1/me/settings";

describe("a user's settings", () => {
  it("are what was set last, for each user apart", async () => {
    const { ask } = desk();
    expect(await (await ask("GET", path)).json()).toEqual({ timeZone: null });
    const set = await ask("PUT", path, { timeZone: "Europe/Berlin" });
    expect([set.status, await set.json()]).toEqual([200, { timeZone: "Europe/Berlin" }]);
    expect(await (await ask("GET", path)).json()).toEqual({ timeZone: "Europe/Berlin" });
    expect(await (await ask("GET", path, undefined, "bob")).json()).toEqual({ timeZone: null });
    await ask("PUT", path, { timeZone: null });
    expect(await (await ask("GET", path)).json()).toEqual({ timeZone: null });
  });

  it.each([
    [{ timeZone: "Berlin" }, 'must be an IANA time zone such as "Europe/Berlin"'],
    [{ timeZone: "+02:00" }, "IANA"],
    [{ timeZone: 7 }, "timeZone"],
    [{}, "timeZone"],
    [{ timeZone: "UTC", theme: "dark" }, "theme"],
    [[], "body"],
  ])("[H1] refuse %j in words, and stay as they were", async (body, words) => {
    const { ask } = desk();
    await ask("PUT", path, { timeZone: "Asia/Tokyo" });
    const refused = await ask("PUT", path, body);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain(words.replaceAll('"', '\\"'));
    expect(await (await ask("GET", path)).json()).toEqual({ timeZone: "Asia/Tokyo" });
    expect((await ask("GET", `${path}?user=bob`)).status).toBe(400);
    expect((await ask("PUT", path)).status).toBe(400);
  });
});

describe("the time zone of a message", () => {
  it("[T3] goes with it and is no part of it", async () => {
    const { say, accepted } = desk();
    await say({ message: "hi" });
    await say({ message: "hi", timeZone: "Europe/Berlin" });
    await say({ regenerate: true, timeZone: "Asia/Tokyo" });
    expect(accepted.map(({ timeZone }) => timeZone)).toEqual([
      undefined,
      "Europe/Berlin",
      "Asia/Tokyo",
    ]);
    expect(accepted[1]?.digest).toBe(accepted[0]?.digest);
    expect(accepted[1]?.input).toEqual(accepted[0]?.input);
    expect(accepted[0]).not.toHaveProperty("timeZone");
  });

  it("[T3] is taken from a client of the AI SDK in the same way", async () => {
    const { ask, accepted } = desk();
    const message = { id: "m1", role: "user", parts: [{ type: "text", text: "hi" }] };
    const body = { id: "s1", messages: [message], trigger: "submit-message" };
    await ask("POST", "/api/chat", body);
    await ask("POST", "/api/chat", { ...body, timeZone: "America/Lima" });
    expect(accepted.map(({ timeZone }) => timeZone)).toEqual([undefined, "America/Lima"]);
    expect(accepted[1]?.digest).toBe(accepted[0]?.digest);
  });

  it.each(["Mars/Olympus", "", "UTC+2", 5, null])(
    "[H1] is refused in words when it is %j",
    async (timeZone) => {
      const { ask, say, accepted } = desk();
      const message = { id: "m1", role: "user", parts: [{ type: "text", text: "hi" }] };
      for (const refused of [
        await say({ message: "hi", timeZone }),
        await ask("POST", "/api/chat", { id: "s1", messages: [message], timeZone }),
      ]) {
        expect(refused.status).toBe(400);
        expect(await refused.text()).toContain("timeZone");
      }
      expect(accepted).toEqual([]);
    },
  );
});
