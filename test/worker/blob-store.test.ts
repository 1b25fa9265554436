import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { StoreBusyError, StoredTooLargeError } from "../../src/workspace/store/blob-store.ts";
import { createKvStore } from "../../src/workspace/store/kv-store.ts";
import { createR2Store } from "../../src/workspace/store/r2-store.ts";
import type { StorageKey } from "../../src/workspace/store/storage-key.ts";
import { blobStoreContract, manyKeysContract } from "../contracts/blob-store-contract.ts";
import { blobStoreFaultContract } from "../contracts/blob-store-fault-contract.ts";
import { utf8 } from "../contracts/blob-store-places.ts";

declare global {
  namespace Cloudflare {
    interface Env {
      readonly WORKSPACE: R2Bucket;
      readonly WORKSPACE_KV: KVNamespace;
    }
  }
}

const key = "v1/global/files/a" as StorageKey;

describe("R2 behind the store's port", () => {
  const open = () => Promise.resolve(createR2Store(env.WORKSPACE));
  blobStoreContract(open, { isAtomic: true });
  blobStoreFaultContract(open, { isAtomic: true });
  manyKeysContract(open);

  it("says busy for the error code of HTTP 429, and throws every other error as it is", async () => {
    const busy = new Error("put: Reduce your concurrent request rate for the same object. (10058)");
    const broken = new Error("put: We encountered an internal error. (10001)");
    const refused = createR2Store(failing(env.WORKSPACE, busy)).put(key, utf8("a"));
    await expect(refused).rejects.toBeInstanceOf(StoreBusyError);
    await expect(refused).rejects.toMatchObject({ retryAfterMs: 1_000, cause: busy });
    await expect(createR2Store(failing(env.WORKSPACE, broken)).get(key)).rejects.toBe(broken);
  });

  it("[W10] what is larger than a value may be is not loaded, and can be written over", async () => {
    const store = createR2Store(env.WORKSPACE);
    const large = "large/a" as StorageKey;
    const object = await env.WORKSPACE.put(large, new Uint8Array(26 * 1024 * 1024));
    const { etag, size } = object ?? { etag: "", size: 0 };
    expect((await store.list("large/")).entries).toMatchObject([{ key: large, size }]);
    const error = await store.get(large).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoredTooLargeError);
    expect(error).toMatchObject({ code: "too_large", tag: etag });
    const over = await store.put(large, utf8("a"), { onlyIf: { tag: etag } });
    expect(over.kind).toBe("stored");
    expect(await store.get(large)).toMatchObject({ bytes: utf8("a") });
  });

  it("[W10] a put that R2 answers with nothing is a failure", async () => {
    const bucket = {
      ...failing(env.WORKSPACE, new Error("unused")),
      put: () => Promise.resolve(null),
    };
    const put = createR2Store(bucket as unknown as R2Bucket).put(key, utf8("a"));
    await expect(put).rejects.toThrow(/did not store/);
  });
});

describe("KV behind the store's port", () => {
  const open = () => Promise.resolve(createKvStore(env.WORKSPACE_KV));
  blobStoreContract(open, { isAtomic: false });
  blobStoreFaultContract(open, { isAtomic: false });
  manyKeysContract(open);

  it("says busy for HTTP 429, and throws every other error as it is", async () => {
    const busy = new Error("KV PUT failed: 429 Too Many Requests");
    const broken = new Error("KV GET failed: 500 Internal Server Error");
    const refused = createKvStore(failing(env.WORKSPACE_KV, busy)).put(key, utf8("a"));
    await expect(refused).rejects.toBeInstanceOf(StoreBusyError);
    await expect(createKvStore(failing(env.WORKSPACE_KV, broken)).get(key)).rejects.toBe(broken);
  });

  it("reads what was put by hand, whatever its metadata, and lists no long key that it cannot know", async () => {
    const store = createKvStore(env.WORKSPACE_KV);
    await env.WORKSPACE_KV.put("hand/a", "text");
    await env.WORKSPACE_KV.put("hand/b", "text", { metadata: { version: 1 } });
    expect(await store.get("hand/b" as StorageKey)).toMatchObject({
      bytes: utf8("text"),
      metadata: {},
    });
    expect((await store.list("hand/")).entries).toEqual([
      { key: "hand/a", metadata: {} },
      { key: "hand/b", metadata: {} },
    ]);
    await env.WORKSPACE_KV.put(`hand/${"x".repeat(500)}`, "text");
    const told: unknown[] = [];
    const telling = createKvStore(
      env.WORKSPACE_KV,
      (_, event, facts) => void told.push([event, facts.key]),
    );
    const keys = (await telling.list("hand/")).entries.map((entry) => entry.key);
    expect(keys).toEqual(["hand/a", "hand/b"]);
    expect(told).toEqual([["workspace.left_outside", `hand/${"x".repeat(500)}`]]);
  });
});

/** The same binding, but each call fails. */
function failing<Binding extends object>(binding: Binding, error: Error): Binding {
  return new Proxy(binding, { get: () => () => Promise.reject(error) });
}
