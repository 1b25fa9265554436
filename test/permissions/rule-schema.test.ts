import { describe, expect, it } from "vitest";
import {
  ModeSchema,
  PermissionsChangeSchema,
  PermissionsSchema,
  RuleListSchema,
  RuleSchema,
} from "../../src/permissions/rule-schema.ts";

const problem = (rule: unknown): string => {
  const [issue] = RuleSchema.safeParse(rule).error?.issues ?? [];
  return issue ? [...issue.path, issue.message].join(" ") : "none";
};

describe("RuleSchema", () => {
  it.each([
    { tool: "write_file" },
    { tool: "*" },
    { tool: "mcp__files__*" },
    { tool: "write_file", path: "notes/**" },
    { tool: "*", path: "{a,b}/*.md" },
    { tool: "execute", command: "git status" },
    { tool: "execute", command: "npm run test:*" },
    { tool: "fetch", origin: "https://api.example.com" },
    { tool: "fetch", origin: "https://*.example.com:8443" },
    { tool: "mail", argument: { name: "to", value: "*@example.com" } },
    { tool: "mail", argument: { name: "a.b", value: "line\nbreak" } },
    { tool: "x".repeat(512) },
  ])("takes %j as it is", (rule) => {
    expect(RuleSchema.parse(rule)).toEqual(rule);
    expect(RuleSchema.parse(JSON.parse(JSON.stringify(rule)))).toEqual(rule);
  });

  it.each<[unknown, RegExp]>([
    [null, /must be a rule, such as/],
    ["write_file", /must be a rule, such as/],
    [[], /must be a rule, such as/],
    [{}, /tool must be a text/],
    [{ tool: "" }, /tool must have 1 to 512 characters/],
    [{ tool: "x".repeat(513) }, /tool must have 1 to 512 characters/],
    [{ tool: "a\nb" }, /tool must not have line breaks/],
    [{ tool: 5 }, /tool must be a text/],
    [{ tool: "a", paths: "b" }, /has a field that no rule has; use "tool" and at most one/],
    [{ tool: "a", path: "b", command: "c" }, /at most one of path, command, origin/],
    [{ tool: "a", path: "" }, /path must have 1 to 512/],
    [{ tool: "a", path: "../b" }, /path must be a glob from the root/],
    [{ tool: "a", path: "{b" }, /path must be a glob from the root/],
    [{ tool: "a", path: "{1,2,3}".repeat(4) }, /at most 64 alternatives/],
    [{ tool: "a", command: "ls; rm" }, /command must be the first words of one command/],
    [{ tool: "a", command: "ls $X" }, /command must be the first words/],
    [{ tool: "a", command: "X=1 ls" }, /command must be the first words/],
    [{ tool: "a", command: " " }, /command must be the first words/],
    [{ tool: "a", origin: "api.example.com" }, /origin must be an origin without a path/],
    [{ tool: "a", origin: "https://a.example/b" }, /origin must be an origin/],
    [{ tool: "a", origin: "https://*" }, /origin must be an origin/],
    [{ tool: "a", origin: "https://a.*.example" }, /origin must be an origin/],
    [{ tool: "a", origin: "https://u@a.example" }, /origin must be an origin/],
    [{ tool: "a", origin: "ftp://a.example" }, /origin must be an origin/],
    [{ tool: "a", argument: "to" }, /argument/],
    [{ tool: "a", argument: { name: "to" } }, /argument value must be a text/],
    [{ tool: "a", argument: { name: "a=b", value: "c" } }, /name must not have "="/],
    [{ tool: "a", argument: { name: "a", value: "b", x: 1 } }, /argument/],
  ])("refuses %j and says how to mend it", (rule, message) => {
    expect(problem(rule)).toMatch(message);
  });

  it("refuses hostile texts without taking long", () => {
    for (const path of ["{".repeat(512), "{a,".repeat(170), "*".repeat(512), "**/".repeat(170)])
      expect(["none", expect.any(String)]).toContainEqual(problem({ tool: "a", path }));
  });
});

describe("lists and permissions", () => {
  it("hold at most 100 rules of a kind", () => {
    const rules = (length: number) => Array.from({ length }, () => ({ tool: "a" }));
    expect(RuleListSchema.parse(rules(100))).toHaveLength(100);
    expect(RuleListSchema.safeParse(rules(101)).error?.issues[0]?.message).toMatch(/at most 100/);
  });

  it("are strict, and a change may leave out anything", () => {
    const lists = { allow: [{ tool: "a" }], ask: [], deny: [] };
    expect(PermissionsSchema.parse({ mode: "EXPLORE", ...lists })).toEqual({
      mode: "EXPLORE",
      ...lists,
    });
    expect(PermissionsSchema.safeParse(lists).success).toBe(false);
    expect(PermissionsChangeSchema.parse({ mode: "BYPASS" })).toEqual({ mode: "BYPASS" });
    expect(PermissionsChangeSchema.safeParse({ mode: "ALL" }).success).toBe(false);
    expect(PermissionsChangeSchema.safeParse({ allowed: [] }).success).toBe(false);
    expect(ModeSchema.safeParse("all").error?.issues[0]?.message).toBe(
      "must be one of DEFAULT, ACCEPT_EDITS, EXPLORE, BYPASS, DONT_ASK",
    );
  });
});
