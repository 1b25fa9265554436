import { describe, expect, it } from "vitest";
import { StoreBusyError } from "../../../src/workspace/store/blob-store.ts";
import type { BlobStore } from "../../../src/workspace/store/blob-store.ts";
import { withRetries } from "../../../src/workspace/store/retrying-store.ts";
import type { StorageKey } from "../../../src/workspace/store/storage-key.ts";
import { HastyClock } from "../../support/hasty-clock.ts";
import { createMemoryStore } from "../../support/memory-store.ts";

const key = "v1/global/files/a" as StorageKey;
const bytes = new Uint8Array([1, 2]);

/** A patient store whose first puts fail with these errors, and how long its callers waited. */
function patientStore(...errors: readonly Error[]) {
  const inner = createMemoryStore();
  const clock = new HastyClock();
  const left = [...errors];
  const failing: BlobStore = {
    ...inner,
    put: (...asked) => {
      const error = left.shift();
      return error ? Promise.reject(error) : inner.put(...asked);
    },
  };
  return { store: withRetries(failing, clock), inner, waited: () => clock.now() };
}

const broken = (times: number) => Array.from({ length: times }, (_, at) => new Error(`no ${at}`));

describe("withRetries", () => {
  it("[W10] tries five times, waiting longer each time, and then throws the last error", async () => {
    const enough = patientStore(...broken(4));
    expect((await enough.store.put(key, bytes)).kind).toBe("stored");
    expect(enough.waited()).toBe(100 + 300 + 900 + 2_700);
    await expect(patientStore(...broken(5)).store.put(key, bytes)).rejects.toThrow("no 4");
  });

  it("[W10] waits as long as a busy store asks for", async () => {
    const { store, waited } = patientStore(new StoreBusyError(1_000), new StoreBusyError(50));
    await store.put(key, bytes);
    expect(waited()).toBe(1_000 + 300);
  });

  it("throws misuse at once", async () => {
    const { store, waited } = patientStore(new RangeError("too long"));
    await expect(store.put(key, bytes)).rejects.toThrow("too long");
    expect(waited()).toBe(0);
  });

  it("a conflict is a conflict, also with the same bytes, unless an attempt of its own may have stored them", async () => {
    const onlyIf = "absent";
    for (const [error, kind] of [
      [[], "conflict"],
      [[new StoreBusyError(1)], "conflict"],
      [[new Error("lost")], "stored"],
    ] as const) {
      const { store, inner } = patientStore(...error);
      await inner.put(key, bytes, { metadata: { version: "1", by: "a" } });
      const again = await store.put(key, bytes, { metadata: { by: "a", version: "1" }, onlyIf });
      expect(again.kind).toBe(kind);
    }
  });

  it.each([
    [new Uint8Array([1, 3]), { version: "1" }],
    [new Uint8Array([1]), { version: "1" }],
    [bytes, { version: "2" }],
    [bytes, {}],
  ])(
    "after a failure, other bytes or metadata (%o, %o) are a conflict",
    async (others, metadata) => {
      const { store, inner } = patientStore(...broken(1));
      await inner.put(key, others, { metadata });
      const outcome = await store.put(key, bytes, { metadata: { version: "1" }, onlyIf: "absent" });
      expect(outcome).toEqual({ kind: "conflict" });
    },
  );
});
