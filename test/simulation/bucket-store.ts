import { createHash } from "node:crypto";
import type { Clock } from "../../src/shared/clock.ts";
import type { BlobStore } from "../../src/workspace/store/blob-store.ts";
import { withWriteRate } from "../support/faulty-store.ts";
import { createMemoryStore } from "../support/memory-store.ts";

type Later = { readonly at: number; readonly act: () => Promise<unknown> };

/** Time in which calls that were lost may still act; whoever sleeps lets them. */
export class BucketClock implements Clock {
  #now = 1_000;
  #later: Later[] = [];

  now(): number {
    return this.#now;
  }

  later(ms: number, act: () => Promise<unknown>): void {
    this.#later.push({ at: this.#now + ms, act });
  }

  async sleep(ms: number): Promise<void> {
    const end = this.#now + Math.ceil(ms);
    for (;;) {
      const next = this.#later.toSorted((a, b) => a.at - b.at)[0];
      if (!next || next.at > end) break;
      this.#later = this.#later.filter((other) => other !== next);
      this.#now = Math.max(this.#now, next.at);
      await next.act();
    }
    this.#now = end;
  }
}

/** As R2 does it: the tag is a digest of the bytes, so that old bytes have their old tag again. */
export function digestTags(inner: BlobStore): BlobStore {
  const tagOf = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");
  return {
    ...inner,
    async get(key) {
      const found = await inner.get(key);
      return found && { ...found, tag: tagOf(found.bytes) };
    },
    async put(key, bytes, { metadata = {}, onlyIf } = {}) {
      const found = onlyIf ? await inner.get(key) : null;
      const holds = onlyIf === "absent" ? !found : found && tagOf(found.bytes) === onlyIf?.tag;
      if (onlyIf && !holds) return { kind: "conflict" };
      await inner.put(key, bytes, { metadata });
      return { kind: "stored", tag: tagOf(bytes) };
    },
  };
}

export type Chaos = {
  readonly random: () => number;
  readonly clock: BucketClock;
  /** Nothing goes wrong any more. */
  isOver: boolean;
  /** What others do while a call is under way. */
  meanwhile: () => Promise<void>;
};

/** What is stored, and a store over it that refuses, fails, loses replies, is late, and lets others go first. */
export function chaoticStore(chaos: Chaos): {
  readonly inner: BlobStore;
  readonly store: BlobStore;
} {
  const { random, clock } = chaos;
  const inner = digestTags(createMemoryStore());
  const limited = withWriteRate(inner, clock);
  const call = async <Answer>(isWrite: boolean, act: () => Promise<Answer>): Promise<Answer> => {
    if (chaos.isOver) return act();
    const fault = random();
    if (random() < 0.2) await chaos.meanwhile();
    if (fault < 0.08) throw new Error("503 before");
    if (isWrite && fault < 0.16) {
      await act();
      throw new Error("503 after");
    }
    if (isWrite && fault < 0.24) {
      clock.later(random() * 50_000, () => act().catch(() => {}));
      throw new Error("503 late");
    }
    const answer = await act();
    if (random() < 0.2) await chaos.meanwhile();
    return answer;
  };
  const store: BlobStore = {
    get: (key) => call(false, () => limited.get(key)),
    put: (key, bytes, options) => call(true, () => limited.put(key, bytes, options)),
    delete: (keys) => call(true, () => limited.delete(keys)),
    list: (...asked) => call(false, () => limited.list(...asked)),
  };
  return { inner, store };
}
