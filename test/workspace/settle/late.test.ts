import { describe, expect, it } from "vitest";
import type { StorageKey } from "../../../src/workspace/store/storage-key.ts";
import { HastyClock } from "../../support/hasty-clock.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { openDatabase } from "../../support/node-sql.ts";
import { BUCKET } from "../../support/bucket-parts.ts";
import { runOut, settledBucket } from "../../support/settled-bucket.ts";

const textAt = async (store: ReturnType<typeof createMemoryStore>, name: string) => {
  const found = await store.get(`${BUCKET}${name}` as StorageKey);
  return found && new TextDecoder().decode(found.bytes);
};

describe("a call that comes late", () => {
  it("[W10] on a store whose tags are digests, an older put that comes late is found and put right", async () => {
    const inner = createMemoryStore();
    const tags = new Map<string, string>();
    const digest = (bytes: Uint8Array) => `d${Buffer.from(bytes).toString("hex")}`;
    const late: (() => Promise<unknown>)[] = [];
    let isLate = false;
    const store: typeof inner = {
      ...inner,
      async put(name, bytes, options = {}) {
        const { onlyIf } = options;
        const act = async () => {
          const found = await inner.get(name);
          const holds = onlyIf === "absent" ? !found : found && digest(found.bytes) === onlyIf?.tag;
          if (!holds) return { kind: "conflict" } as const;
          await inner.put(name, bytes, { metadata: options.metadata ?? {} });
          tags.set(name, digest(bytes));
          return { kind: "stored", tag: digest(bytes) } as const;
        };
        if (!isLate) return act();
        isLate = false;
        late.push(act);
        throw new Error("no answer");
      },
      async get(name) {
        const found = await inner.get(name);
        return found && { ...found, tag: digest(found.bytes) };
      },
    };
    const bucket = settledBucket({ store });
    await bucket.write("a", "first");
    await runOut(bucket.settler, bucket.clock);
    await bucket.write("a", "second");
    isLate = true;
    await bucket.clock.sleep(10_000);
    await bucket.settler.run();
    await bucket.write("a", "first");
    await bucket.clock.sleep(10_000);
    await bucket.settler.run();
    for (const act of late) await act();
    expect(await textAt(inner, "files/a")).toBe("second");
    await runOut(bucket.settler, bucket.clock);
    expect(await textAt(inner, "files/a")).toBe("first");
  });

  it("[W10] a file whose first put comes late after it was deleted does not come back", async () => {
    const inner = createMemoryStore();
    const late: (() => Promise<unknown>)[] = [];
    let isLate = true;
    const store: typeof inner = {
      ...inner,
      async put(...asked) {
        if (!isLate) return inner.put(...asked);
        isLate = false;
        late.push(() => inner.put(...asked));
        throw new Error("no answer");
      },
    };
    const bucket = settledBucket({ store });
    await bucket.write("a", "text");
    await bucket.clock.sleep(10_000);
    await bucket.settler.run();
    await bucket.change({ kind: "delete", path: "a" });
    await bucket.clock.sleep(10_000);
    await bucket.settler.run();
    expect(bucket.rows.files.size).toBe(0);
    for (const act of late) await act();
    expect(await textAt(inner, "files/a")).toBe("text");
    await runOut(bucket.settler, bucket.clock);
    expect(await textAt(inner, "files/a")).toBeNull();
  });

  it("[W11] a put that was under way in a crash and comes late does not undo what came after", async () => {
    const inner = createMemoryStore();
    const database = openDatabase();
    const clock = new HastyClock();
    let late: (() => Promise<unknown>) | null = null;
    const hanging: typeof inner = {
      ...inner,
      put: (...asked) =>
        new Promise(() => {
          late = () => inner.put(...asked);
        }),
    };
    const first = settledBucket({ store: hanging, clock, database });
    await first.write("a", "text");
    await clock.sleep(10_000);
    void first.settler.run();
    while (late === null) await new Promise((resolve) => setTimeout(resolve, 0));

    const second = settledBucket({ store: inner, clock, database });
    await second.change({ kind: "delete", path: "a" });
    await clock.sleep(10_000);
    await second.settler.run();
    expect(second.rows.files.size).toBe(0);
    await (late as () => Promise<unknown>)();
    expect(await textAt(inner, "files/a")).toBe("text");
    await runOut(second.settler, clock);
    expect(await textAt(inner, "files/a")).toBeNull();
  });
});
