import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../../public/markdown.js";
import { blocks, inlinesOf, show } from "./markdown-tree.ts";
import { xssCorpus } from "./xss-corpus.ts";

describe("safety", () => {
  const ALLOWED = new Set(["http:", "https:", "mailto:"]);

  it.each(xssCorpus)("leads nowhere but to the web and to mail: %s", (text) => {
    for (const node of blocks(text).flatMap(inlinesOf)) {
      expect(["text", "code", "break", "strong", "em", "del", "link"]).toContain(node.type);
      if (node.type === "link") expect(ALLOWED).toContain(new URL(node.href).protocol);
    }
  });

  it("does so for any text made of what marks are made of", () => {
    const piece = fc.constantFrom(
      ..."[]()!<>*_~`\\|#->&:/ \n".split(""),
      "x",
      "javascript:",
      "https://x.example",
      "1. ",
      "```",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        for (const node of blocks(pieces.join("")).flatMap(inlinesOf)) {
          if (node.type === "link") expect(ALLOWED).toContain(new URL(node.href).protocol);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("loses no word of a text without marks", () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-g]{1,8}$/), { minLength: 1, maxLength: 40 }),
        (words) => {
          const text = blocks(words.join(" ")).flatMap(inlinesOf);
          expect(show(text)).toBe(words.join(" "));
        },
      ),
    );
  });
});

describe("size", () => {
  it("bounds how deep marks, quotes and lists go", () => {
    const depth = (value: unknown): number =>
      typeof value === "object" && value !== null
        ? 1 + Math.max(0, ...Object.values(value).map(depth))
        : 0;
    const deep = [
      "*a _b ".repeat(500) + "b_ a* ".repeat(500),
      "> ".repeat(500),
      "- ".repeat(500),
      `${"![".repeat(500)}${"](https://x.example)".repeat(500)}`,
    ];
    for (const text of deep) expect(depth(parseMarkdown(text))).toBeLessThan(120);
  });
});
