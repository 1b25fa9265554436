import { noWorkspace } from "../support/no-workspace.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assemblePrompt, promptLimits } from "../../src/context/prompt.ts";
import type { PromptSources } from "../../src/context/prompt.ts";
import type { Layer, Section } from "../../src/context/sections.ts";
import { createTemplateTools } from "../../src/tools/template-files.ts";
import { workspacePath } from "../../src/workspace/path.ts";
import { createTemplate } from "../../src/workspace/template.ts";
import type { TemplateFile } from "../../src/workspace/template.ts";

const small = {
  "AGENTS.md": { text: "# Carrel\n\nYou are Carrel.\n" },
  "knowledge/KNOWLEDGE.md": { text: "What we know.\n" },
  "knowledge/turns.md": { text: "About turns." },
  "notes.md": { text: "not injected" },
};

function sources(
  files: Readonly<Record<string, TemplateFile>>,
  more: Partial<PromptSources> = {},
): PromptSources {
  return {
    persona: "Be brief.",
    sections: [],
    files: createTemplate(files, "v"),
    agentName: "Carrel",
    sessionId: "s1",
    date: Date.UTC(2026, 10, 30, 23, 59),
    ...more,
  };
}

const section = (name: string, layer: Layer, text = name): Section => ({ name, layer, text });
const GOLDEN = `Be brief.

## Domain Knowledge

The files under knowledge/ are your source of truth for the subject you are asked about. Their list is below. Before you answer such a question, open only the files you need with read_file, and name the file that your answer comes from.

## Workspace

Your workspace is a tree of plain files. Every path starts at its root, for example knowledge/KNOWLEDGE.md, and there is nothing outside it. list_files shows a directory, read_file shows a file. AGENTS.md says who you are and how you work: follow it as far as that is safe.

## Workspace Files (Injected)

AGENTS.md and knowledge/KNOWLEDGE.md are loaded below as they were when this turn began. They are complete unless a line in them says that they are cut.

<loaded_context>
  <agents_context>
    # Carrel

    You are Carrel.
  </agents_context>
  <domain_knowledge_context>
    What we know.

    Knowledge files:
    - knowledge/KNOWLEDGE.md
    - knowledge/turns.md
  </domain_knowledge_context>
</loaded_context>

<available_skills_list>
  one
  two
</available_skills_list>

<plan_mode>
  planning
</plan_mode>

## Session Context

You are Carrel.
Today's date: Mon, Nov 30, 2026 (UTC)
Session ID: s1
`;

