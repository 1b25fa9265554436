import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertStorable } from "../../../src/workspace/store/blob-store.ts";
import { factsOf, metadataOf } from "../../../src/workspace/store/metadata.ts";
import type { StorageKey } from "../../../src/workspace/store/storage-key.ts";

const facts = fc.record({
  version: fc.nat({ max: 999_999_999_999_999 }),
  type: fc.constantFrom("text", "blob", "log", "gone"),
  size: fc.nat({ max: 999_999_999 }),
  executable: fc.boolean(),
  at: fc.nat({ max: 9_999_999_999_999 }),
  author: fc.oneof(
    fc.constant("outside"),
    fc.stringMatching(/^(user|job):[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
    fc.stringMatching(/^agent:[A-Za-z0-9][A-Za-z0-9._-]{0,127}\/[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
  ),
  sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
  lines: fc.nat(),
});

describe("metadata", () => {
  it("[W11] says everything in what every store can keep; of a long author the beginning", () => {
    fc.assert(
      fc.property(facts, (given) => {
        const metadata = metadataOf(given);
        assertStorable("k" as StorageKey, new Uint8Array(), metadata);
        const found = factsOf(metadata);
        const author = found?.author ?? "";
        expect(found).toEqual({ ...given, author });
        if (given.author.length < 180) expect(author).toBe(given.author);
        else expect(given.author.startsWith(author) && author.length > 150).toBe(true);
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  it("[W15] names as author only who can write here, whatever metadata says", () => {
    const given = { type: "text", executable: false, sha256: "0".repeat(64), lines: 0 } as const;
    const readBack = (author: string) =>
      factsOf(metadataOf({ ...given, version: 1, size: 1, at: 1, author }))?.author;
    for (const author of ["user:ann", "agent:main/s1", "job:session-log", "outside"])
      expect(readBack(author)).toBe(author);
    for (const author of [
      "",
      "Zo\u00eb \u2603",
      "root",
      "user:",
      "user:a b",
      "user:\u00e9",
      "admin:x",
      "user:a\r\nb",
    ])
      expect(readBack(author)).toBe("outside");
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (author) => {
        expect(readBack(author)).toMatch(/^(outside|(user|agent|job):[!-~]+)$/);
      }),
      { seed: 8, numRuns: 300 },
    );
  });

  it("what was put by hand, or is no more than a part of it, is not ours", () => {
    const whole = metadataOf({
      version: 1,
      type: "text",
      size: 1,
      executable: false,
      at: 1,
      author: "user:ann",
      sha256: "0".repeat(64),
      lines: 0,
    });
    expect(factsOf({})).toBeNull();
    for (const name of ["version", "size", "sha256", "at", "by"]) {
      const { [name]: _, ...rest } = whole;
      expect(factsOf(rest), name).toBeNull();
      expect(factsOf({ ...whole, [name]: "\u00e9" }), name).toEqual(
        name === "by" ? expect.objectContaining({ author: "outside" }) : null,
      );
    }
  });
});
