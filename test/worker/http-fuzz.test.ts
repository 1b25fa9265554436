import { exports } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { PendingCall } from "../../src/shared/events.ts";
import { resetOutside } from "../support/outside.ts";
import { calls, NativeClient } from "./native-client.ts";
import { expectRefusal } from "./refusal.ts";
import { tablesOf } from "./session-object.ts";
import { sessionRoutes } from "./session-routes.ts";

const base = "http://localhost/v1/agents/asking/sessions";
const victim = new NativeClient("victim");
let pending: PendingCall;

beforeAll(async () => {
  resetOutside();
  await victim.say([calls(["unsafe_thing"])], "t1");
  pending = await victim.pending();
});

const stored = (session = "victim") => tablesOf(session, "asking");

const json = { "content-type": "application/json" };

/** Sends a body as it is to the session that waits. */
const send = (
  method: string,
  path: string,
  body: BodyInit,
  headers: Record<string, string> = json,
): Promise<Response> =>
  exports.default.fetch(`${base}/victim${path.replace("call_2_0", pending.call)}`, {
    method,
    headers,
    body,
  });

const D = "0".repeat(64);
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const schema = (text: string) => `{"message":"hi","output":{"schema":${text}}}`;
const approve = (rest: string) => `{"decision":"approve","digest":"${D}",${rest}}`;
const deny = (rest: string) => `{"decision":"deny","digest":"${D}",${rest}}`;
const rule = (text: string) => `{"allow":[${text}]}`;

/** No body for any route. */
const noBodies: readonly BodyInit[] = [
  "",
  " \n",
  "{",
  "null",
  "7",
  '"x"',
  "[]",
  "[{}]",
  "true",
  '{"\\udc00":1}',
  '{"x":"\\ud83d"}',
  '{"constructor":{}}',
  '{"__proto__":{"title":"x","mode":"BYPASS","message":"x"}}',
  deep(40),
  deep(100_000),
  new Uint8Array([0x7b, 0xff, 0x7d]),
  JSON.stringify({ x: "x".repeat(1_500_000) }),
];

/** What looks like a body of one route, and is none. */
const wrongBodies: Readonly<Record<string, readonly string[]>> = {
  "POST /turns": [
    '{"message":"hi","whenBusy":"now"}',
    '{"message":"hi","whenBusy":null}',
    '{"message":"hi","output":null}',
    '{"message":"hi","output":{}}',
    '{"message":"hi","output":{"schema":{"type":"object"},"strict":true}}',
    '{"regenerate":true,"output":{"schema":{"type":"object"}}}',
    '{"regenerate":true,"whenBusy":"never"}',
    ...["null", "[]", "true", "{}", '{"type":"string"}', '{"type":["object"]}'].map(schema),
    schema('{"type":"object","properties":7}'),
    schema('{"type":"object","required":7}'),
    schema('{"type":"object","required":["x"]}'),
    schema('{"type":"object","allOf":[null]}'),
    schema('{"type":"object","properties":{"a":{"type":"string","pattern":"(a+)+$"}}}'),
    schema('{"type":"object","patternProperties":{"(":{}}}'),
    schema('{"type":"object","properties":{"a":{"$ref":"#/$defs/constructor"}},"$defs":{}}'),
    schema('{"type":"object","properties":{"a":{"$ref":"https://example.com/x"}}}'),
    schema('{"type":"object","unevaluatedProperties":false}'),
    schema(`{"type":"object","description":"${"x".repeat(70_000)}"}`),
    schema(`{"type":"object","properties":{"a":${deep(40)}}}`),
  ],
  "POST /stop": ['{"turn":7}', '{"turn":""}', '{"turn":null}', '{"all":true}'],
  "POST /clear": ['{"all":true}', '{"session":"other"}'],
  "POST /calls/call_2_0": [
    "{}",
    `{"digest":"${D}"}`,
    '{"decision":"approve"}',
    '{"decision":"approve","digest":""}',
    `{"decision":"approve","digest":"${"F".repeat(64)}"}`,
    `{"decision":"approve","digest":"${D}0"}`,
    `{"decision":"approve","digest":["${D}"]}`,
    `{"decision":"Approve","digest":"${D}"}`,
    `{"decision":true,"digest":"${D}"}`,
    `{"decision":["approve"],"digest":"${D}"}`,
    ...['"input":7', '"input":[]', '"input":null', '"input":"{}"', '"reason":"x"'].map(approve),
    ...['"always":false', '"always":[]', '"always":7', '"always":["unsafe_thing"]'].map(approve),
    ...['"always":[{}]', '"always":[{"tool":""}]', '"always":[{"tool":7}]'].map(approve),
    approve('"always":[{"tool":"a","path":"x","command":"y"}]'),
    approve('"always":[{"tool":"a","surprise":"x"}]'),
    approve(`"always":[${Array(300).fill('{"tool":"a"}').join()}]`),
    approve('"result":"x"'),
    ...['"input":{}', '"always":true', '"reason":7', `"reason":"${"x".repeat(2_001)}"`].map(deny),
    `{"result":"x"}`,
    `{"result":"x","digest":"${D}","isError":"no"}`,
    `{"result":"x","digest":"${D}","name":"unsafe_thing"}`,
    `{"result":"${"x".repeat(100_001)}","digest":"${D}"}`,
    `{"result":["${"x".repeat(100_001)}"],"digest":"${D}"}`,
  ],
  "PUT /permissions": [
    "{}",
    '{"mode":"YOLO"}',
    '{"mode":null}',
    '{"mode":["BYPASS"]}',
    '{"allow":{}}',
    '{"allow":null}',
    '{"allow":["*"]}',
    '{"permit":[]}',
    ...["{}", '{"tool":7}', '{"tool":""}', '{"tool":"a","paths":["x"]}'].map(rule),
    ...['{"tool":"a","path":7}', '{"tool":"a","path":"x","origin":"https://y"}'].map(rule),
    ...['{"tool":"a","argument":"x"}', '{"tool":"a","argument":{"name":"x"}}'].map(rule),
    ...['{"tool":"a","origin":"not an origin"}', `{"tool":"${"x".repeat(5_000)}"}`].map(rule),
    `{"allow":[${Array(1_000).fill('{"tool":"a"}').join()}]}`,
  ],
  "PUT /mode": ["{}", '{"mode":"YOLO"}', '{"mode":1}', '{"mode":"EXPLORE","allow":[]}'],
  "PUT /plan": ["{}", '{"active":1}', '{"active":"true"}', '{"active":true,"by":"root"}'],
  "POST /tasks/task_1/cancel": ["[]", "null", '{"task":"task_2"}'],
  "PUT /state": ['{"context":7}', '{"context":[{}]}', '{"session_id":"x"}'],
  "PATCH ": [
    "{}",
    '{"title":7}',
    '{"title":null}',
    '{"title":"a\\nb"}',
    '{"title":"a\\u0000b"}',
    '{"title":"a\\u2028b"}',
    '{"title":"a\\u0085b"}',
    `{"title":"${"x".repeat(201)}"}`,
    '{"title":"x","session":"other"}',
  ],
};

