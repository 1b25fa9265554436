import { describe, expect, it } from "vitest";
import { assemblePrompt } from "../src/context/prompt.ts";
import { snapshotRequest } from "../src/context/prompt-sources.ts";
import {
  checkDefinition,
  promptOptionsOf,
  templateOf,
  windowOf,
  type AgentDefinition,
} from "../src/define-agent.ts";
import { defaultWindow } from "../src/turn/window.ts";
import { createSnapshots } from "../src/workspace/snapshot.ts";
import { createTemplate, type Template } from "../src/workspace/template.ts";
import { layersOver, readableBucket } from "./support/readable-bucket.ts";
import { SessionLab } from "./turn/session-lab.ts";

type Options = Omit<AgentDefinition, "id">;

const bytes = new Uint8Array([0x89, 0x50, 0, 0xff]);
const base64 = btoa("\x89P\0\xff");

describe("checkDefinition", () => {
  const check = (options: Options) => () => checkDefinition({ id: "main", ...options });

  it("accepts what can work", () => {
    expect(check({})).not.toThrow();
    const all: Options = {
      name: "Carrel",
      description: "d".repeat(1_000),
      environmentMemory: "e".repeat(8_000),
      maxContextTokens: 200_000,
      isolationScope: "AGENT",
      files: { "AGENTS.md": "", "/skills/a/SKILL.md": "x", "logo.png": bytes },
      additionalContextFiles: ["SOUL.md", "memory/people.md"],
    };
    expect(check(all)).not.toThrow();
  });

  it.each<[string, Options, RegExp]>([
    ["a blank name", { name: " " }, /name is blank/],
    ["a long name", { name: "n".repeat(257) }, /name has 257 characters, at most 256/],
    ["a long description", { description: "d".repeat(1_001) }, /description has 1001/],
    ["long environment memory", { environmentMemory: "e".repeat(8_001) }, /at most 8000/],
    ["no tokens", { maxContextTokens: 0 }, /maxContextTokens is 0\. Use a whole number/],
    ["half tokens", { maxContextTokens: 1.5 }, /maxContextTokens is 1\.5/],
    ["many tokens", { maxContextTokens: 200_001 }, /from 1 to 200000/],
    ["a path out of the root", { files: { "../x": "" } }, /files has the path "\.\.\/x"\. A path/],
    ["a directory", { files: { "knowledge/": "" } }, /It is a directory/],
    ["the root", { additionalContextFiles: ["/"] }, /additionalContextFiles has the path "\/"/],
    ["a file twice", { files: { "a.md": "", "/a.md": "" } }, /files names a\.md twice/],
    ["a user's file", { files: { "MEMORY.md": "" } }, /MEMORY\.md, but memory and records belong/],
    ["a record", { files: { "agents/main/x": "" } }, /agents\/main\/x, but/],
    [
      "a huge file",
      { files: { "a.bin": new Uint8Array(26 * 1024 * 1024) } },
      /a\.bin with more than 26214400 bytes/,
    ],
    ["own files under GLOBAL", { isolationScope: "GLOBAL", files: { "a.md": "" } }, /GLOBAL/],
    ["what is in already", { additionalContextFiles: ["MEMORY.md"] }, /in every prompt already/],
    ["a session's record", { additionalContextFiles: ["plans/s/PLAN.md"] }, /is a record/],
    [
      "many files",
      { additionalContextFiles: Array.from({ length: 17 }, (_, at) => `${at}.md`) },
      /17 files, at most 16/,
    ],
  ])("refuses %s at start, and says what to change", (_, options, message) => {
    expect(check(options)).toThrow(message);
    expect(check(options)).toThrow('The agent "main" is not defined well. ');
  });

  it("refuses an id that could not be in a route, and a scope that does not exist", () => {
    expect(() => checkDefinition({ id: "a/b" })).toThrow(/The id must be/);
    const scope = JSON.parse('{"id":"main","isolationScope":"TEAM"}') as AgentDefinition;
    expect(() => checkDefinition(scope)).toThrow(/Use one of SESSION, USER, AGENT, GLOBAL/);
  });
});

/** The prompt of a new user, and all files as its tools see them. */
async function seenBy(definition: AgentDefinition, bundled: Template) {
  const template = templateOf(definition, bundled);
  const layers = layersOver(readableBucket({ "MEMORY.md": "- tea" }), { template });
  const options = promptOptionsOf(definition);
  const snapshot = await createSnapshots(layers)(snapshotRequest(options, null));
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
  return { prompt: assemblePrompt({ ...options, ...session, snapshot }).text, files };
}

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
      memory: { isInjected: true, tools: false, hooks: false },
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

describe("windowOf", () => {
  it("is AgentScope's, with what the definition says", () => {
    expect(windowOf({ id: "main" })).toEqual(defaultWindow);
    expect(windowOf({ id: "main", context: { keepMessages: 3 } }).keepMessages).toBe(3);
  });

  it("without session persistence leaves each turn its own messages only, tool calls included", async () => {
    const definition = { id: "main", disableSessionPersistence: true };
    const lab = new SessionLab({ window: windowOf(definition) });
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
