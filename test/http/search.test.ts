import { beforeEach, describe, expect, it } from "vitest";
import type { SearchAnswer } from "../../src/shared/workspace-api.ts";
import { Desk, problemOf } from "./files-fixture.ts";

let desk: Desk;
beforeEach(() => {
  desk = new Desk();
});

const search = (user: string | null, query: string, agent = "main") =>
  desk.ask(user, `/agents/${agent}/search?${query}`);

async function paths(user: string, query: string, agent?: string): Promise<string[]> {
  const response = await search(user, query, agent);
  expect(response.status).toBe(200);
  const { hits } = (await response.json()) as SearchAnswer;
  return hits.map(({ path, line }) => `${path}#${line}`).toSorted();
}

describe("a search over HTTP", () => {
  it("[W3, M8] finds what was just written, ranked, and is for its caller alone", async () => {
    await desk.put("ann", "/agents/main/files/MEMORY.md", "# Memory\n\n- Ann keeps herons\n");
    await desk.put("bob", "/agents/main/files/MEMORY.md", "- Bob keeps herons\n");
    const response = await search("ann", "q=keeping+a+heron");
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(await response.json()).toEqual({
      hits: [
        {
          path: "MEMORY.md",
          line: 3,
          endLine: 3,
          source: "memory",
          snippet: "Ann keeps herons",
          score: expect.any(Number) as number,
          at: null,
        },
      ],
      isComplete: true,
      pending: 0,
    });
  });

  it("[M8] takes a limit, sources and a path", async () => {
    await desk.put("ann", "/agents/main/files/MEMORY.md", "- heron\n- a heron there\n");
    await desk.put("ann", "/agents/main/files/memory/2026-02-01.md", "- heron\n");
    await desk.put("ann", "/agents/main/files/knowledge/x.md", "heron\n");
    expect(await paths("ann", "q=heron&limit=1")).toHaveLength(1);
    expect(await paths("ann", "q=heron&source=ledger,knowledge")).toEqual([
      "knowledge/x.md#1",
      "memory/2026-02-01.md#1",
    ]);
    expect(await paths("ann", "q=heron&path=memory")).toEqual(["memory/2026-02-01.md#1"]);
    expect(await paths("ann", "q=")).toEqual([]);
  });

  it("[I1] of another user or of the shared layer is for admins", async () => {
    await desk.put("ann", "/agents/main/files/MEMORY.md", "- heron\n");
    await desk.put("root", "/agents/main/files/knowledge/s.md?layer=shared", "a stork");
    expect(await paths("root", "q=heron&user=ann")).toEqual(["MEMORY.md#1"]);
    expect(await paths("root", "q=stork&layer=shared")).toEqual(["knowledge/s.md#1"]);
    expect((await search("bob", "q=heron&user=ann")).status).toBe(403);
    expect((await search(null, "q=heron")).status).toBe(401);
    expect(await paths("bob", "q=stork")).toEqual(["knowledge/s.md#1"]);
  });

  it.each([
    ["", "q"],
    ["q=a&limit=0", "limit"],
    ["q=a&limit=101", "limit"],
    ["q=a&source=mail", "source"],
    ["q=a&source=", "source"],
    ["q=a&path=..", "path"],
    ["q=a&layer=own", "layer"],
    ["q=a&colour=red", "parameter"],
    ["q=a&q=b", "twice"],
  ])("is refused with ?%s, and says why", async (query, why) => {
    const response = await search("ann", query);
    expect(response.status).toBe(400);
    expect((await problemOf(response)).message).toContain(why);
    expect(await desk.stored()).toEqual({});
  });

  it("under the scope SESSION needs the session", async () => {
    expect((await search("ann", "q=a", "each")).status).toBe(400);
    expect(await paths("ann", "q=a&session=s1", "each")).toEqual(["knowledge/a.md#1"]);
  });
});
