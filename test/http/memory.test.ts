import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createDeployment } from "../../src/harness.ts";
import { createApp } from "../../src/http/app.ts";
import type { MemoryOverview } from "../../src/shared/memory-api.ts";

const agents = [
  { id: "main" },
  { id: "each", isolationScope: "SESSION" },
  { id: "team", isolationScope: "AGENT" },
  { id: "all", isolationScope: "GLOBAL" },
] as const;

const keys = ["ann", "bob", "root"].map((user) => ({
  user,
  hash: createHash("sha256").update(`key-${user}`).digest("hex"),
  role: user === "root" ? "admin" : "user",
}));

const overview: MemoryOverview = {
  entries: [
    {
      id: "00000000abc",
      text: "Ann likes tea.",
      section: "Facts",
      line: 3,
      sources: [{ path: "memory/2026-11-30.md", line: 5, session: "main/s1", turn: "t1", at: 0 }],
      run: null,
    },
  ],
  notes: [],
  tokens: 5,
  maxTokens: 4_000,
  pending: 0,
  ledgers: [],
  runs: [],
  forgotten: 0,
};

/** The routes over objects that answer as buckets do, and note what they are asked. */
function desk() {
  const asked: { bucket: string; method: string; args: unknown[] }[] = [];
  const answers: Record<string, object> = {
    memoryOverview: { ok: true, overview },
    undoMemory: {
      ok: true,
      undone: { restored: 1, refused: [{ id: "00000000abc", why: "It has changed." }] },
    },
    forgetMemory: {
      ok: true,
      forgotten: {
        entries: 2,
        paths: ["MEMORY.md"],
        said: [{ session: "s1", turn: "t1", text: "a secret" }],
      },
    },
    hideMessages: { ok: true, hidden: 3 },
  };
  const object = (bucket: string) =>
    new Proxy(
      {},
      {
        get:
          (_, method) =>
          async (key: string, ...args: unknown[]) => {
            if (key !== bucket) throw new Error("called for another bucket");
            asked.push({ bucket, method: String(method), args });
            return answers[String(method)];
          },
      },
    );
  const none = {
    getByName: () => {
      throw new Error("not asked here");
    },
  };
  const env = {
    SESSIONS: none,
    REGISTRY: none,
    WORKSPACES: { getByName: object },
    CARREL_API_KEYS: JSON.stringify(keys),
  };
  const app = createApp(createDeployment(agents));
  const ask = async (user: string | null, path: string, body?: unknown, headers: object = {}) => {
    const auth = user === null ? {} : { authorization: `Bearer key-${user}` };
    const post = {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify(body),
      headers: { "content-type": "application/json", ...auth, ...headers },
    };
    const init = body === undefined ? { headers: auth } : post;
    return app.fetch(new Request(`http://carrel.example/v1/agents/${path}`, init), env);
  };
  const codeOf = async (response: Promise<Response>) => {
    const { status } = await response;
    const { error } = (await (await response).json()) as {
      error: { code: string; message: string };
    };
    return { status, ...error };
  };
  return { asked, answers, ask, codeOf };
}

