import { describe, expect, it } from "vitest";
import { workspaceLimits, type Env, maintenanceCalls } from "../src/env.ts";
import { defaultBucketLimits } from "../src/workspace/limits.ts";

const limitsOf = (value: unknown) => workspaceLimits({ WORKSPACE_LIMITS: value } as unknown as Env);

const MIB = 1024 * 1024;

describe("WORKSPACE_LIMITS", () => {
  it.each([undefined, "", "  ", "{}"])("set to %j leaves the defaults", (value) => {
    expect(limitsOf(value)).toEqual(defaultBucketLimits);
  });

  it("sets what it names, up to what rows and stores bear, and leaves the rest", () => {
    expect(limitsOf('{"files": 3, "versions": 1}')).toEqual({
      ...defaultBucketLimits,
      files: 3,
      versions: 1,
    });
    const most = {
      files: 20_000,
      bytes: 1024 * MIB,
      textBytes: 1.5 * MIB,
      blobBytes: 25 * MIB,
      logs: 20_000,
      logBytes: 1024 * MIB,
      versions: 1_000,
      versionRows: 100_000,
      versionBytes: 1024 * MIB,
    };
    expect(limitsOf(JSON.stringify(most))).toEqual(most);
    for (const [name, value] of Object.entries(most))
      expect(() => limitsOf(JSON.stringify({ [name]: value + 1 }))).toThrow(name);
  });

  it.each([
    ["{", /^WORKSPACE_LIMITS is not JSON/],
    ["[]", /^WORKSPACE_LIMITS: /],
    ['{"file": 3}', /^WORKSPACE_LIMITS: .*file/],
    ['{"files": 0}', /at files/],
    ['{"files": 1.5}', /at files/],
    ['{"files": "3"}', /at files/],
    ['{"textBytes": 100}', /at textBytes/],
  ])("set to %s is refused, and says why", (value, message) => {
    expect(() => limitsOf(value)).toThrow(message);
  });
});

describe("MAINTENANCE_CALLS", () => {
  const callsOf = (text?: string) => maintenanceCalls({ MAINTENANCE_CALLS: text } as never);

  it("is a number of calls, by default 4,500", () => {
    expect([undefined, "", " ", "100", " 9000 "].map(callsOf)).toEqual([
      4_500, 4_500, 4_500, 100, 9_000,
    ]);
  });

  it.each(["99", "9001", "1e3", "-500", "many", "10000"])("is not %s", (text) => {
    expect(() => callsOf(text)).toThrow("MAINTENANCE_CALLS must be");
  });
});
