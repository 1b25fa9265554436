import { expect, it } from "vitest";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import type { RegistryApi } from "../../src/shared/registry-api.ts";
import type { PassCounts, PassPlace, UpkeepOutcome } from "../../src/shared/upkeep-api.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
const NOW = 100 * DAY;

const bucketOf = (user: string) => bucketPrefix({ scope: "USER", agent: "main", user });

/** Those that are due at `now`. */
const due = async (registry: RegistryApi, now = NOW): Promise<string[]> =>
  (await registry.dirtyBuckets(null, 500, now)).items.map(({ bucket }) => bucket);

/** Notes what came of a bucket, as it is now. */
async function note(registry: RegistryApi, user: string, outcome: UpkeepOutcome, now = NOW) {
  const read = await registry.dirtyBucket(bucketOf(user));
  const { dirtyAt = 0, attempts = 0 } = read ?? {};
  await registry.noteUpkeep([{ bucket: bucketOf(user), dirtyAt, attempts, outcome }], now);
}

const clean: UpkeepOutcome = { kind: "clean", lookAt: null };

/** What every shard of the registry does with buckets that have something for upkeep. `open` gives one that is empty. */
export function dirtyContract(open: () => Promise<RegistryApi>): void {
  it("[R2] gives dirty buckets page by page in the order of their keys, and no other", async () => {
    const registry = await open();
    const users = Array.from({ length: 25 }, (_, no) => `u${10 + no}`);
    for (const user of users.toReversed()) await registry.markDirty(bucketOf(user), NOW);
    await registry.registerBucket(bucketOf("a"), 1);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<RegistryApi["dirtyBuckets"]>> = await registry.dirtyBuckets(
        cursor,
        10,
        NOW,
      );
      expect(page.items.length).toBeLessThanOrEqual(10);
      seen.push(...page.items.map(({ bucket }) => bucket));
      cursor = page.cursor;
      // What comes before the cursor has its turn in the next pass.
      await registry.markDirty(bucketOf("b"), NOW);
    } while (cursor !== null);
    expect(seen).toEqual(users.map(bucketOf));
  });

  it("keeps a bucket dirty that told of more since it was read, whatever the clocks say", async () => {
    const registry = await open();
    await registry.markDirty(bucketOf("ann"), NOW);
    const read = await registry.dirtyBucket(bucketOf("ann"));
    if (!read) throw new Error("the bucket is dirty");
    await registry.markDirty(bucketOf("ann"), NOW - 5_000);
    const notes = [{ ...read, outcome: clean }];
    await registry.noteUpkeep(notes, NOW);
    expect(await due(registry)).toEqual([bucketOf("ann")]);
    await note(registry, "ann", clean);
    expect(await due(registry)).toEqual([]);
    await registry.markDirty(bucketOf("ann"), NOW - 9_000);
    await registry.noteUpkeep(notes, NOW);
    expect(await due(registry)).toEqual([bucketOf("ann")]);
  });

  it("[R4] tries a bucket that fails again, later each time, parks it after ten times, and shows it", async () => {
    const registry = await open();
    await registry.markDirty(bucketOf("ann"), NOW);
    await registry.markDirty(bucketOf("bob"), NOW);
    let now = NOW;
    const waits: number[] = [];
    for (let time = 1; time <= 10; time++) {
      const read = await registry.dirtyBucket(bucketOf("ann"));
      const outcome = { kind: "failed", why: `no ${time}` } as const;
      const notes = [{ bucket: bucketOf("ann"), dirtyAt: 0, attempts: 0, ...read, outcome }];
      // A note that comes again counts once.
      await registry.noteUpkeep(notes, now);
      await registry.noteUpkeep(notes, now);
      const [shown] = (await registry.backlog()).troubled;
      expect(shown).toMatchObject({ bucket: bucketOf("ann"), attempts: time, why: `no ${time}` });
      expect(await due(registry, now)).toEqual([bucketOf("bob")]);
      waits.push((shown?.until ?? Infinity) - now);
      now = shown?.until ?? now;
    }
    expect(waits.slice(0, 3)).toEqual([25 * MINUTE, 50 * MINUTE, 100 * MINUTE]);
    expect(waits.slice(7)).toEqual([DAY, DAY, Infinity]);
    expect(await due(registry, now + 1_000 * DAY)).toEqual([bucketOf("bob")]);
    // Its next change gives it one more try, a day later.
    await registry.markDirty(bucketOf("ann"), now);
    expect(await due(registry, now + DAY - 1)).toEqual([bucketOf("bob")]);
    expect(await due(registry, now + DAY)).toEqual([bucketOf("ann"), bucketOf("bob")]);
    await note(registry, "ann", clean);
    expect((await registry.backlog()).troubled).toEqual([]);
    expect(await due(registry, now + DAY)).toEqual([bucketOf("bob")]);
  });

  it("puts off what cannot be done yet, and a day what nobody is responsible for", async () => {
    const registry = await open();
    for (const user of ["ann", "bob", "cy"]) await registry.markDirty(bucketOf(user), NOW);
    await note(registry, "ann", { kind: "later", until: NOW + 5, why: "early" });
    await note(registry, "bob", { kind: "unknown", why: "no agent" });
    await note(registry, "cy", { kind: "gone" });
    expect(await due(registry)).toEqual([]);
    expect(await due(registry, NOW + 5)).toEqual([bucketOf("ann")]);
    expect(await due(registry, NOW + DAY)).toEqual([bucketOf("ann"), bucketOf("bob")]);
    const { troubled } = await registry.backlog();
    expect(troubled).toEqual([
      { bucket: bucketOf("bob"), attempts: 0, why: "no agent", until: NOW + DAY },
    ]);
    const { items } = await registry.buckets(null);
    expect(items.map(({ bucket }) => bucket)).toEqual(["ann", "bob"].map(bucketOf));
  });

  it("looks at a bucket again when something in it will be past its time", async () => {
    const registry = await open();
    await registry.markDirty(bucketOf("ann"), NOW);
    const first = await registry.dirtyBucket(bucketOf("ann"));
    await note(registry, "ann", { kind: "clean", lookAt: NOW + DAY });
    expect(await due(registry, NOW + DAY - 1)).toEqual([]);
    const { items } = await registry.dirtyBuckets(null, 10, NOW + DAY);
    expect(items).toEqual([first]);
    await note(registry, "ann", clean);
    expect(await due(registry, NOW + 9 * DAY)).toEqual([]);
  });

  it("says how much waits, and since when", async () => {
    const registry = await open();
    expect(await registry.backlog()).toEqual({ dirty: 0, since: null, troubled: [] });
    for (const at of [NOW + 7, NOW + 9]) await registry.markDirty(bucketOf("ann"), at);
    await registry.markDirty(bucketOf("bob"), NOW + 8);
    expect(await registry.backlog()).toEqual({ dirty: 2, since: NOW + 7, troubled: [] });
    await note(registry, "ann", clean);
    expect(await registry.backlog()).toEqual({ dirty: 1, since: NOW + 8, troubled: [] });
  });
}

