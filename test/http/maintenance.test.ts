import { Hono } from "hono";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createDeployment } from "../../src/harness.ts";
import { adminRoutes } from "../../src/http/admin.ts";
import type { AppEnv } from "../../src/http/app-env.ts";
import { toProblem } from "../../src/http/problem.ts";
import { mainAgent, UpkeepLab, userBucket } from "../maintenance/upkeep-lab.ts";
import { problemOf } from "./files-fixture.ts";

const agents = [
  { id: "main" },
  { id: "each", isolationScope: "SESSION" },
  { id: "team", isolationScope: "AGENT" },
  { id: "all", isolationScope: "GLOBAL" },
] as const;

/** The routes of an admin over a lab's upkeep; `role` is that of the caller. */
function desk() {
  const lab = new UpkeepLab();
  lab.agents = agents.map((agent) => ({
    ...mainAgent,
    agent: agent.id,
    scope: "isolationScope" in agent ? agent.isolationScope : "USER",
  }));
  const app = new Hono<AppEnv>();
  let role: "admin" | "user" = "admin";
  app.onError(toProblem);
  app.use(async (c, next) => {
    c.set("principal", { user: "root", role });
    c.set("deployment", { ...createDeployment(agents), maintenance: () => lab.ports() });
    await next();
  });
  app.route("/v1/admin", adminRoutes());
  const ask = async (init: RequestInit = {}) => app.request("/v1/admin/maintenance", init);
  const post = (body: unknown) =>
    ask({
      method: "POST",
      headers: { "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const as = (who: typeof role) => void (role = who);
  return { lab, ask, post, as };
}

type Told = {
  readonly state: string;
  readonly counts: Record<string, number>;
  readonly buckets: readonly Record<string, unknown>[];
};

const told = async (response: Response): Promise<Told> => {
  expect(response.status).toBe(200);
  return (await response.json()) as Told;
};

let lines: string[] = [];

beforeEach(() => {
  lines = [];
  vi.spyOn(console, "info").mockImplementation((line: string) => void lines.push(line));
});

describe("POST /v1/admin/maintenance", () => {
  it("does the upkeep of one owner now, whenever it last was, and says what came of it", async () => {
    const { lab, post } = desk();
    const key = userBucket("ann");
    for (const entries of [2, 3]) {
      await lab.remember(key, entries);
      await lab.remember(userBucket("bob"));
      const { buckets, counts } = await told(await post({ agent: "main", user: "ann" }));
      expect(buckets).toMatchObject([
        { bucket: key, state: "clean", removed: 0, runs: [{ state: "applied", added: entries }] },
      ]);
      expect(counts).toMatchObject({ buckets: 1, runs: 1, changed: entries });
    }
    expect(lab.bucket(key).applied.map(({ slot }) => slot)).toEqual([null, null]);
    expect(await lab.waiting()).toBe(1);
  });

  it.each([
    [{ agent: "team", user: "ann" }, ["v1/agents/team/shared/", userBucket("ann", "team")]],
    [
      { agent: "each", session: "s1" },
      ["v1/agents/each/users/root/sessions/s1/", userBucket("root", "each")],
    ],
    [{ agent: "all" }, ["v1/global/", userBucket("root", "all")]],
    [{ agent: "all", layer: "shared" }, ["v1/global/"]],
    [{ agent: "main", layer: "shared" }, ["v1/agents/main/shared/"]],
  ])("of %j is that of its scope's bucket and of its user's records", async (body, keys) => {
    const { post } = desk();
    const { buckets } = await told(await post(body));
    expect(buckets.map(({ bucket }) => bucket)).toEqual(keys);
  });

  it("goes on with everything without an agent, and makes no more calls than it may", async () => {
    const { lab, post } = desk();
    for (let no = 0; no < 150; no++) await lab.remember(userBucket(`u${no}`));
    const first = await told(await post({}));
    expect(first).toMatchObject({ state: "paused" });
    expect(first).toHaveProperty("calls");
    let last = first;
    for (let no = 0; no < 5 && last.state === "paused"; no++) last = await told(await post({}));
    expect(last.state).toBe("finished");
    expect(await lab.waiting()).toBe(0);
    await lab.remember(userBucket("new"));
    expect((await told(await post({}))).counts).toMatchObject({ runs: 1 });
  });

  it("does nothing when it is dry, and says what waits", async () => {
    const { lab, post } = desk();
    await lab.remember(userBucket("ann"));
    await lab.remember(userBucket("ann", "lost"));
    const { buckets } = await told(await post({ dry: true }));
    expect(buckets).toHaveLength(2);
    expect(buckets).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ bucket: userBucket("ann"), agent: "main", attempts: 0 }),
        expect.objectContaining({ bucket: userBucket("ann", "lost"), agent: null }),
      ]),
    );
    const one = await told(await post({ agent: "main", user: "ann", dry: true }));
    expect(one.buckets).toMatchObject([{ bucket: userBucket("ann") }]);
    const none = await told(await post({ agent: "main", user: "bob", dry: true }));
    expect(none.buckets).toEqual([]);
    expect(lab.bucket(userBucket("ann")).asked).toEqual([]);
    expect(await lab.waiting()).toBe(2);
  });

  it("[R4] frees a parked bucket once it goes through", async () => {
    const { lab, post, ask } = desk();
    const working = lab.agents;
    await lab.remember(userBucket("ann"));
    lab.agents = working.map((agent) => ({
      ...agent,
      consolidate: () => Promise.reject(new Error("no")),
    }));
    for (let no = 0; no < 10; no++) await post({ agent: "main", user: "ann" });
    const status = (await (await ask()).json()) as { troubled: unknown[] };
    expect(status.troubled).toMatchObject([
      { bucket: userBucket("ann"), attempts: 10, until: null },
    ]);
    lab.agents = working;
    await post({ agent: "main", user: "ann" });
    expect(await (await ask()).json()).toMatchObject({ dirty: 0, troubled: [] });
  });

  it.each([
    ["", 400],
    ["[]", 400],
    ['{"agent": 5}', 400],
    ['{"agent": "a/b"}', 400],
    ['{"agent": "none"}', 404],
    ['{"agent": "main", "user": "../x"}', 400],
    ['{"agent": "each"}', 400],
    ['{"user": "ann"}', 400],
    ['{"session": "s"}', 400],
    ['{"layer": "own"}', 400],
    ['{"agent": "main", "layer": "template"}', 400],
    ['{"dry": "yes"}', 400],
    ['{"agent": "main", "slot": 3}', 400],
    ['{"agent": "main", "layer": "shared", "user": "../x"}', 400],
    ['{"agent": "all", "layer": "shared", "session": "s"}', 400],
  ])("[H1] refuses %s with %i, and does nothing", async (body, status) => {
    const { lab, post } = desk();
    await lab.remember(userBucket("root"));
    const response = await post(body);
    expect(response.status).toBe(status);
    expect((await problemOf(response)).message).not.toBe("");
    expect(lab.bucket(userBucket("root")).asked).toEqual([]);
  });
});