beforeEach(() => void vi.spyOn(console, "info").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

const id = "00000000abc";
const undo = { entry: id };
const forget = { entries: [id] };

describe("the memory routes", () => {
  it("[M7] tell what is remembered, and where it comes from", async () => {
    const { ask, asked } = desk();
    const response = await ask("ann", "main/memory");
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(await response.json()).toEqual(overview);
    expect(asked).toEqual([
      { bucket: "v1/agents/main/users/ann/", method: "memoryOverview", args: [4_000] },
    ]);
  });

  it("[M7] undo an entry, a run, or what a run did to an entry, in the caller's name", async () => {
    const { ask, asked } = desk();
    for (const body of [{ entry: id }, { run: "r1" }, { run: "r1", entry: id }]) {
      const response = await ask("ann", "main/memory/undo", body);
      expect(await response.json()).toEqual({
        restored: 1,
        refused: [{ id, why: "It has changed." }],
      });
      expect(asked.at(-1)).toMatchObject({
        method: "undoMemory",
        args: [{ by: "user:ann", ...body }, expect.stringMatching(/^http-/)],
      });
    }
    const ops = asked.map(({ args }) => args[1]);
    expect(new Set(ops).size).toBe(3);
  });

  it("[M7] forget entries and hide what told of them, and do not say it again", async () => {
    const { ask, asked } = desk();
    const response = await ask("ann", "main/memory/forget", { entries: [id, id, "00000000abd"] });
    const text = await response.text();
    expect(JSON.parse(text)).toEqual({ entries: 2, paths: ["MEMORY.md"], messages: 3 });
    expect(text).not.toContain("secret");
    expect(asked.map(({ method }) => method)).toEqual(["forgetMemory", "hideMessages"]);
    expect(asked[0]?.args.slice(0, 2)).toEqual([[id, "00000000abd"], "user:ann"]);
  });

  it("do once what is asked again with the same key, and something else as something else", async () => {
    const { ask, asked } = desk();
    const key = { "idempotency-key": "k1" };
    const opOf = async (user: string, path: string, body: object) => {
      expect((await ask(user, path, body, key)).status).toBe(200);
      return asked.findLast(({ method }) => method !== "hideMessages")?.args.at(-1);
    };
    const first = await opOf("ann", "main/memory/undo", undo);
    expect(await opOf("ann", "main/memory/undo", undo)).toBe(first);
    const others = [
      await opOf("ann", "main/memory/undo", { entry: "00000000abd" }),
      await opOf("bob", "main/memory/undo", undo),
      await opOf("ann", "main/memory/forget", forget),
    ];
    expect(new Set([first, ...others]).size).toBe(4);
    const wrong = await desk().ask("ann", "main/memory/undo", undo, { "idempotency-key": "a b" });
    expect(wrong.status).toBe(400);
  });

  it.each([
    ["main", "", "v1/agents/main/users/ann/"],
    ["each", "?session=s1", "v1/agents/each/users/ann/sessions/s1/"],
    ["team", "", "v1/agents/team/shared/"],
    ["all", "", "v1/global/"],
  ] as const)("[I1, I4] of the agent %s%s are about %s", async (agent, query, bucket) => {
    const { ask, asked } = desk();
    expect((await ask("ann", `${agent}/memory${query}`)).status).toBe(200);
    expect(asked.map((call) => call.bucket)).toEqual([bucket]);
  });

  it("[I1, I3] hide messages among the caller's own records, whoever shares the memory", async () => {
    const { ask, asked } = desk();
    await ask("root", "team/memory/forget", forget);
    expect(asked.map(({ bucket }) => bucket)).toEqual([
      "v1/agents/team/shared/",
      "v1/agents/team/users/root/",
      "v1/agents/team/shared/",
    ]);
  });

  it("[I1, H2] are the caller's own, an admin's for others, and only an admin changes what is shared", async () => {
    const { ask, asked, codeOf } = desk();
    expect((await ask(null, "main/memory")).status).toBe(401);
    const refused = [
      ask("ann", "main/memory?user=bob"),
      ask("ann", "main/memory/undo?user=bob", undo),
      ask("ann", "main/memory/forget?user=bob", forget),
      ask("ann", "main/memory?layer=shared"),
      ask("ann", "main/memory/undo?layer=shared", undo),
      ask("ann", "team/memory/undo", undo),
      ask("ann", "all/memory/forget", forget),
    ];
    for (const one of refused)
      expect(await codeOf(one)).toMatchObject({ status: 403, code: "forbidden" });
    expect(asked).toEqual([]);
    for (const path of [
      "main/memory?user=bob",
      "main/memory?layer=shared",
      "all/memory?layer=shared",
    ])
      expect((await ask("root", path)).status).toBe(200);
    expect((await ask("root", "team/memory/undo", undo)).status).toBe(200);
    expect(asked.map(({ bucket }) => bucket)).toEqual([
      "v1/agents/main/users/bob/",
      "v1/agents/main/shared/",
      "v1/global/",
      "v1/agents/team/shared/",
    ]);
    expect(asked.at(-1)?.args[0]).toEqual({ by: "user:root", entry: id });
    const log = vi.mocked(console.info).mock.calls.map(([line]) => String(line));
    expect(log.filter((line) => line.includes("admin_access"))).toHaveLength(3);
  });

  it.each([
    ["GET", "main/memory?layer=template", undefined, "Leave out the layer"],
    ["GET", "main/memory?layers=own", undefined, "does not know the parameter"],
    ["GET", "each/memory", undefined, "Say which: ?session=ID"],
    ["GET", "main/memory?user=a%2Fb", undefined, "must be 1 to 128 characters"],
    ["POST", "main/memory/undo", {}, "must name a run, an entry"],
    ["POST", "main/memory/undo", { entry: "M1" }, "must be the id of an entry"],
    ["POST", "main/memory/undo", { run: "" }, "run"],
    ["POST", "main/memory/undo", { entry: id, force: true }, "force"],
    ["POST", "main/memory/forget", {}, "entries"],
    ["POST", "main/memory/forget", { entries: [] }, "entries"],
    ["POST", "main/memory/forget", { entries: Array(51).fill(id) }, "entries"],
    ["POST", "main/memory/forget", { entries: [7] }, "entries"],
    ["POST", "main/memory/forget", "no JSON", "not valid JSON"],
  ] as const)("[H1] refuse %s %s %j in words", async (_method, path, body, words) => {
    const { ask, asked, codeOf } = desk();
    const told = await codeOf(ask("ann", path, body));
    expect(told).toMatchObject({ status: 400, code: "invalid" });
    expect(told.message).toContain(words);
    expect(asked).toEqual([]);
  });

  it("[H1] pass on why a bucket refuses", async () => {
    const { ask, answers, codeOf } = desk();
    answers.undoMemory = { ok: false, code: "not_found", message: "That run does not exist." };
    expect(await codeOf(ask("ann", "main/memory/undo", { run: "r9" }))).toMatchObject({
      status: 404,
      message: "That run does not exist.",
    });
    expect((await ask("ann", "nobody/memory")).status).toBe(404);
    expect((await ask("ann", "main/memory/undo")).status).toBe(404);
  });
});
