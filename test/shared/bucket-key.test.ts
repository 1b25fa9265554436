import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketPrefix, parseBucketKey } from "../../src/shared/bucket-key.ts";
import { CarrelError } from "../../src/shared/errors.ts";
import { sessionKey } from "../../src/shared/ids.ts";
import { buckets } from "../support/buckets.ts";

describe("bucketPrefix", () => {
  it("is what the design says", () => {
    const [agent, user, session] = ["main", "ada", "s1"];
    expect(bucketPrefix({ scope: "SESSION", agent, user, session })).toBe(
      "v1/agents/main/users/ada/sessions/s1/",
    );
    expect(bucketPrefix({ scope: "USER", agent, user })).toBe("v1/agents/main/users/ada/");
    expect(bucketPrefix({ scope: "AGENT", agent })).toBe("v1/agents/main/shared/");
    expect(bucketPrefix({ scope: "GLOBAL" })).toBe("v1/global/");
  });

  it("names a session's bucket as everything else of that session is named", () => {
    const address = { agent: "main", user: "ada", session: "s1" };
    expect(bucketPrefix({ scope: "SESSION", ...address })).toBe(sessionKey(address));
  });

  it.each([
    "",
    ".",
    "..",
    "a/b",
    "a%2Fb",
    "a\\b",
    " a",
    "a\n",
    "é",
    "_default",
    "-a",
    "a".repeat(129),
    "\0",
  ])("[I2] refuses the id %j wherever it stands", (bad) => {
    const ids = { agent: "a", user: "b", session: "c" };
    for (const bucket of [
      { scope: "SESSION", ...ids, agent: bad },
      { scope: "SESSION", ...ids, user: bad },
      { scope: "SESSION", ...ids, session: bad },
      { scope: "USER", ...ids, user: bad },
      { scope: "USER", ...ids, agent: bad },
      { scope: "AGENT", ...ids, agent: bad },
    ] as const)
      expect(() => bucketPrefix(bucket)).toThrow(CarrelError);
  });

  it("[I2] can be read back, so different buckets have different keys", () => {
    fc.assert(
      fc.property(buckets, (bucket) => {
        expect(parseBucketKey(bucketPrefix(bucket))).toEqual(bucket);
      }),
      { numRuns: 1_000 },
    );
  });

  it("[I2] begins another bucket's key only from a user to the same user's session", () => {
    fc.assert(
      fc.property(buckets, buckets, (one, other) => {
        fc.pre(bucketPrefix(one) !== bucketPrefix(other));
        const isPrefix = bucketPrefix(other).startsWith(bucketPrefix(one));
        const isOwnSession =
          one.scope === "USER" &&
          other.scope === "SESSION" &&
          one.agent === other.agent &&
          one.user === other.user;
        expect(isPrefix).toBe(isOwnSession);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    undefined,
    "",
    "v1/global",
    "v2/global/",
    "v1/global/files/",
    "v1/agents/a/shared",
    "v1/agents//shared/",
    "v1/agents/a/shared/x/",
    "v1/agents/a/users/",
    "v1/agents/a/users/b/files/",
    "v1/agents/a/users/b/sessions//",
    "v1/agents/a/users/b/sessions/c/d/",
    "v1/agents/../users/b/",
  ])("[I2] refuses to read %j", (key) => {
    expect(() => parseBucketKey(key)).toThrow();
  });
});
