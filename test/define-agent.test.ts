import { describe, expect, it } from "vitest";
import { assemblePrompt } from "../src/context/prompt.ts";
import { composeSubagents } from "../src/compose-subagents.ts";
import { snapshotRequest } from "../src/context/prompt-sources.ts";
import {
  promptOptionsOf,
  templateOf,
  compactionOf,
  type AgentDefinition,
} from "../src/define-agent.ts";
import type { Env } from "../src/env.ts";
import { createDeployment } from "../src/harness.ts";
import { currentTime } from "../src/tools/current-time.ts";
import { createMemoryTools } from "../src/memory/tools/memory-tools.ts";
import { fileTools } from "../src/tools/files/file-tools.ts";
import type { Tool } from "../src/tools/tool.ts";
import { loadSkill as loadSkillTool } from "../src/skills/tools/load-skill.ts";
import type { PreparingScope } from "../src/turn/capability.ts";
import { defaultCompaction } from "../src/turn/compaction/config.ts";
import { defaultContext } from "../src/turn/compaction/options.ts";
import { createSnapshots } from "../src/workspace/read/snapshot.ts";
import { createTemplate, type Template } from "../src/workspace/layers/template.ts";
import { layersOver } from "./support/bucket-parts.ts";
import { readableBucket } from "./support/readable-bucket.ts";
import { SessionLab } from "./turn/session-lab.ts";

type Options = Omit<AgentDefinition, "id">;

const noEnv = {} as Env;
const noScope = {} as PreparingScope;

const bytes = new Uint8Array([0x89, 0x50, 0, 0xff]);
const base64 = btoa("\x89P\0\xff");

/** What a tool is to the model. */
const specOf = ({ name, description, inputSchema }: Tool) => ({ name, description, inputSchema });

/** What every turn is offered, whoever asks. */
async function toolsOf(definition: AgentDefinition, bundled: Template) {
  const { capabilities } = createDeployment([definition], bundled).harness(definition.id, noEnv);
  const offered = await Promise.all(
    capabilities.map(async (one) => (await one.tools?.(noScope)) ?? []),
  );
  return offered.flat().map(specOf);
}

/** The prompt of a new user, the tools, and all files as they see them. */
async function seenBy(definition: AgentDefinition, bundled: Template) {
  const template = templateOf(definition, bundled);
  const layers = layersOver(readableBucket({ "MEMORY.md": "- tea" }), { template });
  const options = promptOptionsOf(definition);
  const request = snapshotRequest(options, null);
  if (!request) throw new Error("a prompt without files");
  const snapshot = await createSnapshots(layers)(request);
  if (snapshot === "unchanged") throw new Error("unchanged from nothing");
  const files = await Promise.all(
    layers.overlay().entries.map(async (entry) => {
      const { type, size } = entry.file;
      return {
        path: entry.path,
        layer: entry.layer,
        type,
        size,
        content: await layers.content(entry),
      };
    }),
  );
  const session = { sections: [], sessionId: "s1", date: 0 };
  const prompt = assemblePrompt({ ...options, ...session, snapshot }).text;
  return { prompt, files, tools: await toolsOf(definition, bundled) };
}

const loadSkill = loadSkillTool({
  catalogueOf: () => Promise.reject(new Error("no turn")),
  skillsOf: () => {
    throw new Error("no bucket");
  },
  groups: [],
});
const memoryTools = createMemoryTools({
  memoryOf: () => ({ forget: () => Promise.reject(new Error("nothing to forget")) }),
  canForget: true,
});

describe("the memory that users share", () => {
  it.each([
    ["USER", true],
    ["SESSION", true],
    ["AGENT", false],
    ["GLOBAL", false],
  ] as const)("[I1] under %s a user's agent may forget: %s", async (isolationScope, may) => {
    const names = (await toolsOf({ id: "main", isolationScope }, createTemplate({}, "v1"))).map(
      ({ name }) => name,
    );
    expect(names).toContain("memory_save");
    expect(names.includes("memory_forget")).toBe(may);
  });
});

