import { describe, expect, it } from "vitest";
import type { ModelMessage, StepPart } from "../../src/shared/messages.ts";
import { providerViolations } from "./provider-rules.ts";

const user = (text: string): ModelMessage => ({ role: "user", content: [{ type: "text", text }] });
const says = (...parts: StepPart[]): ModelMessage => ({ role: "assistant", parts });
const call = (id: string): StepPart => ({ type: "tool-call", call: id, name: "t", input: "{}" });
const gives = (...ids: string[]): ModelMessage => ({
  role: "tool",
  results: ids.map((id) => ({ call: id, name: "t", status: "success", content: [] })),
});
const violations = (...messages: ModelMessage[]) =>
  providerViolations({ system: "S", messages, tools: [] });

describe("the rules of providers", () => {
  it("[T6] are kept by a conversation with calls and their results", () => {
    const answer = says({ type: "text", text: "x" });
    expect(violations(user("a"), says(call("1"), call("2")), gives("1", "2"), user("b"))).toEqual(
      [],
    );
    expect(violations(user("a"), answer, user("b"))).toEqual([]);
  });

  it.each<[string, ModelMessage[]]>([
    ["answer [1]", [user("a"), says(call("1")), user("b")]],
    ["answer [1,2]", [user("a"), says(call("1"), call("2")), gives("1"), user("b")]],
    ["[9] answer", [user("a"), says({ type: "text", text: "x" }), gives("9"), user("b")]],
    ["ends with", [user("a"), says({ type: "text", text: "x" })]],
    ["begins with an answer", [says({ type: "text", text: "x" }), user("a")]],
  ])("notice %s", (what, messages) => {
    expect(violations(...messages).join("\n")).toContain(what);
  });
});
