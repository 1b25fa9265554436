import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  estimateMessageTokens,
  estimateTokens,
  estimateToolTokens,
  TOKEN,
  tokenCost,
} from "../../src/context/tokens.ts";
import { tokenFixtures } from "./token-fixtures.ts";

const percent = (share: number) => `${share < 0 ? "" : "+"}${(share * 100).toFixed(1)} %`;

describe("estimateTokens", () => {
  it("[C9] is within 15 % of a tokenizer, whatever the text is of", () => {
    const tokenizer = new Tiktoken(o200k);
    const measured = Object.entries(tokenFixtures()).map(([name, text]) => {
      const tokens = tokenizer.encode(text, [], []).length;
      return { name, chars: text.length, tokens, error: estimateTokens(text) / tokens - 1 };
    });
    const row = ({ name, chars, tokens, error }: (typeof measured)[number]) =>
      `${name.padEnd(16)} ${chars} characters, ${tokens} tokens: ${percent(error)}`;
    console.log(measured.map(row).join("\n"));
    for (const { name, chars, error } of measured) {
      expect(chars, name).toBeGreaterThan(700);
      expect(Math.abs(error), name).toBeLessThanOrEqual(0.15);
    }
  });

  it.each([
    ["", 0],
    ["a", 1],
    ["word", 1],
    ["words", 1],
    ["two words", 2],
    ["camelCase", 2],
    ["123456", 3],
    ["Größe und Übermaß", 5],
    ["国語辞典", 4],
    ["カレルの机", 4],
    ["한국어", 3],
    ["привет", 2],
    ["😀", 2],
  ])("%j is about %d", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  it("adds up over lines, whatever is in them", () => {
    const piece = fc.constantFrom(
      "a",
      "Bc",
      "DEf",
      " ",
      "  ",
      "12",
      ".",
      "--",
      "国",
      "の",
      "글",
      "я",
      "😀",
      "\t",
    );
    const line = fc.array(piece, { maxLength: 20 }).map((pieces) => `${pieces.join("")}\n`);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const each = lines.reduce((sum, one) => sum + tokenCost(one), 0);
        expect(tokenCost(lines.join(""))).toBe(each);
        expect(estimateTokens(lines.join(""))).toBe(Math.ceil(each / TOKEN));
      }),
      { numRuns: 300, seed: 7 },
    );
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
    const text = "word ".repeat(100);
    const tokens = estimateTokens(text);
    expect(tokens).toBe(94);
    expect(estimateMessageTokens({ role: "user", content: [{ type: "text", text }] })).toBe(98);
    expect(estimateMessageTokens({ role: "assistant", parts: [{ type: "reasoning", text }] })).toBe(
      98,
    );
    expect(
      estimateMessageTokens({
        role: "assistant",
        parts: [{ type: "tool-call", call: "c", name: "look", input: text }],
      }),
    ).toBe(103);
    expect(
      estimateMessageTokens({
        role: "tool",
        results: [{ call: "c", name: "look", status: "error", content: [{ type: "text", text }] }],
      }),
    ).toBe(103);
  });
});

describe("estimateToolTokens", () => {
  it("counts the name, the description and the schema", () => {
    const tool = { name: "look", description: "", inputSchema: { type: "object" } };
    const bare = estimateToolTokens(tool);
    expect(bare).toBe(4 + 1 + 6);
    expect(estimateToolTokens({ ...tool, description: "国語辞典" })).toBe(bare + 4);
    const inputSchema = { ...tool.inputSchema, description: "x".repeat(400) };
    expect(estimateToolTokens({ ...tool, inputSchema })).toBeGreaterThan(bare + 100);
  });
});
