import type { Clock } from "../../src/shared/clock.ts";
import { StoreBusyError } from "../../src/workspace/store/blob-store.ts";
import type { BlobStore } from "../../src/workspace/store/blob-store.ts";
import type { StorageKey } from "../../src/workspace/store/storage-key.ts";
import { seededRandom } from "./random.ts";

/**
 * `busy`: a key that was written within the last second is refused. `unavailable`: fails before it does anything.
 * `slow`: takes up to 5 s before and after it acts. `lost-reply`: a write acts and then fails. `late`: a write
 * fails and acts up to 5 s later.
 */
export type Fault = "busy" | "unavailable" | "slow" | "lost-reply" | "late";

/** What goes wrong with a call; `null` for nothing. */
export type ChooseFault = (verb: keyof BlobStore, key: string) => Exclude<Fault, "busy"> | null;

export type FaultyStore = BlobStore & {
  /** Resolves when no write is still to come. */
  readonly quiet: () => Promise<void>;
};

/** A store with these faults, the same for the same seed: at random, but at most two in a row for the same call. */
export function faultyStore(
  inner: BlobStore,
  clock: Clock,
  seed: number,
  ...faults: readonly Fault[]
): FaultyStore {
  const random = seededRandom(seed);
  const others = faults.filter((fault) => fault !== "busy");
  const inARow = new Map<string, number>();
  const choose: ChooseFault = (verb, key) => {
    const call = `${verb} ${key}`;
    const before = inARow.get(call) ?? 0;
    const fault =
      before < 2 && random() < 0.4 ? others[Math.floor(random() * others.length)] : null;
    inARow.set(call, fault ? before + 1 : 0);
    return fault ?? null;
  };
  const limited = faults.includes("busy") ? withWriteRate(inner, clock) : inner;
  return withFaults(limited, clock, choose, random);
}

/** Refuses what R2 and KV refuse, and their local simulators do not: a second write of a key within a second. */
export function withWriteRate(inner: BlobStore, clock: Clock): BlobStore {
  const free = new Map<StorageKey, number>();
  const claim = (keys: readonly StorageKey[]) => {
    const now = clock.now();
    const wait = Math.max(0, ...keys.map((key) => (free.get(key) ?? 0) - now));
    if (wait > 0) throw new StoreBusyError(wait);
    for (const key of keys) free.set(key, now + 1_000);
  };
  return {
    get: (key) => inner.get(key),
    list: (...asked) => inner.list(...asked),
    async put(key, bytes, options) {
      claim([key]);
      return inner.put(key, bytes, options);
    },
    async delete(keys) {
      claim(keys);
      return inner.delete(keys);
    },
  };
}

/** Lets `choose` decide what goes wrong. `random` says how slow is slow; it defaults to as slow as can be. */
export function withFaults(
  inner: BlobStore,
  clock: Clock,
  choose: ChooseFault,
  random: () => number = () => 1,
): FaultyStore {
  const late = new Set<Promise<unknown>>();
  const someTime = () => clock.sleep(Math.ceil(random() * 5_000));
  const failure = (what: string) => new Error(`the store failed: ${what} (503)`);

  const run = async <Answer>(
    verb: keyof BlobStore,
    key: string,
    act: () => Promise<Answer>,
  ): Promise<Answer> => {
    const isWrite = verb === "put" || verb === "delete";
    const fault = choose(verb, key);
    if (fault === null) return act();
    if (fault === "slow") {
      await someTime();
      const answer = await act();
      await someTime();
      return answer;
    }
    if (fault === "lost-reply" && isWrite) await act();
    if (fault === "late" && isWrite) {
      const work = someTime().then(act);
      late.add(work);
    }
    throw failure(fault);
  };

  return {
    get: (key) => run("get", key, () => inner.get(key)),
    put: (key, bytes, options) => run("put", key, () => inner.put(key, bytes, options)),
    delete: (keys) => run("delete", keys.join(), () => inner.delete(keys)),
    list: (prefix, ...page) => run("list", prefix, () => inner.list(prefix, ...page)),
    quiet: async () => {
      await Promise.all(late);
    },
  };
}
