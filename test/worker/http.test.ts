import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { resetOutside } from "../support/outside.ts";

const sessions = "http://localhost/v1/agents/scripted/sessions";

type Options = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
};

const call = (url: string, options: Options = {}): Promise<Response> =>
  exports.default.fetch(url, options);

const post = (url: string, body: BodyInit, headers: Readonly<Record<string, string>> = {}) =>
  call(url, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
  });

const problem = async (response: Response) =>
  ((await response.json()) as { error: { code: string; message: string; id: string } }).error;

const nested = (depth: number) => `${'{"message":'.repeat(depth)}"x"${"}".repeat(depth)}`;

const bodies: readonly (readonly [string, BodyInit, number])[] = [
  ["empty", "", 400],
  ["white space", "  \n", 400],
  ["not JSON", "{message: hi}", 400],
  ["not UTF-8", new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), 400],
  ["null", "null", 400],
  ["a number", "7", 400],
  ["a list", "[]", 400],
  ["no message", "{}", 400],
  ["message of a wrong type", '{"message": 7}', 400],
  ["message null", '{"message": null}', 400],
  ["blank message", '{"message": "  \\n "}', 400],
  ["no parts", '{"message": []}', 400],
  ["a part of an unknown type", '{"message": [{"type":"video","data":"x"}]}', 400],
  [
    "an image that is not base64",
    '{"message": [{"type":"image","mediaType":"image/png","data":"%%"}]}',
    400,
  ],
  ["an svg", '{"message": [{"type":"image","mediaType":"image/svg+xml","data":"AAAA"}]}', 400],
  ["an unknown field", '{"message": "hi", "role": "system"}', 400],
  ["message and regenerate", '{"message": "hi", "regenerate": true}', 400],
  ["regenerate of a wrong type", '{"regenerate": 1}', 400],
  ["half a surrogate pair", '{"message": "\\ud83d"}', 400],
  ["half a surrogate pair in a key", '{"\\udc00": 1, "message": "hi"}', 400],
  ["33 levels", nested(40), 400],
  ["100,000 levels", nested(100_000), 400],
  ["too much text", JSON.stringify({ message: "x".repeat(400_001) }), 400],
  ["21 parts", JSON.stringify({ message: Array(21).fill({ type: "text", text: "x" }) }), 400],
  ["2 MB", JSON.stringify({ message: "x".repeat(2_000_000) }), 413],
  ["__proto__", '{"__proto__": {"message": "hi"}}', 400],
];

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
  "%E2%88%95",
  "é",
  "x".repeat(300),
  "%ED%A0%80",
  "%",
  "a%",
];

describe("bad input", () => {
  it.each(bodies)(
    "[H1] a body that is %s is refused and stores nothing",
    async (name, body, status) => {
      const { witness } = resetOutside();
      const session = `bad-${name.replaceAll(/\W/g, "-")}`;
      const response = await post(`${sessions}/${session}/turns`, body);
      expect(response.status).toBe(status);
      const { message, id } = await problem(response);
      expect(message.length).toBeGreaterThan(10);
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      const page = (await (await call(`${sessions}/${session}`)).json()) as { messages: unknown[] };
      expect(page.messages).toEqual([]);
      expect(witness.requests).toEqual([]);
    },
  );

  it.each(ids)("[I2] the session id %s is refused, never repaired", async (id) => {
    const response = await post(`${sessions}/${id}/turns`, '{"message":"hi"}');
    expect([400, 404]).toContain(response.status);
    expect((await problem(response)).code).toMatch(/^(invalid|not_found)$/);
  });

  it("[H1] an unknown agent, route or method is a 404 that says so", async () => {
    const turns = "http://localhost/v1/agents/nobody/sessions/s/turns";
    expect((await post(turns, '{"message":"hi"}')).status).toBe(404);
    expect((await call("http://localhost/v1/nothing")).status).toBe(404);
    expect((await call(`${sessions}/s/turns`, { method: "DELETE" })).status).toBe(404);
  });

  it.each([
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "",
  ])(
    "[H1] the content type %j is a 415: a foreign page cannot send it without asking",
    async (type) => {
      const response = await post(`${sessions}/ct/turns`, '{"message":"hi"}', {
        "content-type": type,
      });
      expect(response.status).toBe(415);
    },
  );

  it.each([
    "x",
    "1",
    "-1.0",
    "1.0.0",
    "1e3.0",
    "0x1.0",
    "99999999999999999.0",
    "5.0",
    " 0.0x",
    "NaN.0",
  ])("[H1] the Last-Event-ID %j is refused", async (id) => {
    const response = await call(`${sessions}/lei/events`, { headers: { "last-event-id": id } });
    expect(response.status).toBe(400);
    expect((await problem(response)).message).toContain("0.0");
  });

  it.each(["", "a b", "x".repeat(129), "ü"])(
    "[H1] the idempotency key %j is refused",
    async (key) => {
      const headers = { "idempotency-key": key };
      expect((await post(`${sessions}/key/turns`, '{"message":"hi"}', headers)).status).toBe(400);
    },
  );

  it.each(["limit=0", "limit=201", "limit=x", "before=-1", "before=1.5", "limit="])(
    "[H1] a history with %s is refused",
    async (query) => {
      expect((await call(`${sessions}/page?${query}`)).status).toBe(400);
    },
  );

  it("[H5] an error shows no path, stack or foreign name", async () => {
    const response = await post(`${sessions}/err/turns`, "{");
    const text = JSON.stringify(await problem(response));
    expect(text).not.toMatch(/at \w+ \(|\.ts|node_modules|\/src\//);
  });
});

describe("who may call", () => {
  const health = "http://localhost/healthz";

  it("[H2] /healthz is open from anywhere", async () => {
    expect((await call(health)).status).toBe(200);
    expect((await call("https://carrel.example/healthz")).status).toBe(200);
  });

  it.each([
    ["another host", "https://carrel.example", {}],
    ["a name that only looks local", "http://localhost.example", {}],
    ["an address of the network", "http://192.168.1.7", {}],
    ["a foreign page", "http://localhost", { origin: "https://evil.example" }],
    ["an opaque page", "http://localhost", { origin: "null" }],
    ["another machine", "http://localhost", { "cf-connecting-ip": "192.168.1.9" }],
  ] as const)("[H2] without API keys a request from %s is refused", async (_, host, headers) => {
    const url = `${host}/v1/agents/scripted/sessions/s`;
    expect((await call(url, { headers })).status).toBe(403);
    expect((await post(`${url}/turns`, '{"message":"hi"}', headers)).status).toBe(403);
  });

  it("[I2] a user named in the header gets a session of their own, or a 400", async () => {
    resetOutside();
    const url = `${sessions}/mine`;
    const as = (user: string) => ({ "x-carrel-user": user, accept: "text/event-stream" });
    await (await post(`${url}/turns`, '{"message":"from alice"}', as("alice"))).text();
    const bob = (await (await call(url, { headers: as("bob") })).json()) as { messages: unknown[] };
    const alice = (await (await call(url, { headers: as("alice") })).json()) as {
      messages: unknown[];
    };
    expect(bob.messages).toEqual([]);
    expect(alice.messages.length).toBe(2);
    expect((await call(url, { headers: as("../alice") })).status).toBe(400);
  });
});
