import { describe, expect, it } from "vitest";
import { readEdited } from "../../public/approval.js";
import { pretty, visible } from "../../public/arguments.js";
import { isSameRule, ruleText } from "../../public/rule.js";
import { verdictOf } from "../../public/tool.js";
import type { Rule } from "../../src/shared/permissions.ts";

describe("arguments as a person reads them", () => {
  it.each([
    ['{"a":1}', '{ "a": 1 }'],
    ['{"a":', '{"a":'],
    ["", ""],
    [`{"a":"${"x".repeat(60)}"}`, `{\n  "a": "${"x".repeat(60)}"\n}`],
  ])("are laid out where they are whole: %j", (json, text) => {
    expect(pretty(json)).toBe(text);
  });

  it.each([
    ["\u202e", "\\u202e"],
    ["\u2066", "\\u2066"],
    ["\u200b", "\\u200b"],
    ["\u00ad", "\\u00ad"],
    ["\ufeff", "\\ufeff"],
    ["\u2028", "\\u2028"],
    ["\u3164", "\\u3164"],
    ["\u{e0061}", "\\udb40\\udc61"],
    ["\u{e0101}", "\\udb40\\udd01"],
    ["\ufe0f", "\\ufe0f"],
    ["\u034f", "\\u034f"],
    ["\u2800", "\\u2800"],
    ["\u180b", "\\u180b"],
    ["\u17b4", "\\u17b4"],
    ["\u115f", "\\u115f"],
    ["\uffa0", "\\uffa0"],
  ])("hide nothing: %j", (hidden, shown) => {
    expect(visible(`a${hidden}b`)).toBe(`a${shown}b`);
    expect(JSON.parse(pretty(JSON.stringify({ a: `x${hidden}` })))).toEqual({ a: `x${hidden}` });
  });

  it("leave letters, line ends and pictures of all scripts alone", () => {
    const text = "Zoë\n\tжук 漢字 שלום 🙂 e\u0301";
    expect(visible(text)).toBe(text);
  });
});

describe("arguments that a person typed", () => {
  const before = '{"path":"a","n":1}';

  it("are no change where they say the same in other words", () => {
    expect(readEdited('{ "path": "a",\n "n": 1 }', before)).toEqual({ state: "same" });
  });

  it("are the object that they say", () => {
    expect(readEdited('{"path":"b"}', before)).toEqual({
      state: "changed",
      input: { path: "b" },
    });
  });

  it.each(["", "{", "[]", "null", "7", '"text"', "{'path':'b'}"])(
    "are refused where they are no object: %j",
    (text) => {
      expect(readEdited(text, before)).toMatchObject({ state: "wrong" });
    },
  );
});

describe("a rule in words", () => {
  const rules: readonly [Rule, string][] = [
    [{ tool: "shell" }, "every call of “shell”"],
    [{ tool: "mcp__*" }, "every call of tools like “mcp__*”"],
    [{ tool: "write", path: "notes/**" }, "“write” on paths like “notes/**”"],
    [{ tool: "shell", command: "git" }, "“shell” for commands that begin with “git”"],
    [{ tool: "fetch", origin: "https://a.b" }, "“fetch” for addresses at https://a.b"],
    [
      { tool: "mail", argument: { name: "to", value: "*@a.b" } },
      "“mail” where “to” is like “*@a.b”",
    ],
  ];

  it.each(rules)("%j", (rule, text) => {
    expect(ruleText(rule)).toBe(text);
  });

  it("is the same only as itself", () => {
    for (const [rule, text] of rules)
      for (const [other, otherText] of rules)
        expect(isSameRule({ ...rule }, other)).toBe(text === otherText);
  });
});

describe("how a call was answered, in words", () => {
  it.each([
    [null, ""],
    [{ answer: "approved", by: "user:ann" }, "Approved by you."],
    [{ answer: "approved", by: "session" }, "Approved."],
    [
      { answer: "approved", by: "user:ann", input: "{}" },
      "Approved by you, with changed arguments.",
    ],
    [{ answer: "denied", by: "user:ann", reason: "not now" }, "Denied by you: not now"],
    [{ answer: "denied", by: "session" }, "Denied."],
    [{ answer: "result", by: "user:ann" }, "Run by the app."],
  ] as const)("%j", (answer, text) => {
    expect(verdictOf(answer)).toBe(text);
  });
});
