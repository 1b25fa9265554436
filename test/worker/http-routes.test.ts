import { env } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Env } from "../../src/env.ts";
import { createApp } from "../../src/http/app.ts";
import type { PendingCall } from "../../src/shared/events.ts";
import { sha256Hex } from "../../src/shared/sha256.ts";
import { deployment } from "../support/agents.ts";
import { resetOutside } from "../support/outside.ts";
import { callersWithKeys } from "./callers.ts";
import { calls, NativeClient } from "./native-client.ts";
import { breathe, tablesOf } from "./session-object.ts";
import { sessionRoutes } from "./session-routes.ts";

beforeEach(() => {
  resetOutside().pause = breathe;
});

const base = "/v1/agents/asking/sessions";
const app = createApp(deployment);

/** Every route of the deployment, but middleware, with something in the place of each name. */
const allRoutes = app.routes
  .filter(({ method }) => method !== "ALL")
  .map(({ method, path }) => ({
    method,
    path: path.replace(":agent", "asking").replaceAll(/:\w+/g, "x").replace("*", "x"),
  }));

describe("every route", () => {
  it("of a session is in the table of these tests", () => {
    const tested = sessionRoutes.map(({ method, path }) => `${method} ${base}/x${path}`);
    const served = allRoutes
      .filter(({ path }) => path.startsWith(`${base}/`))
      .map(({ method, path }) => `${method} ${path}`);
    expect(tested.map((route) => route.replace(/call_2_0|task_1/, "x")).toSorted()).toEqual(
      served.toSorted(),
    );
  });

  it("[H2] but /healthz wants a key that is known, however it is sent", async () => {
    const hash = await sha256Hex(new TextEncoder().encode("key-ann"));
    const keys = JSON.stringify([{ user: "ann", hash }]);
    const closed = { ...env, CARREL_API_KEYS: keys } as unknown as Env;
    const routes = allRoutes.filter(({ path }) => path !== "/healthz");
    expect(routes.length).toBeGreaterThan(20);
    for (const { method, path } of routes)
      for (const authorization of [null, "", "Bearer", "Bearer key-mallory", "Basic key-ann"]) {
        const headers: Record<string, string> = { "x-carrel-user": "ann" };
        if (authorization !== null) headers["authorization"] = authorization;
        const url = `https://carrel.example${path}`;
        const response = await app.request(url, { method, headers }, closed);
        expect([method, path, authorization, response.status]).toEqual([
          method,
          path,
          authorization,
          401,
        ]);
      }
  });

  it("[H1] of a session answers other methods with those that it takes", async () => {
    for (const path of new Set(sessionRoutes.map((route) => route.path))) {
      const taken = sessionRoutes.flatMap((route) => (route.path === path ? route.method : []));
      const url = `http://localhost${base}/methods${path}`;
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"]) {
        if (taken.includes(method)) continue;
        const response = await exports.default.fetch(url, { method });
        const isAsked = method === "OPTIONS";
        expect([method, path, response.status]).toEqual([method, path, isAsked ? 204 : 404]);
        const allowed = response.headers.get("allow")?.split(", ") ?? [];
        expect(allowed.filter((name) => name !== "HEAD").toSorted()).toEqual(taken.toSorted());
        expect(response.headers.get("access-control-allow-origin")).toBeNull();
        expect((await response.text()).includes(allowed.join(", "))).toBe(!isAsked);
      }
    }
    expect(await tablesOf("methods", "asking")).toEqual(await tablesOf("untouched", "asking"));
  });

  it("[H1] of a session that can be read has a head without a body", async () => {
    for (const { path } of sessionRoutes.filter(({ method }) => method === "GET")) {
      const url = `http://localhost${base}/head${path}`;
      const response = await exports.default.fetch(url, { method: "HEAD" });
      // A head is that of what there is: this session has no task.
      const status = path === "/tasks/task_1" ? 404 : 200;
      expect([path, response.status, await response.text()]).toEqual([path, status, ""]);
    }
  });
});

/** What an answer says, apart from ids and times; of a stream its beginning. */
async function told(response: Response): Promise<readonly [number, string]> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  let text = "";
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    text += chunk.value;
    if (isStream && text.includes("\n\n")) break;
  }
  await reader?.cancel();
  const plain = text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id")
    .replaceAll(/private|nowhere/g, "session");
  return [response.status, plain];
}

describe("a session of another user", () => {
  let pending: PendingCall;
  const owner = new NativeClient("private", "asking", "ann");

  beforeAll(async () => {
    resetOutside();
    await owner.say([{ text: "Secret.", ...calls(["unsafe_thing"]) }], "t1");
    pending = await owner.pending();
  });

  it.each(sessionRoutes.map((route, no) => ({ ...route, no })))(
    "[I6] is as one that is not there, for $method $path",
    async ({ method, path, body, no }) => {
      const isCall = path.startsWith("/calls/");
      const asked = isCall ? { ...(body as object), digest: pending.digest } : body;
      const ask = (session: string) =>
        new NativeClient(session, "asking", `bob-${no}`).send(
          method,
          isCall ? `/calls/${pending.call}` : path,
          asked,
          { "idempotency-key": "t1" },
        );
      expect(await told(await ask("private"))).toEqual(await told(await ask("nowhere")));
      const { status, messages } = await owner.history();
      expect(status.pending).toEqual([pending]);
      expect(messages).toHaveLength(2);
    },
  );

  it("[I2] is not reached by naming its user in a header, a query or a body", async () => {
    const ask = await callersWithKeys(["ann", "bob"]);
    const headers = { "content-type": "application/json", "x-carrel-user": "ann", user: "ann" };
    const post = (user: string, query: string, body: object) =>
      ask(user, `${base}/named/turns${query}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
    expect((await post("ann", "", { message: "Secret." })).status).toBe(202);
    expect((await post("bob", "?user=ann", { message: "hi" })).status).toBe(202);
    expect((await post("bob", "", { message: "hi", user: "ann" })).status).toBe(400);
    const read = await ask("bob", `${base}/named?user=ann`, { headers });
    expect(await read.text()).not.toContain("Secret.");
  });
});