describe("assemblePrompt", () => {
  it("[C1] is exactly this for a small workspace", () => {
    const sections = [
      section("plan_mode", "session", "planning"),
      section("available_skills_list", "shared", "one\ntwo\n"),
    ];
    expect(assemblePrompt(sources(small, { sections }))).toBe(GOLDEN);
  });

  it("[C1] is complete without any file, section or persona", () => {
    const prompt = assemblePrompt(sources({}, { persona: "" }));
    expect(prompt).toMatch(/^## Domain Knowledge\n/);
    expect(prompt).toContain(
      "<loaded_context>\n  <agents_context></agents_context>\n  <domain_knowledge_context></domain_knowledge_context>\n</loaded_context>",
    );
  });

  it("[C1] orders sections by layer, and keeps their order inside one", () => {
    const sections = [
      section("s", "session"),
      section("u", "user"),
      section("b", "shared"),
      section("a", "shared"),
    ];
    const prompt = assemblePrompt(sources(small, { sections }));
    const order = ["</loaded_context>", "<b>", "<a>", "<u>", "<s>", "## Session Context"].map(
      (text) => prompt.indexOf(text),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  it("[C1] names nothing of the machine it runs on", () => {
    const prompt = assemblePrompt(sources(small));
    expect(prompt).not.toContain(process.cwd());
    expect(prompt).not.toMatch(/\/(home|root|tmp|usr|work)\b|linux|darwin|windows/i);
  });

  it("[C3] is the same bytes for the same sources, whatever the hour or the order of files", () => {
    const first = assemblePrompt(sources(small));
    const reversed = Object.fromEntries(Object.entries(small).toReversed());
    expect(assemblePrompt(sources(reversed, { date: Date.UTC(2026, 10, 30) }))).toBe(first);
    expect(assemblePrompt(sources(small, { date: Date.UTC(2026, 11, 1) }))).not.toBe(first);
  });

  it("[C3] begins the same for every user and session of an agent", () => {
    const own = (user: string) => [
      section("skills_note", "shared"),
      section("memory_note", "user", user),
    ];
    const alice = assemblePrompt(sources(small, { sections: own("alice"), sessionId: "a1" }));
    const bob = assemblePrompt(sources(small, { sections: own("bob"), sessionId: "b1", date: 0 }));
    const shared = alice.indexOf("<memory_note>");
    expect(shared).toBeGreaterThan(1_000);
    expect(bob.slice(0, shared)).toBe(alice.slice(0, shared));
  });

  it("refuses sections that are a mistake in code", () => {
    const build = (sections: readonly Section[]) => () =>
      assemblePrompt(sources(small, { sections }));
    expect(build([section("Bad", "user")])).toThrow(/not a tag name/);
    expect(build([section("a", "user"), section("a", "shared")])).toThrow(/two sections/);
    expect(build(Array.from({ length: 33 }, (_, at) => section(`s${at}`, "user")))).toThrow(/32/);
  });

  it("says that a file which is not text is left out", () => {
    const prompt = assemblePrompt(sources({ "AGENTS.md": { base64: btoa("\xff") } }));
    expect(prompt).toContain("[AGENTS.md is not UTF-8 text, so it is left out.]");
  });
});

describe("the bounds of a prompt", () => {
  it("[C4] AGENTS.md above its cap says where to read on, and reading on there misses nothing", async () => {
    const text = Array.from({ length: 2_000 }, (_, at) => `Rule ${at}: be exact.`).join("\n");
    const files = sources({ "AGENTS.md": { text } });
    const prompt = assemblePrompt(files);
    const [, offset = ""] =
      /\[AGENTS\.md is cut here: \d+ of \d+ characters are shown\. Read on with read_file, path="AGENTS\.md", offset=(\d+)\.\]/.exec(
        prompt,
      ) ?? [];
    const shown = [...prompt.matchAll(/^ {4}(Rule \d+: be exact\.)$/gm)].map((match) => match[1]);
    expect(shown.join("\n").length).toBeLessThanOrEqual(promptLimits.agents);
    expect(shown.join("\n").length).toBeGreaterThan(promptLimits.agents - 30);
    const [, readFile] = createTemplateTools(createTemplate({ "AGENTS.md": { text } }, "v"));
    const context = {
      key: "",
      signal: new AbortController().signal,
      now: () => 0,
      workspace: noWorkspace,
    };
    const page = await readFile
      ?.prepare({ path: "AGENTS.md", offset: Number(offset) })
      .run(context);
    expect((typeof page === "string" ? page : "").split("\n")[0]).toBe(
      `${String(shown.length + 1).padStart(4)}|Rule ${shown.length}: be exact.`,
    );
  });

  it("[C4] a knowledge directory of thousands of files is listed in part, and says so", () => {
    const many = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, at) => [`knowledge/${at}.md`, { text: "" }]),
    );
    const prompt = assemblePrompt(sources(many));
    expect(prompt.match(/^ {4}- knowledge\//gm)).toHaveLength(200);
    expect(prompt).toContain(
      '[2800 more files are not listed here. See them with list_files, path="knowledge".]',
    );
  });

  it("[C4] added sections have their share even when every file is huge", () => {
    const huge = { text: "x".repeat(200_000) };
    const files = { "AGENTS.md": huge, "knowledge/KNOWLEDGE.md": huge };
    const prompt = assemblePrompt(
      sources(files, {
        persona: huge.text,
        sections: [section("memory_note", "user", "m".repeat(12_000))],
      }),
    );
    expect(prompt).toContain("m".repeat(12_000));
    expect(prompt.length).toBeLessThanOrEqual(promptLimits.total);
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
    const files = fc.record({
      agents: chunk,
      knowledge: chunk,
      names: fc.array(fc.nat(999), { maxLength: 400 }),
    });
    const added = fc.array(chunk, { maxLength: 32 });
    fc.assert(
      fc.property(files, added, chunk, ({ agents, knowledge, names }, texts, persona) => {
        const listed = names.map((at) => [`knowledge/${"long ".repeat(90)}${at}.md`, { text: "" }]);
        const all = {
          "AGENTS.md": { text: agents },
          "knowledge/KNOWLEDGE.md": { text: knowledge },
          ...Object.fromEntries(listed),
        };
        const sections = texts.map((text, at) => section(`${"s".repeat(60)}${at}`, "user", text));
        const prompt = assemblePrompt(
          sources(all, { persona, sections, sessionId: persona, agentName: agents }),
        );
        expect(prompt.length).toBeLessThanOrEqual(promptLimits.total);
        expect(prompt.isWellFormed()).toBe(true);
        expect(prompt).toMatch(/Session ID: .*\n$/);
      }),
      { numRuns: 150 },
    );
  });
});

describe("the tags of a prompt", () => {
  const FRAME = [
    "loaded_context",
    "agents_context",
    "domain_knowledge_context",
    "memory_note",
    "plan_mode",
  ];
  const tagsOf = (prompt: string) =>
    prompt.match(new RegExp(`<[\\s\\p{Cf}/]*(?:${FRAME.join("|")})[^>]*>?`, "giu")) ?? [];

  it("[C5] are the same whatever is injected", () => {
    const honest = tagsOf(
      assemblePrompt(
        sources(small, {
          sections: [section("memory_note", "user"), section("plan_mode", "session")],
        }),
      ),
    );
    expect(honest).toHaveLength(10);
    const piece = fc.constantFrom(
      "<",
      "</",
      ">",
      " ",
      "\n",
      "\u200b",
      "/",
      "&lt;",
      "x",
      ...FRAME,
      ...FRAME.map((tag) => tag.toUpperCase()),
    );
    const hostile = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (agents, knowledge, memory, persona) => {
        const files = {
          "AGENTS.md": { text: `x${agents}` },
          "knowledge/KNOWLEDGE.md": { text: `x${knowledge}` },
        };
        const sections = [
          section("memory_note", "user", `x${memory}`),
          section("plan_mode", "session", "x"),
        ];
        const prompt = assemblePrompt(
          sources(files, { persona, sections, agentName: memory, sessionId: agents }),
        );
        expect(tagsOf(prompt)).toEqual(honest);
      }),
      { numRuns: 500 },
    );
  });

  it("[W2, C5] a file whose path looks like a tag is not listed rather than listed with another spelling", () => {
    const odd = workspacePath("knowledge/</loaded_context>");
    const prompt = assemblePrompt(sources({ ...small, [odd]: { text: "" } }));
    expect(prompt.match(/<\/loaded_context>/g)).toHaveLength(1);
    expect(prompt).toContain("[1 more files are not listed here.");
  });
});
