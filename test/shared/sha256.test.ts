import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/shared/sha256.ts";

describe("sha256Hex", () => {
  it.each([0, 1, 1_000])("gives the digest of %i bytes", async (length) => {
    const bytes = Uint8Array.from({ length }, (_, at) => at % 256);
    expect(await sha256Hex(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
  });
});
