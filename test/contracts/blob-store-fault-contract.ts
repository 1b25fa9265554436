import { describe, expect, it } from "vitest";
import { StoreBusyError } from "../../src/workspace/store/blob-store.ts";
import type { BlobStore } from "../../src/workspace/store/blob-store.ts";
import { withRetries } from "../../src/workspace/store/retrying-store.ts";
import { type Fault, faultyStore, withFaults, withWriteRate } from "../support/faulty-store.ts";
import { HastyClock } from "../support/hasty-clock.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { type StoreTraits, blobStoreContract } from "./blob-store-contract.ts";
import { placesIn, tagOf, utf8 } from "./blob-store-places.ts";

const seeded: readonly (readonly Fault[])[] = [
  ["busy"],
  ["unavailable"],
  ["slow"],
  ["lost-reply"],
  ["busy", "unavailable", "slow", "lost-reply"],
];

/**
 * What a caller may observe while a store fails: the whole contract through `withRetries`, whatever the fault;
 * and, without it, for each fault the least that holds.
 */
export function blobStoreFaultContract(open: () => Promise<BlobStore>, traits: StoreTraits): void {
  for (const [seed, faults] of seeded.entries()) {
    const patient = async () => {
      const clock = new HastyClock();
      // With faults of two kinds, five tries are sometimes not enough.
      return withRetries(faultyStore(await open(), clock, seed, ...faults), clock, 8);
    };
    blobStoreContract(patient, traits, faults.join("-"));
  }
  describe("a store that fails", () => observations(open));
}

function observations(open: () => Promise<BlobStore>): void {
  const place = placesIn(open, "observed");
  const [one, two] = [utf8("one"), utf8("two")];

  it("[W10] busy: nothing changed, and after the wait it asks for it stores", async () => {
    const { store: inner, key } = place();
    const clock = new ManualClock();
    const store = withWriteRate(inner, clock);
    await store.put(key("a"), one);
    await clock.pass(400);
    const refused = await store.put(key("a"), two).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreBusyError);
    expect(refused).toMatchObject({ code: "overloaded", retryAfterMs: 600 });
    await expect(store.delete([key("b"), key("a")])).rejects.toBeInstanceOf(StoreBusyError);
    expect((await store.get(key("a")))?.bytes).toEqual(one);
    await clock.pass(600);
    tagOf(await store.put(key("a"), two));
    expect((await store.get(key("a")))?.bytes).toEqual(two);
  });

  it("[W12] unavailable: reading throws and is never empty; nothing was written", async () => {
    const { store: inner, key, prefix } = place();
    await inner.put(key("a"), one);
    const store = withFaults(inner, new HastyClock(), () => "unavailable");
    await expect(store.get(key("a"))).rejects.toThrow(/503/);
    await expect(store.get(key("none"))).rejects.toThrow(/503/);
    await expect(store.list(prefix)).rejects.toThrow(/503/);
    await expect(store.put(key("a"), two)).rejects.toThrow(/503/);
    await expect(store.delete([key("a")])).rejects.toThrow(/503/);
    expect((await inner.get(key("a")))?.bytes).toEqual(one);
  });

  it("[W10] lost reply: it happened, the same call again is safe, and with retries it counts as stored", async () => {
    const { store: inner, key } = place();
    const tag = tagOf(await inner.put(key("a"), one));
    const change = { metadata: { version: "2" }, onlyIf: { tag } };
    const store = withFaults(inner, new HastyClock(), () => "lost-reply");
    await expect(store.put(key("a"), two, change)).rejects.toThrow(/503/);
    const found = await inner.get(key("a"));
    expect(found).toMatchObject({ bytes: two, metadata: { version: "2" } });
    expect(await inner.put(key("a"), two, change)).toEqual({ kind: "conflict" });

    let writes = 0;
    const once = withFaults(inner, new HastyClock(), (verb) =>
      verb === "put" && (writes += 1) === 1 ? "lost-reply" : null,
    );
    const third = { metadata: { version: "3" }, onlyIf: { tag: found?.tag ?? "" } };
    const outcome = await withRetries(once, new HastyClock()).put(key("a"), one, third);
    expect(outcome).toEqual({ kind: "stored", tag: (await inner.get(key("a")))?.tag });
    expect(writes).toBe(2);
  });

  it("[W10] slow: what resolved is seen", async () => {
    const { store: inner, key } = place();
    const clock = new ManualClock();
    const store = withFaults(inner, clock, (verb) => (verb === "put" ? "slow" : null));
    const putting = store.put(key("a"), one);
    await clock.pass(4_999);
    expect(await store.get(key("a"))).toBeNull();
    await clock.pass(1);
    await whenAsleep(clock);
    await clock.pass(5_000);
    tagOf(await putting);
    expect((await store.get(key("a")))?.bytes).toEqual(one);
  });

  it("[W10] late: a put over a tag that failed and comes later does not undo a newer one", async () => {
    const { store: inner, key } = place();
    const clock = new ManualClock();
    const tag = tagOf(await inner.put(key("a"), utf8("zero")));
    const store = withFaults(inner, clock, () => "late");
    await expect(store.put(key("a"), one, { onlyIf: { tag } })).rejects.toThrow(/503/);
    tagOf(await inner.put(key("a"), two, { onlyIf: { tag } }));
    await clock.pass(5_000);
    await store.quiet();
    expect((await inner.get(key("a")))?.bytes).toEqual(two);
  });
}

/** A put of a real store takes real time before its caller sleeps again. */
async function whenAsleep(clock: ManualClock): Promise<void> {
  while (clock.sleeping === 0) await clock.pass(0);
}
