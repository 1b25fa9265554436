import { describe, expect, it } from "vitest";
import { retryDelay } from "../../src/model/retry.ts";
import { CarrelError, ModelError, type ModelErrorCode } from "../../src/shared/errors.ts";

const busy = (retryAfterMs: number | null = null) =>
  new ModelError("rate_limited", "Busy.", { retryAfterMs });
const at = (share: number) => ({ random: () => share });

describe("retryDelay", () => {
  it.each<[ModelErrorCode, boolean]>([
    ["rate_limited", true],
    ["unavailable", true],
    ["stalled", true],
    ["malformed", true],
    ["context_overflow", false],
    ["model_auth", false],
    ["model_bad_request", false],
    ["model_not_configured", false],
    ["model_not_found", false],
    ["model_quota", false],
    ["model_refused", false],
  ])("of %s: waits %s", (code, isWorthIt) => {
    expect(retryDelay(new ModelError(code, "x"), 1, at(0))).toBe(isWorthIt ? 2_000 : null);
  });

  it("gives up on everything that is no failure of a model", () => {
    for (const error of [new Error("x"), new CarrelError("unavailable", "x"), undefined, "x"]) {
      expect(retryDelay(error, 1)).toBeNull();
    }
  });

  it("gives up after the last attempt", () => {
    expect([1, 2, 3, 4].map((n) => retryDelay(busy(), n, at(0)))).toEqual([
      2_000,
      2_000,
      null,
      null,
    ]);
    expect(retryDelay(busy(), 1, { attempts: 1 })).toBeNull();
  });

  it("spreads waits between the shortest and a bound that doubles up to the longest", () => {
    const longest = [1, 2, 3, 4, 5, 9].map((n) =>
      retryDelay(busy(), n, { ...at(1), attempts: 10 }),
    );
    expect(longest).toEqual([4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(retryDelay(busy(), 1, { minDelayMs: 500, maxDelayMs: 100, ...at(1) })).toBe(500);
  });

  it("waits as long as the provider asks, but not longer than a minute", () => {
    expect(retryDelay(busy(45_000), 1, at(0))).toBe(45_000);
    expect(retryDelay(busy(60_000), 1, at(0))).toBe(60_000);
    expect(retryDelay(busy(60_001), 1, at(0))).toBeNull();
    expect(retryDelay(busy(10), 1, at(0.5))).toBe(3_000);
  });
});
