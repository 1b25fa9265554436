import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../../public/markdown.js";

describe("a long text", () => {
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
});