const withBody = sessionRoutes.filter(({ body }) => body !== undefined);
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

describe.each(withBody)("$method $path", (route) => {
  const { method, path } = route;

  it("[H1] refuses what is no body of it, says what to send, and stores nothing", async () => {
    const before = await stored();
    const bodies = [...noBodies, ...(wrongBodies[nameOf(route)] ?? [])];
    for (const body of bodies) {
      // A session in which something was said takes in no state, whatever it is.
      const codes = path === "/state" ? /^(invalid|too_large|conflict)$/ : undefined;
      await expectRefusal(await send(method, path, body), codes);
    }
    expect(await stored()).toEqual(before);
  });

  it("[H1] refuses media types that a foreign page can send without asking", async () => {
    const before = await stored();
    for (const type of ["", "text/plain", "application/x-www-form-urlencoded"]) {
      const headers = { "content-type": type };
      const response = await send(method, path, JSON.stringify(route.body), headers);
      await expectRefusal(response, /^unsupported_media_type$/);
    }
    expect(await stored()).toEqual(before);
  });

  it("[H1] answers whatever JSON comes with what is no fault of the server", async () => {
    const keys = "message regenerate whenBusy output schema decision digest input always result";
    const nothing = await stored("untouched");
    const names = fc.constantFrom(
      ...`${keys} isError reason mode allow tool title type $ref turn`.split(" "),
    );
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom(true, D, "approve", "deny", "object", "steer", "*", "#"),
        fc.array(tie("value"), { maxLength: 3 }),
        tie("object"),
      ),
      object: fc.dictionary(names, tie("value"), { maxKeys: 5 }),
    }));
    let no = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(values.object, values.value), async (body) => {
        const session = `fuzzed-${method}-${path.split("/")[1] ?? ""}-${no++}`;
        const url = `${base}/${session}${path}`;
        const init = { method, headers: json, body: JSON.stringify(body) };
        const response = await exports.default.fetch(url, init);
        await response.body?.cancel();
        expect(response.status).toBeLessThan(500);
        if (!response.ok) expect(await stored(session)).toEqual(nothing);
      }),
      { numRuns: 40 },
    );
  });
});

describe("a header", () => {
  it("[H1] of any content is no fault of the server", async () => {
    const before = await stored();
    const names = "accept idempotency-key last-event-id content-encoding if-match range expect";
    const header = fc.constantFrom(...names.split(" "), "x-carrel-user", "authorization", "origin");
    const value = fc.oneof(
      fc.stringMatching(/^[\x21-\x7e]{0,40}$/),
      fc.constantFrom("*", "text/event-stream", "gzip", "0.0", "../ann", "null", "bytes=0-1"),
      fc.string({ minLength: 150, maxLength: 2_000, unit: fc.constantFrom("x", ".", "1") }),
    );
    const reading = sessionRoutes.filter((route) => route.isWrite !== true);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...reading),
        fc.dictionary(header, value),
        async ({ method, path }, headers) => {
          const response = await exports.default.fetch(`${base}/victim${path}`, {
            method,
            headers,
          });
          await response.body?.cancel();
          expect(response.status).toBeLessThan(500);
        },
      ),
      { numRuns: 300 },
    );
    expect(await stored()).toEqual(before);
  });
});
