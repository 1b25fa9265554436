import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Desk, problemOf } from "./files-fixture.ts";

let desk: Desk;
beforeEach(() => {
  desk = new Desk();
  vi.spyOn(console, "info").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

const files = "/agents/main/files";

const paths: readonly string[] = [
  "/..%2fx",
  "/%2e%2e%2fx",
  "/a/..%2F..%2Fb",
  "/a%2f..",
  "/%00",
  "/a%00b",
  "/a%0Ab",
  "/%1f",
  "/%7F",
  "/%C2%85",
  "/%E2%80%A8",
  "/%5c",
  "/a%5Cb",
  "/%ED%A0%80",
  "/%ED%B0%80x",
  "/%",
  "/%2",
  "/%zz",
  "/a%",
  "/%FF",
  "/%C0%AE%C0%AE/x",
  `/${"x".repeat(513)}`,
  `/${"é".repeat(257)}`,
  `/${"a/".repeat(300)}b`,
  `/${"./".repeat(5_000)}b`.replaceAll("./", "%2e%2f"),
];

const expectRefusal = async (response: Response, statuses: readonly number[] = [400]) => {
  expect(statuses).toContain(response.status);
  const { code, message } = await problemOf(response);
  expect(code).toMatch(/^[a-z_]+$/);
  expect(message.length).toBeGreaterThan(10);
  expect(message).not.toMatch(/\[object|at \w+ \(|\.ts/);
};

describe("a path", () => {
  it.each(paths)("[H1] %s is refused on every route, and nothing is stored", async (path) => {
    for (const method of ["GET", "PUT", "DELETE"]) {
      const body = method === "PUT" ? { body: "x" } : {};
      await expectRefusal(await desk.ask("ann", `${files}${path}`, { method, ...body }));
    }
    expect(await desk.stored()).toEqual({});
    expect(desk.lab.calls).toEqual([]);
  });

  it.each(["", "/", "//", "/.", "/%2e"])("[H1] %j names no file to write", async (path) => {
    for (const method of ["PUT", "DELETE"])
      await expectRefusal(await desk.ask("ann", `${files}${path}`, { method }));
    expect((await desk.ask("ann", `${files}${path}`)).status).toBe(200);
    expect(await desk.stored()).toEqual({});
  });

  it("[H1] in a query is refused where it is in an address, and what cannot exist is not found", async () => {
    for (const raw of ["..%2fx", "%00", "%5c", "a%0Ab", "x".repeat(513)])
      await expectRefusal(await desk.ask("ann", `${files}?path=${raw}`));
    for (const raw of ["%ED%A0%80", "%", "nothing"])
      await expectRefusal(await desk.ask("ann", `${files}?path=${raw}`), [400, 404]);
  });

  it.each(["agents", "plans", "large_tool_results"])(
    "[T13] below %s/ holds records that nobody writes this way",
    async (folder) => {
      for (const user of ["ann", "root"])
        for (const method of ["PUT", "DELETE"]) {
          const path = `${files}/${folder}/main/x.log.jsonl`;
          await expectRefusal(await desk.ask(user, path, { method }), [403]);
        }
    },
  );
});

describe("a query", () => {
  it.each([
    ["GET", "?recursiv=true"],
    ["GET", "?recursive=1"],
    ["GET", "?limit=0"],
    ["GET", "?limit=2001"],
    ["GET", "?limit=x"],
    ["GET", "?limit="],
    ["GET", "?limit=1&limit=2"],
    ["GET", "?layer=mine"],
    ["GET", "?layer="],
    ["GET", "?user="],
    ["GET", "?user=..%2fbob"],
    ["GET", "?session=a%2fb"],
    ["GET", "?session="],
    ["GET", "?__proto__=1"],
    ["GET", "/AGENTS.md?history=1"],
    ["GET", "/AGENTS.md?history&version=1"],
    ["GET", "/AGENTS.md?version=0"],
    ["GET", "/AGENTS.md?version=x"],
    ["GET", "/AGENTS.md?version=1&offset=1"],
    ["GET", "/AGENTS.md?offset=-1"],
    ["GET", "/AGENTS.md?offset=0&limit=0"],
    ["GET", "/AGENTS.md?offset=0&limit=99999999"],
    ["GET", "/AGENTS.md?offset=0&layer=template"],
    ["GET", "/AGENTS.md?history&layer=template"],
    ["GET", "/AGENTS.md?undo"],
    ["GET", "/AGENTS.md?recursive"],
    ["PUT", "/AGENTS.md?undoo"],
    ["PUT", "/AGENTS.md?undo=0"],
    ["PUT", "/AGENTS.md?undo=1.5"],
    ["PUT", "/AGENTS.md?undo=-1"],
    ["PUT", "/AGENTS.md?reset"],
    ["PUT", "/AGENTS.md?layer=template"],
    ["PUT", "/AGENTS.md?layer=all"],
    ["DELETE", "/AGENTS.md?reset=maybe"],
    ["DELETE", "/AGENTS.md?undo"],
    ["DELETE", "/AGENTS.md?layer=template"],
  ])("[H1] %s %s is refused, and says what to send", async (method, path) => {
    await expectRefusal(await desk.ask("ann", `${files}${path}`, { method }));
    expect(await desk.stored()).toEqual({});
  });
});

describe("a header", () => {
  it.each([
    ["PUT", { "if-match": "*" }],
    ["PUT", { "if-match": "1" }],
    ["PUT", { "if-match": '"1", "2"' }],
    ["PUT", { "if-match": '"absent"' }],
    ["PUT", { "if-match": "" }],
    ["PUT", { "if-match": `"${"9".repeat(40)}"` }],
    ["PUT", { "if-none-match": '"1"' }],
    ["PUT", { "if-none-match": "*", "if-match": '"1"' }],
    ["PUT", { "x-carrel-executable": "1" }],
    ["PUT", { "idempotency-key": "" }],
    ["PUT", { "idempotency-key": "a b" }],
    ["PUT", { "idempotency-key": "x".repeat(129) }],
    ["DELETE", { "if-match": "*" }],
    ["DELETE", { "if-none-match": '"1"' }],
  ])("[H1] %s with %j is refused", async (method, headers: Record<string, string>) => {
    const body = method === "PUT" ? { body: "x" } : {};
    const response = await desk.ask("ann", `${files}/a.md`, { method, headers, ...body });
    await expectRefusal(response);
    expect(await desk.stored()).toEqual({});
  });

  it("[H1] that says the body is compressed is a 415: those bytes are not the file", async () => {
    const response = await desk.put("ann", `${files}/a`, "x", { "content-encoding": "gzip" });
    await expectRefusal(response, [415]);
  });

  it("[H1] that asks for both a condition and an undo or reset is refused", async () => {
    const headers = { "if-match": '"1"' };
    await expectRefusal(await desk.put("ann", `${files}/a?undo`, "", headers));
    await expectRefusal(await desk.put("ann", `${files}/a?undo`, "a body"));
    await expectRefusal(await desk.ask("ann", `${files}/a?reset`, { method: "DELETE", headers }));
  });
});

describe("a rescan", () => {
  const rescan = (body: string, type = "application/json") =>
    desk.ask("root", "/admin/rescan", { method: "POST", body, headers: { "content-type": type } });

  it("takes an agent and reports", async () => {
    const response = await rescan('{"agent": "main", "user": "ann"}');
    expect(await response.json()).toEqual({ taken: [], removed: [], refused: [] });
    expect((await rescan('{"agent": "main", "layer": "shared"}')).status).toBe(200);
    expect((await rescan('{"agent": "each", "session": "s"}')).status).toBe(200);
  });

  it.each([
    ["", 400],
    ["[]", 400],
    ["{}", 400],
    ['{"agent": 7}', 400],
    ['{"agent": "../main"}', 400],
    ['{"agent": "nobody"}', 404],
    ['{"agent": "main", "user": "a/b"}', 400],
    ['{"agent": "main", "layer": "template"}', 400],
    ['{"agent": "main", "usr": "ann"}', 400],
    ['{"agent": "each"}', 400],
  ])("[H1] of %s is refused", async (body, status) => {
    await expectRefusal(await rescan(body), [status]);
  });

  it("[H1] is JSON", async () => {
    await expectRefusal(await rescan('{"agent": "main"}', "text/plain"), [415]);
  });
});
