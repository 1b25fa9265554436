import { describe, expect, it } from "vitest";
import { importedTurns } from "../../src/session/imported-turns.ts";
import { parseStateDocument } from "../../src/session/state-document.ts";

/** What becomes of one call by this name, with its result. */
function factsOf(name: string, input: unknown = {}) {
  const { context } = parseStateDocument({
    context: [
      { role: "USER", content: "hi" },
      { role: "ASSISTANT", content: [{ type: "tool_use", id: "a", name, input }] },
      { role: "TOOL", content: [{ type: "tool_result", id: "a", name: "other", output: "x" }] },
    ],
  });
  return importedTurns(context ?? [], 0).flatMap(({ facts }) => facts.map(({ fact }) => fact));
}

describe("a call that was made elsewhere", () => {
  it.each([
    ["read_file", "read_file"],
    ["mcp__a-B9__c", "mcp__a-B9__c"],
    ["n".repeat(64), "n".repeat(64)],
    ["n".repeat(65), "imported_tool"],
    ["", "imported_tool"],
    ["a.b", "imported_tool"],
    ["a b\n", "imported_tool"],
    ["caf\u00e9", "imported_tool"],
  ])("[T6] by the name %j is kept with one that every provider takes", (name, kept) => {
    const facts = factsOf(name);
    expect(facts[1]).toMatchObject({ parts: [{ type: "tool-call", name: kept }] });
    expect(facts[2]).toMatchObject({ kind: "result", name: kept });
  });

  it("keeps its arguments as they were, whatever their keys", () => {
    const json = '{"__proto__":{"a":1},"b":{"__proto__":[2]}}';
    expect(factsOf("t", JSON.parse(json))[1]).toMatchObject({ parts: [{ input: json }] });
  });
});
