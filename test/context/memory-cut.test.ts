import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutMemory } from "../../src/context/memory-cut.ts";
import { estimateTokens } from "../../src/context/tokens.ts";

const cut = (text: string, tokens: number, hint = "") =>
  cutMemory(text, { tokens, indent: "  ", hint });

/** The lines after the one that says what is missing. */
const kept = (text: string, tokens: number) =>
  cut(text, tokens)
    .text.split("\n")
    .slice(1)
    .map((line) => line.slice(2));

const words = "word ".repeat(20).trim();
const bullets = (count: number) => Array.from({ length: count }, (_, at) => `- ${at} ${words}`);

describe("cutMemory", () => {
  it("leaves what fits as it is, indented", () => {
    const text = "# Memory\n\n- a\n- b\n";
    expect(cut(text, 200)).toEqual({ text: "  # Memory\n\n  - a\n  - b", shown: 17, total: 17 });
    expect(cut("\uFEFF \n", 200)).toEqual({ text: "", shown: 0, total: 0 });
  });

  it("[C4] keeps the newest entries whole, and says what is missing first", () => {
    const { text, shown, total } = cut(bullets(40).join("\n"), 300, "Look it up.");
    const lines = text.split("\n");
    expect(lines[0]).toBe(
      `  [The older part of MEMORY.md is left out here: the newest ${shown} of ${total} characters are shown. Look it up.]`,
    );
    expect(lines.slice(1)).toEqual(
      bullets(40)
        .slice(-6)
        .map((line) => `  ${line}`),
    );
  });

  it("repeats the heading of the section that the oldest entry it keeps is in", () => {
    const text = ["# Memory", "## Old", ...bullets(20), "## New", "", ...bullets(20)].join("\n");
    expect(kept(text, 300)[0]).toBe("## New");
    expect(kept(text, 300).slice(1)).toEqual(bullets(20).slice(-6));
    const long = ["# Memory", `## ${words.repeat(5)}`, ...bullets(20)].join("\n");
    expect(kept(long, 300)).toEqual(bullets(20).slice(-6));
  });

  it("never separates a bullet, a paragraph or a fenced block from its lines", () => {
    const entries = [
      `- ${words.repeat(10)}`,
      `- ${words}\n  ${words}\n  - ${words}`,
      `A paragraph ${words}\n${words}`,
      `\`\`\`\n# no heading\n\n- no bullet ${words}\n\`\`\``,
      `1. ${words}\n\n   ${words}`,
    ];
    const text = entries.join("\n\n");
    for (const [at, tokens] of [
      [4, 200],
      [3, 240],
      [2, 300],
      [1, 350],
    ] as const)
      expect(kept(text, tokens).join("\n"), `${tokens}`).toBe(entries.slice(at).join("\n\n"));
  });

  it("[C4] keeps the end of a newest entry that is too long alone: its last lines, or the end of a line", () => {
    const lines = Array.from({ length: 90 }, (_, at) => `${at} ${words}`);
    expect(kept(`- old\n\n${lines.join("\n")}`, 300)).toEqual(lines.slice(-7));
    const line = `old ${"😀".repeat(5_000)} new`;
    const [end = ""] = kept(line, 300);
    expect(end).toMatch(/^(?:😀)+ new$/u);
    expect(estimateTokens(end)).toBeGreaterThan(170);
  });

  it("[C4] never costs more than it may, never halves a character, and always has the newest words", () => {
    const piece = fc.constantFrom(
      "- ",
      "\n",
      "\n\n",
      "## ",
      "```\n",
      words,
      "国".repeat(90),
      "😀".repeat(50),
      "\uD83D",
      "    ",
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 120 }),
        fc.integer({ min: 200, max: 1_200 }),
        (parts, tokens) => {
          const text = parts.join("").toWellFormed();
          const { text: shown } = cut(text, tokens, "Find the rest with memory_search.");
          expect(estimateTokens(shown)).toBeLessThanOrEqual(tokens);
          expect(shown.length).toBeLessThanOrEqual(tokens * 4);
          expect(shown.isWellFormed()).toBe(true);
          const newest = Array.from(text.trimEnd()).slice(-20).join("");
          expect(shown.endsWith(newest.slice(newest.lastIndexOf("\n") + 1))).toBe(true);
        },
      ),
      { numRuns: 400, seed: 7 },
    );
  });

  it("takes no longer for a file of one endless line", () => {
    const { text } = cut("x".repeat(1024 * 1024), 8_000);
    expect(estimateTokens(text)).toBeGreaterThan(7_800);
  });
});
