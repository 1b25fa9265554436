import { expect, it } from "vitest";
import type { RegistryApi, SessionNews, SessionSummary } from "../../src/shared/registry-api.ts";

const session = (id: string, createdAt = 1, user = "ann", agent = "main") => ({
  agent,
  user,
  session: id,
  createdAt,
});

const news = (at: number, more: Partial<SessionNews> = {}): SessionNews => ({
  title: `at ${at}`,
  at,
  updatedAt: at,
  isWaiting: false,
  ...more,
});

const list = async (registry: RegistryApi, user = "ann", agent = "main", limit = 100) =>
  (await registry.listSessions(user, agent, null, limit)).items;

const idsOf = (items: readonly SessionSummary[]): string[] => items.map((item) => item.session);

/** What every shard of the registry does with the list of a user's sessions. `open` gives one that is empty. */
export function sessionListContract(open: () => Promise<RegistryApi>): void {
  it("lists a session from when it is registered, without a title yet", async () => {
    const registry = await open();
    await registry.registerSession(session("s", 7));
    expect(await list(registry)).toEqual([
      { session: "s", title: "", createdAt: 7, updatedAt: 7, isWaiting: false },
    ]);
  });

  it("lists the newest first, and by id what is equally new", async () => {
    const registry = await open();
    for (const id of ["b", "a", "c", "d"]) await registry.registerSession(session(id, 5));
    await registry.updateSession("main", "ann", "c", news(9));
    await registry.updateSession("main", "ann", "d", news(6, { isWaiting: true }));
    expect(idsOf(await list(registry))).toEqual(["c", "d", "a", "b"]);
    expect((await list(registry)).slice(0, 2)).toEqual([
      { session: "c", title: "at 9", createdAt: 5, updatedAt: 9, isWaiting: false },
      { session: "d", title: "at 6", createdAt: 5, updatedAt: 6, isWaiting: true },
    ]);
  });

  it("keeps the newest news, in whatever order and however often they come", async () => {
    const registry = await open();
    await registry.registerSession(session("s", 1));
    for (const at of [5, 3, 9, 5, 9]) await registry.updateSession("main", "ann", "s", news(at));
    await registry.updateSession("main", "ann", "s", news(9, { title: "late", isWaiting: true }));
    const [kept] = await list(registry);
    expect(kept).toMatchObject({ title: "at 9", updatedAt: 9, isWaiting: false });
    await registry.updateSession("main", "ann", "s", news(10, { title: "named", updatedAt: 9 }));
    expect((await list(registry))[0]).toMatchObject({ title: "named", updatedAt: 9 });
  });

  it("takes news that were so before the session was registered, which may be late", async () => {
    const registry = await open();
    await registry.registerSession(session("s", 50));
    await registry.updateSession("main", "ann", "s", news(20, { title: "hi" }));
    expect((await list(registry))[0]).toMatchObject({ title: "hi", updatedAt: 50 });
    await registry.registerSession(session("s", 90));
    expect((await list(registry))[0]).toMatchObject({ title: "hi", createdAt: 50, updatedAt: 50 });
  });

  it("forgets a session that is removed, also a second time, and takes no late news of it", async () => {
    const registry = await open();
    await registry.registerSession(session("s"));
    await registry.registerSession(session("t"));
    for (let time = 0; time < 2; time++) await registry.removeSession("main", "ann", "s");
    await registry.updateSession("main", "ann", "s", news(9));
    await registry.updateSession("main", "ann", "never", news(9));
    expect(idsOf(await list(registry))).toEqual(["t"]);
    expect((await registry.sessions("ann", "main", null)).items).toEqual([session("t")]);
  });

  it("[I3] keeps apart the same session of two users, and of two agents", async () => {
    const registry = await open();
    const whose = [
      ["main", "ann"],
      ["main", "bob"],
      ["other", "ann"],
    ] as const;
    for (const [agent, user] of whose) await registry.registerSession(session("s", 1, user, agent));
    await registry.updateSession("main", "bob", "s", news(5, { title: "bob's" }));
    await registry.removeSession("other", "ann", "s");
    expect((await list(registry, "ann"))[0]).toMatchObject({ title: "", updatedAt: 1 });
    expect((await list(registry, "bob"))[0]).toMatchObject({ title: "bob's", updatedAt: 5 });
    expect(await list(registry, "ann", "other")).toEqual([]);
    expect(await list(registry, "an")).toEqual([]);
  });

  pages(open);
}

function pages(open: () => Promise<RegistryApi>): void {
  /** 30 sessions, three of each age. */
  const filled = async () => {
    const registry = await open();
    for (let no = 0; no < 30; no++)
      await registry.registerSession(session(`s${10 + no}`, 100 + Math.floor(no / 3)));
    return registry;
  };

  it.each([1, 2, 3, 7, 29, 30, 100])("gives every session once in pages of %i", async (limit) => {
    const registry = await filled();
    const whole = idsOf(await list(registry));
    expect(whole).toHaveLength(30);
    const read: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<RegistryApi["listSessions"]>> = await registry.listSessions(
        "ann",
        "main",
        cursor,
        limit,
      );
      expect(page.items.length).toBeLessThanOrEqual(limit);
      read.push(...idsOf(page.items));
      cursor = page.cursor;
    } while (cursor !== null);
    expect(read).toEqual(whole);
  });

  it("goes on while sessions move, are added and removed: what stays where it was comes once", async () => {
    const registry = await filled();
    const read: string[] = [];
    let cursor: string | null = null;
    let at = 1_000;
    do {
      const page: Awaited<ReturnType<RegistryApi["listSessions"]>> = await registry.listSessions(
        "ann",
        "main",
        cursor,
        5,
      );
      read.push(...idsOf(page.items));
      cursor = page.cursor;
      const last = page.items.at(-1)?.session ?? "";
      // The very place of the cursor: one moves up, another goes.
      if (page.items.length % 2 === 1)
        await registry.updateSession("main", "ann", last, news(++at));
      await registry.removeSession("main", "ann", page.items.at(-2)?.session ?? "");
      await registry.registerSession(session(`new${++at}`, at));
    } while (cursor !== null);
    expect(read).toHaveLength(new Set(read).size);
    expect(read.filter((id) => id.startsWith("s"))).toHaveLength(30);
  });

  it("gives at most 100, whatever is asked for", async () => {
    const registry = await open();
    await Promise.all(
      Array.from({ length: 130 }, (_, no) => registry.registerSession(session(`s${no}`, no))),
    );
    const first = await registry.listSessions("ann", "main", null, 5_000);
    expect(first.items).toHaveLength(100);
    const second = await registry.listSessions("ann", "main", first.cursor, 5_000);
    expect([second.items.length, second.cursor]).toEqual([30, null]);
  });

  it("refuses a cursor that no page gave", async () => {
    const registry = await open();
    for (const bad of ["", "x", "1.a/b", "-5.s"])
      await expect((async () => registry.listSessions("ann", "main", bad, 5))()).rejects.toThrow(
        "The cursor must be",
      );
  });
}
