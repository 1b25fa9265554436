import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromRuleContent, toRuleContent } from "../../src/permissions/rule-content.ts";
import { RuleSchema } from "../../src/permissions/rule-schema.ts";
import { rules } from "./rules-of-chance.ts";

describe("rule content", () => {
  it.each([
    [{ tool: "write_file" }, null],
    [{ tool: "write_file", path: "notes/**" }, "path:notes/**"],
    [{ tool: "execute", command: "git status" }, "command:git status"],
    [{ tool: "fetch", origin: "https://a.example" }, "origin:https://a.example"],
    [{ tool: "mail", argument: { name: "to", value: "a=b:*\n" } }, "argument:to=a=b:*\n"],
  ])("writes %j as %j and reads it back", (rule, content) => {
    expect(toRuleContent(RuleSchema.parse(rule))).toEqual({
      tool_name: rule.tool,
      rule_content: content,
    });
    expect(fromRuleContent({ tool_name: rule.tool, rule_content: content })).toEqual(rule);
  });

  it("loses nothing of any rule", () => {
    const text = fc.string({ minLength: 1, maxLength: 40 });
    const valid = fc
      .oneof(
        rules,
        fc.record({ tool: text, path: text }),
        fc.record({ tool: text, command: text }),
        fc.record({ tool: text, argument: fc.record({ name: text, value: text }) }),
      )
      .filter((rule) => RuleSchema.safeParse(rule).success);
    fc.assert(
      fc.property(valid, (rule) => {
        expect(fromRuleContent(toRuleContent(RuleSchema.parse(rule)))).toEqual(rule);
      }),
    );
  });

  it.each([
    "",
    "notes/**",
    "paths:notes",
    "Path:a",
    "argument:to",
    "argument:=x",
    "path:",
    "path:../a",
    "command:a;b",
  ])("refuses %j instead of guessing", (content) => {
    expect(() => fromRuleContent({ tool_name: "a", rule_content: content })).toThrow(
      expect.objectContaining({ code: "invalid" }),
    );
  });

  it("refuses a tool that cannot be", () => {
    expect(() => fromRuleContent({ tool_name: "", rule_content: null })).toThrow(/1 to 512/);
  });
});
