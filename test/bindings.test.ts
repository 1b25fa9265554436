import { describe, expect, it } from "vitest";
import { settleTimes, sharedAge } from "../src/bindings.ts";
import type { Env } from "../src/env.ts";

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