describe("what is set by file and by code", () => {
  const rest = { "AGENTS.md": { text: "Bundled." }, "skills/a/old.sh": { text: "old" } };
  const without = (path: string) =>
    Object.fromEntries(Object.entries(rest).filter(([key]) => !key.startsWith(path)));

  it.each<[string, string, string, Options?]>([
    ["the persona", "AGENTS.md", "You are Ann's agent.\r\n"],
    ["a blank persona", "AGENTS.md", ""],
    ["the knowledge index", "knowledge/KNOWLEDGE.md", "What we know."],
    ["a knowledge file", "knowledge/deep/turns.md", "About turns."],
    ["an additional file", "docs/SOUL.md", "Kind.", { additionalContextFiles: ["/docs//SOUL.md"] }],
    ["the tools' configuration", "tools.json", '{"deny":["move_file"]}'],
    ["a subagent", "subagents/critic.md", "---\nname: critic\n---\n"],
    ["a working file", "notes/a.md", "\uFEFFmarked"],
  ])("[C1] set by file and by code: %s", async (_, path, text, options = {}) => {
    const bundled = createTemplate({ ...without(path), [path]: { text } }, "v1");
    const byFile = await seenBy({ id: "main", ...options }, bundled);
    for (const given of [text, new TextEncoder().encode(text)]) {
      const definition = { id: "main", ...options, files: { [`/${path}`]: given } };
      expect(await seenBy(definition, createTemplate(rest, "v2"))).toEqual(byFile);
    }
    expect(byFile.files.map((file) => file.path)).toContain(path);
    expect(byFile.tools.map((tool) => tool.name)).toContain("move_file");
  });

  it("[C1] set by file and by code: a skill, which replaces the bundled one of that name whole", async () => {
    const skill = { "skills/a/SKILL.md": "new", "skills/a/run.sh": "new" };
    const texts = Object.entries(skill).map(([path, text]) => [path, { text }] as const);
    const bundled = createTemplate({ ...without("skills"), ...Object.fromEntries(texts) }, "v1");
    const byCode = await seenBy({ id: "main", files: skill }, createTemplate(rest, "v2"));
    expect(byCode).toEqual(await seenBy({ id: "main" }, bundled));
  });

  it("[C1] set by file and by code: a file that is not text", async () => {
    const bundled = createTemplate({ ...rest, "knowledge/logo.png": { base64 } }, "v1");
    const files = { "knowledge/logo.png": bytes };
    const byCode = await seenBy({ id: "main", files }, createTemplate(rest, "v2"));
    expect(byCode).toEqual(await seenBy({ id: "main" }, bundled));
  });
});

describe("tools", () => {
  it("[C1] are those of the definition before the built-in ones, and the prompt speaks of those that are there", async () => {
    const own = { ...currentTime, name: "own_tool" };
    const bundled = createTemplate({}, "v1");
    const subagents = composeSubagents({ id: "main" })?.tools() ?? [];
    expect(subagents.map(({ name }) => name)).toContain("agent_spawn");
    const builtIn = [currentTime, ...fileTools, ...memoryTools, loadSkill, ...subagents];
    const all = await seenBy({ id: "main", tools: [own] }, bundled);
    expect(all.tools).toEqual([own, ...builtIn].map(specOf));
    const lacking = async (options: Options, gone: readonly Tool[]) => {
      const seen = await seenBy({ id: "main", ...options }, bundled);
      expect(seen.tools).toEqual(builtIn.filter((tool) => !gone.includes(tool)).map(specOf));
      for (const { name } of gone) expect(seen.prompt).not.toContain(name);
    };
    await lacking({ disableFilesystemTools: true }, fileTools);
    await lacking({ disableMemoryTools: true }, memoryTools);
    await lacking({ disableSubagents: true }, subagents);
  });
});

describe("promptOptionsOf", () => {
  it("has the defaults of AgentScope", () => {
    expect(promptOptionsOf({ id: "main" })).toEqual({
      persona: "",
      agentName: "main",
      environmentMemory: "",
      hasWorkspace: true,
      hasFileTools: true,
      additionalFiles: [],
      maxContextTokens: 8_000,
      memory: { isInjected: true, tools: true, hooks: true },
    });
  });

  it("follows the definition", () => {
    const definition: AgentDefinition = {
      id: "main",
      name: "Ann",
      systemPrompt: "Be brief.",
      environmentMemory: "Here.",
      additionalContextFiles: ["/a//b.md"],
      maxContextTokens: 500,
      disableWorkspaceContext: true,
      disableFilesystemTools: true,
    };
    expect(promptOptionsOf(definition)).toMatchObject({
      persona: "Be brief.",
      agentName: "Ann",
      environmentMemory: "Here.",
      additionalFiles: ["a/b.md"],
      maxContextTokens: 500,
      hasWorkspace: false,
      hasFileTools: false,
    });
  });
});

describe("how much of a conversation the model sees", () => {
  it("is AgentScope's, with what the definition says", () => {
    expect(compactionOf({ id: "main" })).toEqual(defaultCompaction);
    expect(compactionOf({ id: "main", compaction: { keepMessages: 3 } })?.keepMessages).toBe(3);
    expect(compactionOf({ id: "main", disableCompaction: true })).toBeNull();
    const compaction = { model: "offline", keepMessages: 10 };
    const definition = { id: "main", compaction, disableSessionPersistence: true };
    const { context } = createDeployment([definition]).harness("main", noEnv);
    expect(context).toMatchObject({ isPerTurn: true, compaction, summariser: { id: "offline" } });
  });

  it("without session persistence leaves each turn its own messages only, tool calls included", async () => {
    const lab = new SessionLab({ context: { ...defaultContext, isPerTurn: true } });
    const call = { name: "unsafe_thing", input: '{"label":"a"}' };
    for (const key of ["t1", "t2"]) {
      lab.say(key, [{ text: "First.", calls: [call] }, { text: "Second." }]);
      await lab.settle();
    }
    expect(lab.witness.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ["user"],
      ["user", "assistant", "tool"],
      ["user"],
      ["user", "assistant", "tool"],
    ]);
    expect(lab.story("t1")).toContain("end:completed");
  });
});
