import { describe, expect, it } from "vitest";
import {
  estimateMessageTokens,
  estimateTokens,
  estimateToolTokens,
} from "../../src/context/tokens.ts";

describe("estimateTokens", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["word", 1],
    ["words", 2],
    ["Größe und Übermaß", 5],
    ["国語辞典", 4],
    ["カレル", 3],
    ["한국어", 3],
    ["привет", 3],
    ["😀", 2],
    ["a国", 2],
  ])("%j is about %d", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  it("adds up within rounding", () => {
    const text = "The quick brown fox, 国語, привет. ";
    expect(estimateTokens(text.repeat(100))).toBeLessThanOrEqual(estimateTokens(text) * 100);
    expect(estimateTokens(text.repeat(100))).toBeGreaterThan((estimateTokens(text) - 1) * 100);
  });
});

describe("estimateMessageTokens", () => {
  it("counts an image as 1,600 whatever its bytes", () => {
    const image = (size: number) =>
      ({ type: "image", mediaType: "image/png", data: "A".repeat(size) }) as const;
    const one = estimateMessageTokens({ role: "user", content: [image(10)] });
    expect(one).toBe(1_604);
    expect(estimateMessageTokens({ role: "user", content: [image(1_000_000)] })).toBe(one);
    const result = { call: "c", name: "look", status: "success", content: [image(5)] } as const;
    expect(estimateMessageTokens({ role: "tool", results: [result, result] })).toBeGreaterThan(
      3_200,
    );
  });

  it("counts text, reasoning, calls and results", () => {
    const text = "x".repeat(400);
    expect(estimateMessageTokens({ role: "user", content: [{ type: "text", text }] })).toBe(104);
    expect(estimateMessageTokens({ role: "assistant", parts: [{ type: "reasoning", text }] })).toBe(
      104,
    );
    expect(
      estimateMessageTokens({
        role: "assistant",
        parts: [{ type: "tool-call", call: "c", name: "look", input: text }],
      }),
    ).toBe(109);
    expect(
      estimateMessageTokens({
        role: "tool",
        results: [{ call: "c", name: "look", status: "error", content: [{ type: "text", text }] }],
      }),
    ).toBe(109);
  });
});

describe("estimateToolTokens", () => {
  it("counts the name, the description and the schema", () => {
    const tool = { name: "look", description: "", inputSchema: { type: "object" } };
    const bare = estimateToolTokens(tool);
    expect(bare).toBe(4 + 1 + 5);
    expect(estimateToolTokens({ ...tool, description: "国語辞典" })).toBe(bare + 4);
    const inputSchema = { ...tool.inputSchema, description: "x".repeat(400) };
    expect(estimateToolTokens({ ...tool, inputSchema })).toBeGreaterThan(bare + 100);
  });
});
