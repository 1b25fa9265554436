import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertStorable } from "../../src/workspace/blob-store.ts";
import { factsOf, metadataOf } from "../../src/workspace/metadata.ts";
import type { StorageKey } from "../../src/workspace/storage-key.ts";

const facts = fc.record({
  version: fc.nat({ max: 999_999_999_999_999 }),
  type: fc.constantFrom("text", "blob", "log", "gone"),
  size: fc.nat({ max: 999_999_999 }),
  executable: fc.boolean(),
  at: fc.nat({ max: 9_999_999_999_999 }),
  author: fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.stringMatching(/^agent:[a-z%"\\]{0,128}\/[é語]{0,10}$/),
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
        const wellFormed = given.author.toWellFormed();
        if (encodeURI(wellFormed).length < 180) expect(author).toBe(wellFormed);
        else expect(wellFormed.startsWith(author) && author.length > 15).toBe(true);
      }),
      { seed: 7, numRuns: 500 },
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
        name === "by" ? expect.objectContaining({ author: "\u00e9" }) : null,
      );
    }
  });
});