const start: PassPlace = { shard: 0, cursor: null };
const further: PassPlace = { shard: 3, cursor: "k" };

const counts: PassCounts = {
  buckets: 5,
  runs: 2,
  changed: 7,
  removed: 1,
  later: 1,
  failed: 1,
  skipped: 0,
};

/** What the shard that keeps the pass does. */
export function passContract(open: () => Promise<RegistryApi>): void {
  const claim = (registry: RegistryApi, slot: number, holder: string, now = NOW, again = false) =>
    registry.claimPass({ slot, holder, now, again });
  const move = (
    registry: RegistryApi,
    holder: string,
    from: PassPlace,
    to: PassPlace | null,
    now = NOW,
  ) => registry.movePass({ holder, from, to, counts, now });

  it("[R1] gives the pass of a slot to one, and once", async () => {
    const registry = await open();
    const mine = { state: "go", slot: 4, place: start, isNew: true };
    expect(await claim(registry, 4, "a")).toEqual(mine);
    expect(await claim(registry, 4, "a")).toEqual(mine);
    expect(await claim(registry, 4, "b")).toEqual({ state: "busy", until: NOW + 16 * MINUTE });
    expect(await move(registry, "b", start, null)).toBe(false);
    expect(await move(registry, "a", start, null)).toBe(true);
    expect(await claim(registry, 4, "b")).toEqual({ state: "done" });
    expect(await claim(registry, 3, "b")).toEqual({ state: "done" });
    expect(await claim(registry, 4, "b", NOW, true)).toEqual(mine);
    expect(await move(registry, "b", start, null)).toBe(true);
    expect(await claim(registry, 5, "b")).toEqual({ ...mine, slot: 5 });
  });

  it("[R2] goes on where the last one was, also when that one died, and in its slot", async () => {
    const registry = await open();
    await claim(registry, 4, "a");
    expect(await move(registry, "a", start, further, NOW + 10)).toBe(true);
    const until = NOW + 10 + 16 * MINUTE;
    expect(await claim(registry, 5, "b", until - 1)).toEqual({ state: "busy", until });
    const place = { state: "go", slot: 4, place: further, isNew: false };
    expect(await claim(registry, 5, "b", until)).toEqual(place);
    // The one that was thought dead finds out with its next step.
    expect(await move(registry, "a", further, { shard: 9, cursor: null })).toBe(false);
    expect(await claim(registry, 5, "a", until)).toMatchObject({ state: "busy" });
    await registry.leavePass("a");
    expect(await claim(registry, 5, "c", until)).toMatchObject({ state: "busy" });
    await registry.leavePass("b");
    expect(await claim(registry, 5, "c", until)).toEqual(place);
  });

  it("[R1] tells who has begun a pass from who has taken it over, however often they ask", async () => {
    const registry = await open();
    await claim(registry, 4, "a");
    const later = NOW + 16 * MINUTE;
    for (let time = 0; time < 2; time++)
      expect(await claim(registry, 4, "b", later)).toMatchObject({ place: start, isNew: false });
  });

  it("counts a step once, however often it comes", async () => {
    const registry = await open();
    await claim(registry, 4, "a");
    for (let time = 0; time < 2; time++)
      expect(await move(registry, "a", start, further)).toBe(true);
    expect(await move(registry, "a", start, { shard: 1, cursor: null })).toBe(false);
    for (let time = 0; time < 2; time++)
      expect(await move(registry, "a", further, null, NOW + 3)).toBe(true);
    expect(await move(registry, "a", start, { shard: 1, cursor: null })).toBe(false);
    expect(await registry.passes()).toEqual([
      {
        slot: 4,
        startedAt: NOW,
        endedAt: NOW + 3,
        place: further,
        buckets: 10,
        runs: 4,
        changed: 14,
        removed: 2,
        later: 2,
        failed: 2,
        skipped: 0,
      },
    ]);
  });

  it("shows the last 20 passes, the newest first", async () => {
    const registry = await open();
    for (let slot = 1; slot <= 25; slot++) {
      await claim(registry, slot, "a");
      await move(registry, "a", start, null);
    }
    const slots = (await registry.passes()).map(({ slot }) => slot);
    expect(slots).toEqual(Array.from({ length: 20 }, (_, no) => 25 - no));
  });
}
