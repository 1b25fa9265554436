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

const zip = Buffer.from(`504b0506${"00".repeat(18)}`, "hex");
const json = { "content-type": "application/json" };

type Route = {
  readonly method: string;
  readonly path: string;
  readonly body?: BodyInit;
  readonly headers?: Record<string, string>;
  /** Of the answer, when it is done; default 200. */
  readonly done?: number;
};

/** Every route of this surface, below the agent, with a request that is sound. */
const routes: readonly Route[] = [
  { method: "GET", path: "/files" },
  { method: "GET", path: "/files/AGENTS.md" },
  { method: "HEAD", path: "/files/AGENTS.md" },
  { method: "GET", path: "/files/AGENTS.md?history" },
  { method: "GET", path: "/files/AGENTS.md?offset=0" },
  { method: "PUT", path: "/files/x.md", body: "x", done: 201 },
  { method: "DELETE", path: "/files/AGENTS.md" },
  { method: "DELETE", path: "/files/AGENTS.md?reset" },
  { method: "GET", path: "/archive" },
  { method: "POST", path: "/archive", body: zip, headers: { "content-type": "application/zip" } },
  { method: "GET", path: "/doctor" },
];
const writes = routes.filter(({ method }) => !["GET", "HEAD"].includes(method));

const withQuery = (path: string, query: string) =>
  `${path}${path.includes("?") ? "&" : "?"}${query}`;

const ask = (user: string | null, agent: string, route: Route, query = "") => {
  const { path, done: _done, ...init } = route;
  return desk.ask(user, `/agents/${agent}${query === "" ? path : withQuery(path, query)}`, init);
};

describe.each(routes)("$method $path", (route) => {
  it("[H2] wants a key that is known", async () => {
    for (const user of [null, "mallory"]) expect((await ask(user, "main", route)).status).toBe(401);
    expect(desk.lab.calls).toEqual([]);
  });

  it("[H2] answers its caller, and an admin for another user", async () => {
    const callers = [
      ["ann", ""],
      ["ann", "user=ann"],
      ["root", "user=ann"],
    ] as const;
    for (const [user, query] of callers) {
      desk = new Desk();
      expect((await ask(user, "main", route, query)).status).toBe(route.done ?? 200);
    }
  });

  it("[I6] does not tell whether another user, or an agent, exists", async () => {
    await desk.put("bob", "/agents/main/files/x.md", "of Bob");
    const stored = await desk.stored();
    for (const other of ["bob", "nobody"]) {
      const response = await ask("ann", "main", route, `user=${other}`);
      expect(response.status).toBe(403);
      if (route.method !== "HEAD")
        expect((await problemOf(response)).message).toBe("Only an admin may name another user.");
    }
    expect((await ask("ann", "nobody", route)).status).toBe(404);
    expect(await desk.stored()).toEqual(stored);
  });

  it("[H1] of an agent with files for each session wants to know which", async () => {
    const response = await ask("ann", "each", route);
    expect(response.status).toBe(400);
    if (route.method !== "HEAD") expect((await problemOf(response)).message).toContain("?session=");
    expect((await ask("ann", "each", route, "session=s1")).status).toBe(route.done ?? 200);
  });

  it("[I1] touches the caller's own bucket only", async () => {
    await ask("ann", "main", route);
    await ask("bob", "main", route);
    const [ann, bob] = ["v1/agents/main/users/ann/", "v1/agents/main/users/bob/"];
    expect(desk.buckets()).toEqual([ann, bob]);
    const shared = "v1/agents/main/shared/ manifest";
    expect(new Set(desk.lab.between)).toEqual(new Set([`${ann} ${shared}`, `${bob} ${shared}`]));
  });
});

describe.each(writes)("$method $path", (route) => {
  it("[I1] to what all users share is an admin's", async () => {
    for (const [agent, query] of [
      ["team", ""],
      ["all", ""],
      ["main", "layer=shared"],
    ] as const) {
      const response = await ask("ann", agent, route, query);
      expect(response.status).toBe(403);
      expect((await problemOf(response)).message).toContain("admin");
      expect((await ask("root", agent, route, query)).status).toBe(route.done ?? 200);
    }
    // The records in an archive are the admin's own.
    const shared = desk.buckets().filter((key) => !key.endsWith("/users/root/"));
    expect(shared).toEqual(["v1/agents/main/shared/", "v1/agents/team/shared/", "v1/global/"]);
  });
});

describe("an admin", () => {
  it("[H2] alone may rescan, and export the shared layer", async () => {
    const rescan = { method: "POST", body: '{"agent":"main"}', headers: json };
    expect((await desk.ask(null, "/admin/rescan", rescan)).status).toBe(401);
    expect((await desk.ask("ann", "/admin/rescan", rescan)).status).toBe(403);
    expect((await desk.ask("ann", "/admin/nothing")).status).toBe(403);
    expect((await desk.ask("root", "/admin/nothing")).status).toBe(404);
    expect((await desk.ask("ann", "/agents/main/archive?layer=shared")).status).toBe(403);
    expect((await desk.ask("root", "/agents/main/archive?layer=shared")).status).toBe(200);
  });

  it("[I1] sees the shared layer for itself; others see it as a layer of their own view", async () => {
    const path = "/agents/main/files?layer=shared";
    const [ann, root] = [await desk.ask("ann", path), await desk.ask("root", path)];
    expect(desk.buckets()).toEqual(["v1/agents/main/shared/", "v1/agents/main/users/ann/"]);
    expect(await ann.json()).toEqual(await root.json());
    await desk.put("root", "/agents/main/files/house.md?layer=shared", "for all");
    await desk.lab.pass(30_000);
    const entries = [{ path: "house.md", layer: "shared", file: { layer: "shared", etag: "s1" } }];
    for (const user of ["ann", "root"])
      expect(await (await desk.ask(user, path)).json()).toMatchObject({ entries, total: 1 });
  });

  it("[W15] who writes into another's files signs with their own name", async () => {
    await desk.put("root", "/agents/main/files/x.md?user=ann", "hi");
    const response = await desk.ask("ann", "/agents/main/files/x.md");
    expect(response.headers.get("x-carrel-by")).toBe("user:root");
  });

  it("[H5] who opens what is not theirs is logged, without a word of it", async () => {
    const path = "/agents/main/files/secret-plan.md";
    await desk.put("root", `${path}?user=ann`, "the word is xyzzy");
    await desk.ask("root", `${path}?layer=shared`);
    await desk.ask("root", path);
    await desk.ask("ann", `${path}?user=ann`);
    const lines = vi.mocked(console.info).mock.calls.map(([line]) => JSON.parse(String(line)));
    const route = "/v1/agents/:agent/files/*";
    expect(lines).toEqual([
      { event: "admin_access", who: "root", whom: "ann", method: "PUT", route },
      { event: "admin_access", who: "root", whom: "shared", method: "GET", route },
    ]);
  });
});
