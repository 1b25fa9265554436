import { describe, expect, it } from "vitest";
import { checkDefinition } from "../src/check-definition.ts";
import type { AgentDefinition } from "../src/define-agent.ts";

type Options = Omit<AgentDefinition, "id">;

const check = (options: Options) => () => checkDefinition({ id: "main", ...options });

describe("options about memory", () => {
  it("are taken where they can work", () => {
    const memory = {
      model: "openai:small",
      flushPrompt: "Note what matters.",
      consolidationPrompt: "At most {maxTokens} tokens or {maxChars} characters.",
      consolidationMaxTokens: 100,
      consolidationMinGapMs: 0,
      dailyFileRetentionDays: 1,
      sessionRetentionDays: 180,
      flushTrigger: { throttledMs: 0 },
    } as const;
    const toolResultEviction = { maxResultChars: 1_000, previewChars: 0, excludedToolNames: [] };
    expect(check({ memory, toolResultEviction, disableMemoryTools: true })).not.toThrow();
    expect(check({ memory: { flushTrigger: "NEVER", sessionRetentionDays: null } })).not.toThrow();
  });

  it.each<[string, Options, RegExp]>([
    [
      "a model of nobody",
      { memory: { model: "acme:big" } },
      /memory\.model: .*no model "acme:big"/,
    ],
    ["a blank prompt", { memory: { flushPrompt: " " } }, /memory\.flushPrompt is blank/],
    ["a long prompt", { memory: { flushPrompt: "p".repeat(12_001) } }, /has 12001 characters/],
    [
      "a prompt that names no budget",
      { memory: { consolidationPrompt: "At most {maxTokens}." } },
      /consolidationPrompt must hold \{maxChars\} exactly once/,
    ],
    [
      "a prompt that names it twice",
      { memory: { consolidationPrompt: "{maxTokens} {maxTokens} {maxChars}" } },
      /must hold \{maxTokens\} exactly once/,
    ],
    ["no room", { memory: { consolidationMaxTokens: 99 } }, /from 100 to 100000/],
    ["a gap below 0", { memory: { consolidationMinGapMs: -1 } }, /consolidationMinGapMs is -1/],
    ["no days", { memory: { dailyFileRetentionDays: 0 } }, /dailyFileRetentionDays is 0/],
    ["half a day", { memory: { sessionRetentionDays: 0.5 } }, /sessionRetentionDays is 0\.5/],
    [
      "a trigger of no kind",
      { memory: { flushTrigger: "OFTEN" as "NEVER" } },
      /Use "ALWAYS", "NEVER"/,
    ],
    [
      "an endless gap",
      { memory: { flushTrigger: { throttledMs: Infinity } } },
      /throttledMs is Inf/,
    ],
    [
      "an unknown option",
      { memory: { budget: 3 } as object },
      /no option memory\.budget\. Use one of/,
    ],
    ["short results", { toolResultEviction: { maxResultChars: 10 } }, /maxResultChars is 10/],
    ["an endless preview", { toolResultEviction: { previewChars: 1e9 } }, /previewChars is/],
    [
      "tools that are no list",
      { toolResultEviction: { excludedToolNames: "read_file" as never } },
      /must be a list of names/,
    ],
  ])("refuse %s at start, and say what to change", (_, options, message) => {
    expect(check(options)).toThrow(message);
  });
});
