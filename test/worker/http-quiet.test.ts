import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { resetOutside } from "../support/outside.ts";
import { calls, NativeClient } from "./native-client.ts";
import { breathe } from "./session-object.ts";

const log: string[] = [];

beforeEach(() => {
  resetOutside().pause = breathe;
  for (const level of ["debug", "log", "info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation(
      (...said) => void log.push(said.map(String).join(" ")),
    );
});
afterEach(() => {
  vi.restoreAllMocks();
});

it("[H5] nothing that a person or a model says is in any log line, whatever came of it", async () => {
  const client = new NativeClient("quiet");
  const step = calls(["unsafe_thing", { label: "xyzzy" }], ["keyed_thing", { label: "xyzzy" }]);
  const more = { output: { schema: { type: "object", description: "xyzzy" } } };
  await client.say([{ text: "xyzzy", ...step }], "t1", more);
  const [one, two] = (await client.history()).status.pending;
  if (!one || !two) throw new Error("two calls should wait");
  const word = { xyzzy: "xyzzy" };
  for (const [method, path, body] of [
    ["POST", `/calls/${one.call}`, { decision: "xyzzy", digest: one.digest }],
    ["POST", `/calls/${one.call}`, { decision: "approve", digest: one.digest, input: word }],
    ["POST", `/calls/${one.call}`, { decision: "deny", digest: one.digest, reason: "xyzzy" }],
    ["POST", `/calls/${two.call}`, { result: "xyzzy", digest: two.digest }],
    ["POST", "/calls/xyzzy", { decision: "deny", digest: two.digest, reason: "xyzzy" }],
    [
      "POST",
      `/calls/${two.call}`,
      {
        decision: "approve",
        digest: two.digest,
        input: { label: "xyzzy" },
        always: [{ tool: "xyzzy" }],
      },
    ],
    ["PUT", "/permissions", { allow: [{ tool: "xyzzy" }] }],
    ["PUT", "/state", word],
    ["PATCH", "", { title: "xyzzy" }],
    ["POST", "/turns", { message: "xyzzy" }],
    ["POST", "/clear", word],
    ["DELETE", "?xyzzy=xyzzy", undefined],
  ] as const)
    expect((await client.ask(method, path, body)).status).toBeLessThan(500);
  expect(log.filter((line) => line.includes("xyzzy"))).toEqual([]);
});
