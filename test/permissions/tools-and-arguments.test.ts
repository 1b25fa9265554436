import { describe, expect, it } from "vitest";
import { isAllowed, isDenied } from "./asking.ts";

describe("a rule for tools", () => {
  it.each<[string, string, boolean]>([
    ["use", "use", true],
    ["use", "use2", false],
    ["use", "reuse", false],
    ["use", "Use", false],
    ["*", "anything", true],
    ["mcp__files__*", "mcp__files__write", true],
    ["mcp__files__*", "mcp__filesystem__write", false],
    ["mcp__*__delete_*", "mcp__a__delete_b", true],
    ["mcp__*__delete_*", "mcp__a__undelete_b", false],
    ["*_file", "write_file", true],
    ["*_file", "write_files", false],
    ["a.c", "abc", false],
    ["a?c", "abc", false],
    ["u*e", "ue", true],
    ["**", "x", true],
    [`${"*a".repeat(200)}`, "a".repeat(5_000), true],
    [`${"*a".repeat(200)}b`, "a".repeat(5_000), false],
  ])("[A3] %j for %j: %s", (pattern, tool, isFor) => {
    expect(isAllowed({ tool }, { tool: pattern })).toBe(isFor);
    expect(isDenied({ tool }, { tool: pattern })).toBe(isFor);
  });
});

describe("a rule for an argument", () => {
  const rule = (name: string, value: string) => ({ tool: "*", argument: { name, value } });

  it.each<[string, string, unknown, boolean]>([
    ["to", "*@example.com", { to: "ann@example.com" }, true],
    ["to", "*@example.com", { to: "ann@example.com.evil" }, false],
    ["to", "*@example.com", { cc: "ann@example.com" }, false],
    ["count", "3", { count: 3 }, true],
    ["count", "3", { count: "3" }, true],
    ["count", "3", { count: 30 }, false],
    ["force", "true", { force: true }, true],
    ["force", "true", { force: false }, false],
    ["at", "null", { at: null }, true],
    ["text", "", { text: "" }, true],
    ["mail.to", "a*", { mail: { to: "ann" } }, true],
    ["mail.to", "a*", { "mail.to": "ann" }, true],
    ["mail.to", "a*", { mail: [{ to: "ann" }, { to: "amy" }] }, true],
    ["toString", "*", {}, false],
    ["to", "*", "text", false],
    ["to", "*", null, false],
  ])("[A3] %s=%s for %j: %s", (name, value, input, isFor) => {
    expect(isAllowed({ input }, rule(name, value))).toBe(isFor);
    expect(isDenied({ input }, rule(name, value))).toBe(isFor);
  });

  it.each<[string, unknown]>([
    ["a list of which one matches", { to: ["ann@example.com", "bob@evil.example"] }],
    ["an object in its place", { to: { address: "ann@example.com" } }],
    ["a list of objects", { to: [{ address: "ann@example.com" }, "bob@evil.example"] }],
  ])("[A3] stops %s, and does not allow it", (_, input) => {
    expect(isDenied({ input }, rule("to", "*@example.com"))).toBe(true);
    expect(isAllowed({ input }, rule("to", "*@example.com"))).toBe(false);
  });

  it("[A3] finds arguments at any depth without end", () => {
    let input: unknown = "ann";
    for (let depth = 0; depth < 100_000; depth += 1) input = [input];
    expect(isDenied({ input: { to: input } }, rule("to", "ann"))).toBe(true);
    expect(isDenied({ input: { to: input } }, { tool: "*", command: "ann" })).toBe(true);
  });
});

describe("a rule for a call whose arguments are parsed", () => {
  const main = { tool: "*", argument: { name: "branch", value: "main" } };

  it.each<[unknown, unknown, boolean, boolean]>([
    [{}, { branch: "main" }, true, false],
    [{ branch: " main" }, { branch: "main" }, true, false],
    [{ branch: "main" }, { branch: "other" }, true, false],
    [{ branch: "main" }, { branch: "main" }, true, true],
    [{ branch: "main" }, { branch: "main", depth: 1n }, true, true],
    [{ branch: "x" }, { branch: "x" }, false, false],
  ])("[A3] looks at %j as it runs too", (input, data, isStopped, isCovered) => {
    expect(isDenied({ input, data }, main)).toBe(isStopped);
    expect(isDenied({ input, data, subjects: {} }, main)).toBe(isStopped);
    expect(isAllowed({ input, data }, main)).toBe(isCovered);
  });

  it("[A3] looks at paths, commands and URLs as they run", () => {
    const call = {
      input: {},
      data: { path: "secret/a", command: "rm x", url: new URL("https://a.example") },
    };
    expect(isDenied(call, { tool: "*", path: "secret/**" })).toBe(true);
    expect(isDenied(call, { tool: "*", command: "rm" })).toBe(true);
    expect(isDenied(call, { tool: "*", origin: "https://a.example" })).toBe(true);
    expect(
      isAllowed(
        { input: { path: "notes/a" }, data: { path: "b" } },
        { tool: "*", path: "notes/*" },
      ),
    ).toBe(false);
  });

  it("[A3] reads what holds itself, and maps", () => {
    const data: Record<string, unknown> = { map: new Map([["a", new Set(["secret/a"])]]) };
    data["self"] = [data];
    expect(isDenied({ input: {}, data }, { tool: "*", path: "secret/**" })).toBe(true);
    expect(
      isDenied({ input: {}, data }, { tool: "*", argument: { name: "self.map", value: "x" } }),
    ).toBe(false);
  });
});
