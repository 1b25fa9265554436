import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { promptLimits } from "../../src/context/prompt-sources.ts";
import { estimateTokens } from "../../src/context/tokens.ts";
import { splitLines } from "../../src/shared/text.ts";
import { workspacePath } from "../../src/workspace/layers/path.ts";
import { promptOf, section } from "./prompt-lab.ts";

const longest = (maxContextTokens: number) =>
  promptLimits.total + 4 * Math.max(maxContextTokens, promptLimits.memoryFloor);

describe("the bounds of a prompt", () => {
  it("[C4] AGENTS.md above its cap says where to read on, and reading on there misses nothing", () => {
    const text = Array.from({ length: 2_000 }, (_, at) => `Rule ${at}: be exact.`).join("\n");
    const prompt = promptOf({ template: { "AGENTS.md": text } });
    const [, offset = ""] =
      /\[AGENTS\.md is cut here: \d+ of \d+ characters are shown\. Read on with read_file, path="AGENTS\.md", offset=(\d+)\.\]/.exec(
        prompt,
      ) ?? [];
    const shown = [...prompt.matchAll(/^ {4}(Rule \d+: be exact\.)$/gm)].map((match) => match[1]);
    expect(shown.join("\n").length).toBeLessThanOrEqual(promptLimits.agents);
    expect(shown.join("\n").length).toBeGreaterThan(promptLimits.agents - 30);
    expect([...shown, ...splitLines(text).slice(Number(offset))]).toEqual(splitLines(text));
  });

  it("[C4] a knowledge directory of thousands of files is listed in part, and says so", () => {
    const many = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, at) => [`knowledge/${at}.md`, ""]),
    );
    const prompt = promptOf({ template: many });
    expect(prompt.match(/^ {4}- knowledge\//gm)).toHaveLength(200);
    expect(prompt).toContain(
      '[2800 more files are not listed here. See them with list_files, path="knowledge".]',
    );
  });

  it("[C4] added sections have their share, and the newest memory is in, even when every file is huge", () => {
    const huge = "x".repeat(200_000);
    const template = { "AGENTS.md": huge, "knowledge/KNOWLEDGE.md": huge, "SOUL.md": huge };
    const own = { "MEMORY.md": `${"- an old thing\n".repeat(30_000)}- Ann likes tea.\n` };
    const prompt = promptOf(
      { template, own },
      {
        persona: huge,
        environmentMemory: huge,
        additionalFiles: [workspacePath("SOUL.md")],
        sections: [section("memory_note", "user", "m".repeat(12_000))],
      },
    );
    expect(prompt).toContain("m".repeat(12_000));
    expect(prompt).toContain("    - Ann likes tea.\n  </memory_context>");
    expect(prompt.length).toBeLessThanOrEqual(longest(8_000));
  });

  it("[C4] MEMORY.md has what the other files leave of maxContextTokens, and never less than 1,000 tokens", () => {
    const own = { "MEMORY.md": "- an entry of some length\n".repeat(90_000) };
    const costOf = (agents: number, maxContextTokens: number) => {
      const template = { "AGENTS.md": "word ".repeat(agents) };
      const prompt = promptOf({ template, own }, { maxContextTokens });
      const [memory = ""] =
        /(?<=<memory_context>\n)[^]*(?=\n {2}<\/memory_context>)/.exec(prompt) ?? [];
      return estimateTokens(memory);
    };
    for (const [agents, max, room] of [
      [0, 8_000, 7_900],
      [0, 50_000, 49_900],
      [2_000, 8_000, 6_000],
      [4_000, 4_000, 1_000],
      [0, 1, 1_000],
    ] as const) {
      expect(costOf(agents, max)).toBeLessThanOrEqual(room + 30);
      expect(costOf(agents, max)).toBeGreaterThan(room - 130);
    }
  });

  it("[C4] a memory that is cut points to memory_search where there is one, else to what there is", () => {
    const own = { "MEMORY.md": "- an entry\n".repeat(9_000) };
    const noticeOf = (tools: boolean, hasFileTools: boolean) =>
      / are shown\.(.*)\]\n {4}- an entry/.exec(
        promptOf({ own }, { hasFileTools, memory: { isInjected: true, tools, hooks: false } }),
      )?.[1];
    expect(noticeOf(true, true)).toBe(" Find the rest with memory_search.");
    expect(noticeOf(false, true)).toBe(' Read it with read_file, path="MEMORY.md".');
    expect(noticeOf(false, false)).toBe("");
  });

  it("[C4] nothing that is injected makes it longer than its bound or splits a character", () => {
    const chunk = fc.oneof(
      fc.constantFrom(
        "a\n".repeat(12_000),
        "\n".repeat(30_000),
        "😀".repeat(20_000),
        "<loaded_context ".repeat(4_000),
        "",
      ),
      fc.string({ unit: "binary", maxLength: 200 }),
    );
    const everything = fc.record({
      agents: chunk,
      knowledge: chunk,
      memory: chunk,
      soul: chunk,
      persona: chunk,
      environmentMemory: chunk,
      names: fc.array(fc.nat(999), { maxLength: 400 }),
      texts: fc.array(chunk, { maxLength: 32 }),
      maxContextTokens: fc.constantFrom(1, 900, 8_000, 200_000),
    });
    fc.assert(
      fc.property(everything, (all) => {
        const listed = all.names.map((at) => [`knowledge/${"long ".repeat(90)}${at}.md`, ""]);
        const souls = Array.from({ length: 16 }, (_, at) => `${"deep/".repeat(90)}${at}.md`);
        const template = {
          "AGENTS.md": all.agents,
          "knowledge/KNOWLEDGE.md": all.knowledge,
          ...Object.fromEntries(souls.map((path, at) => [path, at % 5 === 0 ? null : all.soul])),
          ...Object.fromEntries(listed),
        };
        const prompt = promptOf(
          { template, own: { "MEMORY.md": all.memory } },
          {
            persona: all.persona,
            environmentMemory: all.environmentMemory,
            additionalFiles: souls.map(workspacePath),
            maxContextTokens: all.maxContextTokens,
            sections: all.texts.map((text, at) => section(`${"s".repeat(60)}${at}`, "user", text)),
            sessionId: all.persona,
            agentName: all.agents,
          },
        );
        expect(prompt.length).toBeLessThanOrEqual(longest(all.maxContextTokens));
        expect(prompt.isWellFormed()).toBe(true);
        expect(prompt).toMatch(/\nSession ID: .*\n/);
      }),
      { numRuns: 100, seed: 3 },
    );
  });
});
