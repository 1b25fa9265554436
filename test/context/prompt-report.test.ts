import { describe, expect, it } from "vitest";
import { assemblePrompt, describePrompt } from "../../src/context/prompt.ts";
import { estimateTokens } from "../../src/context/tokens.ts";
import { workspacePath } from "../../src/workspace/layers/path.ts";
import { promptOf, section, small, sources } from "./prompt-lab.ts";

describe("the report on a prompt", () => {
  const additionalFiles = ["SOUL.md", "gone.md", "blank.md", "blob.md"].map(workspacePath);
  const all = sources(
    {
      template: { ...small, "SOUL.md": "Kind.", "blank.md": "\n", "blob.md": null },
      shared: { "knowledge/KNOWLEDGE.md": "x".repeat(30_000) },
      own: { "MEMORY.md": "- an entry\n".repeat(9_000), "knowledge/mine.md": "" },
    },
    { additionalFiles, sections: [section("plan", "session")], environmentMemory: "Here." },
  );
  const { text, report } = assemblePrompt(all);
  const brief = report.parts.map(({ what, path, layer, state }) =>
    [what, path, layer, state].filter(Boolean).join(" "),
  );

  it("[C9] says of each source what became of it, in the order of the prompt", () => {
    expect(brief).toEqual([
      "system_prompt loaded",
      "guidance loaded",
      "agents_context AGENTS.md template loaded",
      "domain_knowledge_context knowledge/KNOWLEDGE.md shared cut",
      "knowledge_files knowledge loaded",
      "soul_md SOUL.md template loaded",
      "gone_md gone.md missing",
      "blank_md blank.md template empty",
      "blob_md blob.md template not text",
      "memory_context MEMORY.md own cut",
      "plan loaded",
      "session_context loaded",
      "environment_memory loaded",
    ]);
    const whys = report.parts.flatMap(({ what, why }) => (why ? [`${what}: ${why}`] : []));
    expect(whys).toEqual([
      "domain_knowledge_context: Its share of the prompt is full.",
      "gone_md: There is no such file.",
      "blank_md: It is blank.",
      "blob_md: It is not UTF-8 text, or longer than 1 MiB.",
      `memory_context: maxContextTokens leaves ${report.memoryTokens} tokens for it.`,
    ]);
  });

  it("[C9] counts what the prompt costs, and how much of each source is in it", () => {
    expect(report).toMatchObject({ chars: text.length, tokens: estimateTokens(text) });
    const parts = report.parts.reduce((sum, part) => sum + part.tokens, 0);
    expect(parts).toBeGreaterThan(report.tokens * 0.95);
    expect(parts).toBeLessThanOrEqual(report.tokens + report.parts.length);
    for (const { what, chars, shown, state } of report.parts) {
      if (state === "loaded") expect(shown, what).toBe(chars);
      if (state === "cut" && what !== "knowledge_files") {
        expect(shown, what).toBeLessThan(chars);
        expect(text).toContain(`${shown} of ${chars} characters are shown`);
      }
    }
  });

  it("[C9] can be had without a turn, as JSON", () => {
    const { snapshot, sections, sessionId, date, ...options } = all;
    const described = describePrompt(options, snapshot, { sections, sessionId, date });
    expect(described).toEqual({ version: snapshot?.version, ...report });
    expect(JSON.parse(JSON.stringify(described))).toEqual(described);
    expect(JSON.stringify(described)).not.toContain("an entry");
  });

  it("[C9] has no workspace parts where the prompt shows none", () => {
    const off = assemblePrompt(sources({ own: small }, { hasWorkspace: false })).report;
    expect(off.parts.map(({ what }) => what)).toEqual(["system_prompt", "session_context"]);
    expect(off.memoryTokens).toBeNull();
  });

  it("[C9] says how many knowledge files are not listed", () => {
    const many = Array.from({ length: 300 }, (_, at) => [`knowledge/${at}.md`, ""] as const);
    const { parts } = assemblePrompt(sources({ own: Object.fromEntries(many) })).report;
    expect(parts.find(({ what }) => what === "knowledge_files")).toMatchObject({
      state: "cut",
      why: "200 of 300 files are listed.",
    });
    expect(promptOf({ own: Object.fromEntries(many) })).toContain("[100 more files");
  });
});
