import { describe, expect, it } from "vitest";
import { toAnswer } from "../../src/http/session-calls.ts";

const digest = "0123456789abcdef".repeat(4);
const rule = { tool: "unsafe_thing" };

describe("an answer to a call", () => {
  it.each([
    [{ decision: "approve", digest }, { kind: "approve" }],
    [
      { decision: "approve", digest, input: { a: [1] }, always: true },
      { kind: "approve", input: { a: [1] }, always: true },
    ],
    [
      { decision: "approve", digest, always: [rule] },
      { kind: "approve", always: [rule] },
    ],
    [{ decision: "deny", digest }, { kind: "deny" }],
    [
      { decision: "deny", digest, reason: "No.", always: [rule] },
      { kind: "deny", reason: "No.", always: [rule] },
    ],
    [
      { result: "text", digest },
      { kind: "result", output: "text", isError: false },
    ],
    [
      { result: { a: null }, digest, isError: true },
      { kind: "result", output: { a: null }, isError: true },
    ],
    [
      { result: null, digest },
      { kind: "result", output: null, isError: false },
    ],
  ])("%j is taken as it is meant", (body, answer) => {
    expect(toAnswer("call_2_0", body)).toEqual({ call: "call_2_0", digest, ...answer });
  });

  it.each([
    [{ decision: "approve" }, "digest: must be the digest of the question"],
    [{ decision: "approve", digest, always: [{ tool: 7 }] }, "always.0.tool: must be a text"],
    [{ decision: "approve", digest, always: [rule, 7] }, "always.1: must be a rule, such as"],
    [
      { decision: "approve", digest, always: [{ tool: "a", command: "a; b" }] },
      "always.0.command: must be the first words of one command",
    ],
    [{ decision: "approve", digest, always: "x" }, "always: must be true or a list of rules"],
    [{ decision: "approve", digest, input: [] }, "input: expected an object, got []"],
    [
      { decision: "approve", digest, extra: 1 },
      'unknown field "extra". Known: decision, digest, input, always',
    ],
    [{ decision: "approve", digest: digest.toUpperCase() }, "64 hexadecimal digits"],
    [{ decision: "approve", digest, reason: "x" }, "reason"],
    [{ decision: "approve", digest, always: [] }, "always"],
    [{ decision: "deny", digest, always: true }, "always"],
    [{ decision: "deny", digest, input: {} }, "input"],
    [{ decision: "later", digest }, '"approve" or "deny"'],
    [{ decision: "approve", result: "x", digest }, "decision"],
    [{ result: "x".repeat(100_001), digest }, "100000"],
    [{ result: ["x".repeat(99_999)], digest }, "100000"],
    [{ digest }, '{"decision"'],
    [["approve"], '{"decision"'],
    [null, '{"decision"'],
  ])("[H1] %j is refused, and says why", (body, why) => {
    expect(() => toAnswer("call_2_0", body)).toThrow(why);
  });
});
