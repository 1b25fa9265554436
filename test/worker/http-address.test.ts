import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { PendingCall } from "../../src/shared/events.ts";
import { resetOutside } from "../support/outside.ts";
import { calls, NativeClient } from "./native-client.ts";
import { expectRefusal } from "./refusal.ts";
import { tablesOf } from "./session-object.ts";
import { sessionRoutes } from "./session-routes.ts";

const base = "http://localhost/v1/agents/asking/sessions";
const victim = new NativeClient("addressed");
const stored = () => tablesOf("addressed", "asking");
let pending: PendingCall;

beforeAll(async () => {
  resetOutside();
  await victim.say([calls(["unsafe_thing"])], "t1");
  pending = await victim.pending();
});

const json = { "content-type": "application/json" };

const ids = [
  "a%2Fb",
  "..",
  "%2e%2e",
  ".hidden",
  "-x",
  "a%00b",
  "a%0Ab",
  "%5C",
  "a b",
  "é",
  "%EF%BC%8F",
  "x".repeat(300),
  "%ED%A0%80",
  "%",
  "a%",
  "__proto__",
];

describe("an address", () => {
  it.each(ids)("[I2, H1] with %s in the place of an id is refused on every route", async (id) => {
    for (const { method, path, body } of sessionRoutes) {
      const init = { method, headers: json, ...(body ? { body: JSON.stringify(body) } : {}) };
      for (const url of [`${base}/${id}${path}`, `${base}/addressed/calls/${id}`]) {
        const response = await exports.default.fetch(url, init);
        await expectRefusal(response, /^(invalid|not_found)$/);
      }
    }
  });

  it.each([
    "?limit=0",
    "?limit=101",
    "?limit=x",
    "?limit=",
    "?limit=1&limit=2",
    "?cursor=",
    "?cursor=x",
    "?cursor=0",
    "?cursor=1.",
    "?cursor=1.a%2Fb",
    "?cursor=99999999999999999.a",
    "?cursor=1.a&cursor=1.b",
    "?cursor=%00",
    "?cursor=%ED%A0%80",
    "?user=ann",
    "?__proto__=1",
  ])("[H1] of a list with %s is refused", async (query) => {
    await expectRefusal(await exports.default.fetch(`${base}${query}`));
  });

  it.each(["?after=x", "?after=1", "?after=-1.0", "?after=", "?after=1.0&after=1.0", "?x=1"])(
    "[H1] of an answer with %s is refused before it counts",
    async (query) => {
      const before = await stored();
      const body = { decision: "approve", digest: pending.digest };
      const path = `/calls/${pending.call}${query}`;
      const headers = { accept: "text/event-stream" };
      await expectRefusal(await victim.send("POST", path, body, headers));
      expect(await stored()).toEqual(before);
    },
  );
});