describe("POST /v1/admin/maintenance without a session", () => {
  it("[H1] says where the session belongs", async () => {
    const { message } = await problemOf(await desk().post({ agent: "each" }));
    expect(message).toContain('Say which: "session"');
  });
});

describe("GET /v1/admin/maintenance", () => {
  it("says what waits and since when, what does not get done, and what the last passes did", async () => {
    const { lab, ask, post } = desk();
    const since = lab.now;
    await lab.remember(userBucket("ann", "lost"));
    lab.now += 5_000;
    await lab.remember(userBucket("ann"));
    const before = (await (await ask()).json()) as { shards: unknown[] };
    expect(before).toMatchObject({ dirty: 2, since, troubled: [], passes: [] });
    expect(before.shards).not.toHaveLength(0);
    await post({});
    const after = await (await ask()).json();
    const why = 'There is no agent "lost" in src/agent.ts.';
    expect(after).toMatchObject({
      dirty: 1,
      since,
      shards: [{ dirty: 1, since }],
      troubled: [{ bucket: userBucket("ann", "lost"), why }],
      passes: [{ buckets: 2, runs: 1, skipped: 1, endedAt: lab.now }],
    });
  });

  it("[H2] is for admins, as is asking for it, and both are logged", async () => {
    const { lab, ask, post, as } = desk();
    await lab.remember(userBucket("ann"));
    as("user");
    expect((await ask()).status).toBe(403);
    expect((await post({})).status).toBe(403);
    expect(lines.filter((line) => line.includes("admin_access"))).toEqual([]);
    expect(await lab.waiting()).toBe(1);
    as("admin");
    await ask();
    await post({ agent: "main", user: "ann" });
    const whom = lines
      .map((line) => JSON.parse(line) as { event: string; whom: string })
      .flatMap((line) => (line.event === "admin_access" ? line.whom : []));
    expect(whom).toEqual(["all", "ann"]);
  });
});
