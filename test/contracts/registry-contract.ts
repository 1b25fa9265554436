import { expect, it } from "vitest";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import type { RegistryApi, RegistryPage } from "../../src/shared/registry-api.ts";

const session = (id: string, createdAt = 1, user = "ann", agent = "main") => ({
  agent,
  user,
  session: id,
  createdAt,
});

const bucketOf = (user: string) => bucketPrefix({ scope: "USER", agent: "main", user });

/** Everything, page by page; `meanwhile` happens after each page. */
async function pagesOf<Item>(
  read: (cursor: string | null) => Promise<RegistryPage<Item>>,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<(readonly Item[])[]> {
  const pages: (readonly Item[])[] = [];
  for (let cursor: string | null = null; ;) {
    const page: RegistryPage<Item> = await read(cursor);
    pages.push(page.items);
    await meanwhile();
    cursor = page.cursor;
    if (cursor === null) return pages;
  }
}

/** What every shard of the registry does. `open` gives one that is empty. */
export function registryContract(open: () => Promise<RegistryApi>): void {
  it("lists a user's sessions with one agent, in the order of the bytes of their ids", async () => {
    const registry = await open();
    for (const id of ["b", "a", "a.b", "a-b", "Z", "a_b", "10", "9"])
      await registry.registerSession(session(id));
    const { items, cursor } = await registry.sessions("ann", "main", null);
    expect(items.map((item) => item.session)).toEqual([
      "10",
      "9",
      "Z",
      "a",
      "a-b",
      "a.b",
      "a_b",
      "b",
    ]);
    expect(cursor).toBeNull();
  });

  it("[I3] keeps apart the same session of two users, and of two agents", async () => {
    const registry = await open();
    await registry.registerSession(session("s", 1));
    await registry.registerSession(session("s", 2, "bob"));
    await registry.registerSession(session("s", 3, "ann", "other"));
    const times = async (user: string, agent: string) =>
      (await registry.sessions(user, agent, null)).items.map(({ createdAt }) => createdAt);
    expect(await times("ann", "main")).toEqual([1]);
    expect(await times("bob", "main")).toEqual([2]);
    expect(await times("ann", "other")).toEqual([3]);
    expect(await times("an", "main")).toEqual([]);
  });

  it("keeps what it knows when the same is registered again", async () => {
    const registry = await open();
    for (const at of [5, 3, 9]) {
      await registry.registerSession(session("s", at));
      await registry.registerBucket(bucketOf("ann"), at);
    }
    expect((await registry.sessions("ann", "main", null)).items).toEqual([session("s", 5)]);
    expect((await registry.buckets(null)).items).toEqual([
      { bucket: bucketOf("ann"), createdAt: 5, dirtyAt: null },
    ]);
  });

  it("notes that a bucket is dirty, whether it knew it or not, with a number that rises", async () => {
    const registry = await open();
    await registry.registerBucket(bucketOf("known"), 1);
    for (const at of [7, 4]) {
      await registry.markDirty(bucketOf("known"), at);
      await registry.markDirty(bucketOf("new"), at);
    }
    await registry.registerBucket(bucketOf("new"), 8);
    expect((await registry.buckets(null)).items).toEqual([
      { bucket: bucketOf("known"), createdAt: 1, dirtyAt: 8 },
      { bucket: bucketOf("new"), createdAt: 7, dirtyAt: 8 },
    ]);
  });

  it("forgets a bucket that was erased, and no other, and does not mind one that it does not know", async () => {
    const registry = await open();
    await registry.registerBucket(bucketOf("ann"), 1);
    await registry.registerBucket(bucketOf("ann2"), 2);
    for (let times = 0; times < 2; times++) await registry.removeBucket(bucketOf("ann"));
    const { items } = await registry.buckets(null);
    expect(items.map(({ bucket }) => bucket)).toEqual([bucketOf("ann2")]);
  });

  it("gives pages of at most 500 that go on exactly where the one before ended", async () => {
    const registry = await open();
    const ids = Array.from({ length: 1_000 }, (_, no) => `s${String(no).padStart(4, "0")}`);
    await Promise.all(
      ids.flatMap((id) => [
        registry.registerSession(session(id)),
        registry.registerBucket(bucketOf(id), 1),
      ]),
    );
    const before = async () => {
      await registry.registerSession(session("a"));
      await registry.registerBucket(bucketOf("a"), 1);
    };
    const sessions = await pagesOf((cursor) => registry.sessions("ann", "main", cursor), before);
    expect(sessions.map((page) => page.length)).toEqual([500, 500]);
    expect(sessions.flat().map((item) => item.session)).toEqual(ids);
    const buckets = await pagesOf((cursor) => registry.buckets(cursor));
    expect(buckets.flat().map(({ bucket }) => bucket)).toEqual(["a", ...ids].map(bucketOf));
    expect(buckets.map((page) => page.length)).toEqual([500, 500, 1]);
  });

  it("[I2] refuses ids and keys that are none, and keeps nothing of them", async () => {
    const registry = await open();
    for (const bad of ["", "a/b", "..", "a%2Fb", "é"])
      for (const part of ["agent", "user", "session"])
        await expect(
          (async () => registry.registerSession({ ...session("s"), [part]: bad }))(),
        ).rejects.toThrow();
    for (const bad of ["", "v1/agents/main/users/ann", "v1/agents/a/users/../", "v1/global/files/"])
      for (const call of ["registerBucket", "markDirty"] as const)
        await expect((async () => registry[call](bad, 1))()).rejects.toThrow();
    expect((await registry.sessions("ann", "main", null)).items).toEqual([]);
    expect((await registry.buckets(null)).items).toEqual([]);
  });
}
