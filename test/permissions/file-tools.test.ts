import { describe, expect, it } from "vitest";
import { createFileTools } from "../../src/tools/files/file-tools.ts";
import { type Asked, isDenied } from "./asking.ts";

const rule = { tool: "*", path: "secret/**" };

describe("the file tools", () => {
  const tools = new Map(createFileTools().map((tool) => [tool.name, tool]));
  const call = (name: string, input: unknown): Asked => {
    const tool = tools.get(name);
    const { subjects } = tool?.prepare(input) ?? {};
    return {
      tool: name,
      effect: tool?.effect ?? "external",
      input,
      ...(subjects ? { subjects } : {}),
    };
  };

  it.each([
    ["read_file", { path: "./secret/key" }],
    ["write_file", { path: "secret/key", content: "" }],
    ["edit_file", { path: "/secret/key", old_string: "a", new_string: "b" }],
    ["multi_edit", { path: "secret/key", edits: [{ old_string: "a", new_string: "b" }] }],
    ["move_file", { from: "secret/key", to: "a" }],
    ["move_file", { from: "a", to: "secret/key" }],
    ["move_file", { from: "secret", to: "open" }],
    ["delete_file", { path: "secret" }],
    ["list_files", { path: "secret" }],
    ["glob_files", { path: "secret", pattern: "*" }],
    ["grep_files", { path: "", pattern: "x" }],
    ["grep_files", { path: "secret/deep", pattern: "x" }],
  ])("[A3] say to deny rules what %s with %j touches", (name, input) => {
    expect(isDenied(call(name, input), rule)).toBe(true);
  });

  it.each([
    ["write_file", { path: "notes/a", content: "secret/key; rm -rf x" }],
    ["list_files", {}],
    ["glob_files", { pattern: "secret/*" }],
    ["grep_files", { path: "notes", pattern: "secret/key" }],
    ["delete_file", { path: "notes/a" }],
  ])("[A3] are not stopped for what they do not touch: %s with %j", (name, input) => {
    expect(isDenied(call(name, input), rule)).toBe(false);
    expect(isDenied(call(name, input), { tool: "*", command: "rm" })).toBe(false);
  });
});
