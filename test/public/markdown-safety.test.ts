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
  const hostile: readonly [string, string][] = [
    ["brackets", "["],
    ["closing brackets", "]"],
    ["links without end", "[a]("],
    ["pointed links without end", "[a](<"],
    ["titles without end", '[a](b "'],
    ["images in images", "!["],
    ["images in images with ends", "![a](https://x.example "],
    ["stars", "*"],
    ["open emphasis", "*a "],
    ["mixed emphasis", "*a _b **c "],
    ["emphasis that closes and opens", "a*"],
    ["backticks in all lengths", "` `` ``` a "],
    ["quotes", ">"],
    ["quotes on lines", "> > a\n"],
    ["lists", "- "],
    ["lists on lines", "- a\n"],
    ["deeper lists", "- a\n  - b\n    - c\n"],
    ["numbers", "1. a\n\n"],
    ["blank lines in an item", "\n"],
    ["bars", "|"],
    ["table rows", "|a|b|\n|-|-|\n"],
    ["dashes", "- - -"],
    ["tildes", "~"],
    ["fences", "```\n"],
    ["addresses", "https://"],
    ["addresses with punctuation", "https://a.b)))...,,, "],
    ["entities", "&#"],
    ["pointed addresses", "<https://a"],
    ["headings", "# #"],
    ["backslashes", "\\"],
    ["lines", "word word\n"],
    ["spaces", "a     "],
  ];

  /** Milliseconds of processor time for a text of about this length, the better of two. */
  function cost(piece: string, length: number): number {
    const run = piece.repeat(Math.ceil(length / piece.length / 2));
    const text = `${run}\n\n- x${run}~\``;
    const once = (): number => {
      const start = process.cpuUsage();
      parseMarkdown(text);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    };
    return Math.min(once(), once());
  }

  it.each(hostile)("reads many %s in linear time", (_, piece) => {
    cost(piece, 10_000);
    const small = Math.max(cost(piece, 25_000), 4);
    // 16 times the length: linear is 16 times the work, quadratic 256 times.
    expect(cost(piece, 400_000) / small).toBeLessThan(96);
  });

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
