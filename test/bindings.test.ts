import { describe, expect, it } from "vitest";
import { callBucket, settleTimes, sharedAge, storeKind, storeOf } from "../src/bindings.ts";
import type { Env } from "../src/env.ts";
import { bucketPrefix } from "../src/shared/bucket-key.ts";
import { CarrelError } from "../src/shared/errors.ts";
import type { StorageKey } from "../src/workspace/store/storage-key.ts";

const env = (variables: Readonly<Record<string, unknown>>) => variables as unknown as Env;

describe("the times of a deployment", () => {
  it("have defaults, also for a blank variable", () => {
    for (const given of [env({}), env({ SHARED_AGE_MS: "", SETTLE_QUIET_MS: "" })]) {
      expect(sharedAge(given)).toEqual({ sharedAgeMs: 30_000 });
      expect(settleTimes(given)).toEqual({ quietMs: 10_000, atMostMs: 300_000 });
    }
  });

  it("are what the variables say", () => {
    expect(sharedAge(env({ SHARED_AGE_MS: "0" }))).toEqual({ sharedAgeMs: 0 });
    const times = env({ SETTLE_QUIET_MS: "50", SETTLE_AT_MOST_MS: "86400000" });
    expect(settleTimes(times)).toEqual({ quietMs: 50, atMostMs: 86_400_000 });
  });

  it.each(["-1", "1.5", "1e3", " 5", "30s", "86400001", 30])(
    "refuse %j and name the variable",
    (value) => {
      expect(() => sharedAge(env({ SHARED_AGE_MS: value }))).toThrow(/^SHARED_AGE_MS must be/);
    },
  );
});

const bucket = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });

/** A namespace of objects whose calls fail with these, one after the other, and then answer with the stub's number. */
function objects(failures: readonly unknown[]) {
  const names: string[] = [];
  const getByName = (name: string) => {
    names.push(name);
    const no = names.length;
    const failure = failures[no - 1];
    return { usage: () => (failure ? Promise.reject(failure) : Promise.resolve({ ok: true, no })) };
  };
  const call = () =>
    callBucket(env({ WORKSPACES: { getByName } }))(bucket, (api) => api.usage(bucket));
  return { names, call };
}

const marked = (mark: object) => Object.assign(new Error("from the platform"), mark);

describe("a call of a bucket's object", () => {
  it("is made once when it answers, to the object of that name", async () => {
    const { names, call } = objects([]);
    expect(await call()).toEqual({ ok: true, no: 1 });
    expect(names).toEqual([bucket]);
  });

  it("[W10] that was lost is made once more, on a fresh stub", async () => {
    const { names, call } = objects([marked({ retryable: true })]);
    expect(await call()).toEqual({ ok: true, no: 2 });
    expect(names).toEqual([bucket, bucket]);
  });

  it("that is lost twice throws what the platform said", async () => {
    const lost = [marked({ retryable: true }), marked({ retryable: true })];
    const { names, call } = objects(lost);
    await expect(call()).rejects.toBe(lost[1]);
    expect(names).toHaveLength(2);
  });

  it.each([{ overloaded: true }, { overloaded: true, retryable: true }])(
    "to an object with too much to do, marked %j, is not repeated and says so",
    async (mark) => {
      const { names, call } = objects([marked(mark)]);
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(CarrelError);
      expect(error).toMatchObject({
        code: "overloaded",
        message: expect.stringContaining("Try again"),
      });
      expect(names).toHaveLength(1);
    },
  );

  it.each([new Error("a fault"), marked({ retryable: false }), "not an error"])(
    "throws any other failure as it is: %s",
    async (failure) => {
      const { names, call } = objects([failure]);
      await expect(call()).rejects.toBe(failure);
      expect(names).toHaveLength(1);
    },
  );
});

describe("the store of a deployment", () => {
  const key = "v1/global/files/a" as StorageKey;
  const WORKSPACE = { get: () => Promise.resolve(null) };
  const found = new Uint8Array([7]).buffer;
  const WORKSPACE_KV = {
    getWithMetadata: () => Promise.resolve({ value: found, metadata: null }),
  };

  it.each([
    ["r2", {}],
    ["r2", { STORE: "" }],
    ["r2", { STORE: "r2" }],
    ["kv", { STORE: "kv" }],
  ] as const)("is %s with %j", async (kind, variables) => {
    const given = env({ ...variables, WORKSPACE, WORKSPACE_KV });
    expect(storeKind(given)).toBe(kind);
    const read = await storeOf(given).get(key);
    expect(read?.bytes ?? null).toEqual(kind === "kv" ? new Uint8Array([7]) : null);
  });

  it("names the binding that is missing, and a kind that does not exist", () => {
    expect(() => storeOf(env({ WORKSPACE_KV }))).toThrow("there is no binding WORKSPACE");
    expect(() => storeOf(env({ STORE: "kv", WORKSPACE }))).toThrow("no binding WORKSPACE_KV");
    for (const STORE of ["R2", "s3"])
      expect(() => storeKind(env({ STORE }))).toThrow('STORE must be "r2" or "kv"');
  });
});
