import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketPrefix } from "../../../src/shared/bucket-key.ts";
import { utf8Length } from "../../../src/shared/text.ts";
import { storeLimits } from "../../../src/workspace/store/blob-store.ts";
import { workspacePath } from "../../../src/workspace/layers/path.ts";
import {
  type Stored,
  parseStorageKey,
  storageKey,
  storagePrefix,
} from "../../../src/workspace/store/storage-key.ts";
import { buckets } from "../../support/buckets.ts";

const ada = bucketPrefix({ scope: "USER", agent: "main", user: "ada" });
const sha256 = "0123456789abcdef".repeat(4);
const kinds = ["files", "whiteouts", "versions", "segments", "blobs"] as const;

const name = fc.oneof(
  fc.constantFrom(
    ...kinds,
    "sessions",
    "users",
    "shared",
    "0".repeat(16),
    sha256,
    "a..b",
    "~",
    "😀",
  ),
  fc.stringMatching(/^[^/\\\p{C}\p{Zl}\p{Zp}]{1,6}$/u).filter((it) => it !== "." && it !== ".."),
);
const path = fc
  .array(name, { minLength: 1, maxLength: 5 })
  .map((names) => workspacePath(names.join("/")));
const things: fc.Arbitrary<Stored> = fc.oneof(
  fc.record({ kind: fc.constantFrom("files", "whiteouts"), path }),
  fc.record({ kind: fc.constantFrom("versions", "segments"), path, number: fc.maxSafeNat() }),
  fc.record({ kind: fc.constant("blobs"), sha256: fc.stringMatching(/^[0-9a-f]{64}$/) }),
);

describe("storageKey", () => {
  it("shows a file under its own path, and everything else beside the files", () => {
    const at = workspacePath("skills/x/SKILL.md");
    const key = (stored: Stored) => storageKey(ada, stored).slice(ada.length);
    expect(key({ kind: "files", path: at })).toBe("files/skills/x/SKILL.md");
    expect(key({ kind: "whiteouts", path: at })).toBe("whiteouts/skills/x/SKILL.md");
    expect(key({ kind: "versions", path: at, number: 12 })).toBe(
      "versions/skills/x/SKILL.md/0000000000000012",
    );
    expect(key({ kind: "segments", path: at, number: 0 })).toBe(
      "segments/skills/x/SKILL.md/0000000000000000",
    );
    expect(key({ kind: "blobs", sha256 })).toBe(`blobs/${sha256}`);
  });

  it("[I2] can be read back, so different things of a bucket have different keys", () => {
    fc.assert(
      fc.property(buckets, things, (bucket, stored) => {
        const prefix = bucketPrefix(bucket);
        const key = storageKey(prefix, stored);
        expect(parseStorageKey(prefix, key)).toEqual(stored);
        expect(key.startsWith(storagePrefix(prefix, stored.kind))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("[I2] no bucket's listing of a kind shows another bucket or kind, whatever its paths", () => {
    fc.assert(
      fc.property(
        fc.tuple(buckets, fc.constantFrom(...kinds)),
        fc.tuple(buckets, things),
        ([one, kind], [other, stored]) => {
          const [a, b] = [bucketPrefix(one), bucketPrefix(other)];
          fc.pre(a !== b || kind !== stored.kind);
          expect(storageKey(b, stored).startsWith(storagePrefix(a, kind))).toBe(false);
          expect(storagePrefix(a, kind).startsWith(storageKey(b, stored))).toBe(false);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("[I3] a session's bucket and its user's bucket hold different files under one path", () => {
    const session = bucketPrefix({ scope: "SESSION", agent: "main", user: "ada", session: "s" });
    const inSession = storageKey(session, { kind: "files", path: workspacePath("a") });
    const alike = workspacePath("sessions/s/files/a");
    expect(storageKey(ada, { kind: "files", path: alike })).not.toBe(inSession);
    expect(parseStorageKey(ada, inSession)).toBeNull();
  });

  it("is never longer than a store takes", () => {
    const long = "z".repeat(128);
    const bucket = bucketPrefix({ scope: "SESSION", agent: long, user: long, session: long });
    const longest = workspacePath("😀".repeat(128));
    const number = Number.MAX_SAFE_INTEGER;
    for (const kind of ["versions", "segments"] as const) {
      const key = storageKey(bucket, { kind, path: longest, number });
      expect(utf8Length(key)).toBeLessThanOrEqual(storeLimits.keyBytes);
    }
    const key = storageKey(bucket, { kind: "whiteouts", path: longest });
    expect(utf8Length(key)).toBeLessThanOrEqual(storeLimits.keyBytes);
  });

  it("is not made for the root, a number that is none, or anything but a digest", () => {
    const at = workspacePath("a");
    for (const stored of [
      { kind: "files", path: workspacePath("") },
      { kind: "versions", path: workspacePath(""), number: 1 },
      { kind: "versions", path: at, number: -1 },
      { kind: "segments", path: at, number: 1.5 },
      { kind: "segments", path: at, number: Number.NaN },
      { kind: "blobs", sha256: "../x" },
      { kind: "blobs", sha256: sha256.toUpperCase() },
    ] as const)
      expect(() => storageKey(ada, stored)).toThrow();
  });

  it.each([
    "files/",
    "files",
    "files//a",
    "files/a/",
    "files/./a",
    "files/../a",
    "files/a\\b",
    "other/a",
    "a",
    "",
    "blobs/x",
    `blobs/${sha256}/x`,
    "versions/a",
    "versions/a/1",
    "versions/0000000000000001",
    "versions/a/9999999999999999",
    "sessions/s/files/a",
  ])("%j behind a bucket's key stands for nothing", (rest) => {
    expect(parseStorageKey(ada, `${ada}${rest}`)).toBeNull();
  });
});
