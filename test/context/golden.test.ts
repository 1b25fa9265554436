import { describe, expect, it } from "vitest";
import { assemblePrompt } from "../../src/context/prompt.ts";
import { promptOptionsOf } from "../../src/define-agent.ts";
import { promptLimits } from "../../src/context/prompt-sources.ts";
import { workspacePath } from "../../src/workspace/layers/path.ts";
import { snapshotOver } from "../support/snapshot-over.ts";
import { promptOf, section, small, sources } from "./prompt-lab.ts";

const memory = {
  "MEMORY.md": "# Memory\n\n## People\n\n- Ann likes tea.\n- Ben is away until May.\n",
};
const sections = [
  section("plan_mode", "session", "planning"),
  section("available_skills_list", "shared", "one\ntwo\n"),
  section("profile", "user", "likes tables"),
];

const lines = (count: number, text: string) =>
  Array.from({ length: count }, (_, at) => `${text} ${at}.`).join("\n");

const tight = {
  ...promptLimits,
  persona: 120,
  agents: 200,
  knowledge: 150,
  knowledgeEntries: 5,
  file: 100,
  files: 700,
  environment: 90,
  sections: 600,
  memoryFloor: 220,
};

describe("the golden prompts", () => {
  const golden = (name: string, prompt: string) =>
    expect(prompt).toMatchFileSnapshot(`golden/${name}.txt`);

  it("[C1] the default agent", async () => {
    const { sections: none, sessionId, date } = sources({});
    const options = promptOptionsOf({ id: "main" });
    const snapshot = snapshotOver(options, { template: small });
    const prompt = assemblePrompt({ ...options, snapshot, sections: none, sessionId, date });
    await golden("default", prompt.text);
  });

  it("[C1] a user with a memory and a persona of their own", async () => {
    const own = { ...memory, "AGENTS.md": "Call me Ann.\n", "knowledge/tea.md": "Green." };
    await golden("user", promptOf({ template: small, own }));
  });

  it("[C1] everything on", async () => {
    const additionalFiles = ["SOUL.md", "docs/Style guide.md", "docs_style/guide.md", "gone.md"];
    const more = {
      sections,
      environmentMemory: "The office closes at six.",
      additionalFiles: additionalFiles.map(workspacePath),
      memory: { isInjected: true, tools: true, hooks: true },
    };
    const template = {
      ...small,
      "SOUL.md": "Kind.",
      "docs/Style guide.md": "Short.\n\n  Exact.",
      "docs_style/guide.md": "Another.",
    };
    const shared = { "knowledge/house.md": "The house rules." };
    await golden("everything-on", promptOf({ template, shared, own: memory }, more));
  });

  it("[C1] everything off", async () => {
    const off = { persona: "", hasWorkspace: false };
    await golden("everything-off", promptOf({ template: small, own: memory }, off));
  });

  it("[C1] no file tools, and memory that is kept by itself", async () => {
    const more = {
      hasFileTools: false,
      memory: { isInjected: true, tools: false, hooks: true },
    };
    await golden("without-file-tools", promptOf({ template: small }, more));
  });

  it("[C1] no memory at all", async () => {
    const more = { memory: { isInjected: false, tools: false, hooks: false } };
    await golden("without-memory", promptOf({ template: small, own: memory }, more));
  });

  it("[C1, C4] everything too long", async () => {
    const files = {
      "AGENTS.md": lines(40, "Rule"),
      "knowledge/KNOWLEDGE.md": lines(40, "Topic"),
      "SOUL.md": lines(40, "Trait"),
      "blob.md": null,
      ...Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`knowledge/${at}.md`, ""])),
    };
    const more = {
      persona: lines(40, "Word"),
      environmentMemory: lines(40, "Place"),
      sections: sections.map((one) => ({ ...one, text: lines(40, one.name) })),
      additionalFiles: [workspacePath("SOUL.md"), workspacePath("blob.md")],
      maxContextTokens: 500,
    };
    const own = { "MEMORY.md": `# Memory\n\n## Facts\n\n${lines(99, "- Fact")}` };
    await golden("over-long", promptOf({ template: files, own }, more, tight));
  });
});
