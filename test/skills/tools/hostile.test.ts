import { describe, expect, it } from "vitest";
import { createMemoryTools } from "../../../src/memory/tools/memory-tools.ts";
import { CarrelError } from "../../../src/shared/errors.ts";
import { fileTools } from "../../../src/tools/files/file-tools.ts";
import type { ServerTool } from "../../../src/tools/tool.ts";
import { toolContext } from "../../support/tool-context.ts";
import { document, SkillsDesk } from "./skills-desk.ts";

const place = "skills/x";

/** Spellings of places of skills, and of what is kept about them. */
const paths = [
  ...["", "./", "/", "//", ".//./", "a/../", "../", "~/", "skills/../"].flatMap((before) => [
    `${before}${place}/SKILL.md`,
    `${before}${place}`,
  ]),
  "skills//x//SKILL.md",
  "skills/./x/SKILL.md",
  "skills/x/./scripts/run.py",
  "skills/x/scripts/../SKILL.md",
  "skills/x/SKILL.md/",
  "SKILLS/x/SKILL.md",
  "Skills/x/SKILL.md",
  "skills%2Fx%2FSKILL.md",
  "skills/%78/SKILL.md",
  "skills\\x\\SKILL.md",
  "ſkills/x/SKILL.md",
  "skills/x/SKILL.md\u0000",
  "skills/x/SKILL.md\n",
  "skills",
  "skills/",
  ".",
  "",
  "skills/base/SKILL.md",
  "skills/base",
  "skills/_drafts/x/SKILL.md",
  "skills/_drafts/../x/SKILL.md",
  "skills/.usage.json",
  "skills/.provenance.json",
  "skills/.drafts.json",
  "skills/.archive/x-20260101000000/SKILL.md",
  ".agents/skills/y/SKILL.md",
  ".agents/skills",
  ".agents",
  "./.agents//skills/y",
  ".skills-cache/team/1/SKILL.md",
];

/** Names that would be places, records or prototypes. */
const names = [
  "x",
  "x_own",
  "base",
  "base_template",
  "y",
  "team",
  "new-one",
  "../x",
  "../../x",
  "x/../x",
  "_drafts/x",
  ".archive/x",
  ".usage.json",
  "_drafts",
  ".",
  "..",
  "",
  "__proto__",
  "constructor",
  "toString",
  "X",
  "x ",
  " x",
  "x\n",
  "x\u0000",
  "x/SKILL.md",
  "/x",
  "skills/x",
  "./x",
  "%2e%2e%2fx",
  "..\\x",
  "ｘ",
  "x".repeat(65),
  "x".repeat(5_000),
  "a--b",
  "-a",
];

const supports = [
  "SKILL.md",
  "./SKILL.md",
  "scripts/../SKILL.md",
  "../x/SKILL.md",
  "scripts/../../x/SKILL.md",
  "/skills/x/SKILL.md",
  "scripts/../../../.usage.json",
  "scripts/run.py",
  "scripts\\..\\SKILL.md",
  "references/../../../skills/x/SKILL.md",
  "scripts//../..//SKILL.md",
  "skill.md",
  "__proto__/a",
];

const text = (name: string) => document(name, "Changed.\n");

/** Every way in which file tools write at a path. */
const byPath: readonly (readonly [string, (path: string) => object])[] = [
  ["write_file", (path) => ({ path, content: text("x") })],
  ["edit_file", (path) => ({ path, old_string: "Do it.", new_string: "Changed." })],
  ["multi_edit", (path) => ({ path, edits: [{ old_string: "Do it.", new_string: "Changed." }] })],
  ["move_file", (path) => ({ from: path, to: "free/b.md", overwrite: true })],
  ["move_file", (path) => ({ from: "free/a.md", to: path, overwrite: true })],
  ["move_file", (path) => ({ from: "free", to: path, overwrite: true })],
  ["delete_file", (path) => ({ path })],
  ["memory_save", (path) => ({ content: `- ${path}\n- ${text("x")}` })],
  ["memory_forget", (path) => ({ entries: [path] })],
  ["skill_manage", (file_path) => ({ ...write, name: "x", file_path })],
  ["propose_skill", (path) => ({ ...propose, name: "new-one", scripts: [{ path, content: "x" }] })],
];

const write = { action: "write_file", file_content: "changed" };
const propose = { description: "Changes things.", body: "Changed." };

/** Every way in which a skill is named. */
const byName: readonly (readonly [string, (name: string) => object])[] = [
  ["propose_skill", (name) => ({ ...propose, name })],
  ["skill_manage", (name) => ({ action: "create", name, content: text(name) })],
  ["skill_manage", (name) => ({ action: "create", name, content: text("x") })],
  ["skill_manage", (name) => ({ action: "edit", name, content: text(name) })],
  ["skill_manage", (name) => ({ action: "edit", name, content: text("x") })],
  [
    "skill_manage",
    (name) => ({ action: "patch", name, old_string: "Do it.", new_string: "Changed." }),
  ],
  ["skill_manage", (name) => ({ ...write, name, file_path: "scripts/run.py" })],
  ["skill_manage", (name) => ({ action: "remove_file", name, file_path: "scripts/run.py" })],
  ["skill_manage", (name) => ({ action: "delete", name })],
  ["skill_manage", (name) => ({ action: "delete", name: "x", absorbed_into: name })],
];

const bySupport: readonly (readonly [string, (path: string) => object])[] = [
  ["skill_manage", (file_path) => ({ ...write, name: "x", file_path })],
  ["skill_manage", (file_path) => ({ action: "remove_file", name: "x", file_path })],
  [
    "skill_manage",
    (file_path) => ({ action: "patch", name: "x", file_path, old_string: "1", new_string: "2" }),
  ],
];

const attempts = [
  ...byPath.flatMap(([tool, inputOf]) => paths.map((path) => [tool, inputOf(path)] as const)),
  ...byName.flatMap(([tool, inputOf]) => names.map((name) => [tool, inputOf(name)] as const)),
  ...bySupport.flatMap(([tool, inputOf]) => supports.map((path) => [tool, inputOf(path)] as const)),
];

/** Skills in all layers, some of them used, and files that are free. */
async function stored(): Promise<SkillsDesk> {
  const desk = new SkillsDesk({
    template: {
      "skills/base/SKILL.md": document("base"),
      "skills/base/scripts/run.py": "print(1)\n",
    },
  });
  await desk.put({ "skills/team/SKILL.md": document("team") }, desk.lab.shared());
  await desk.put({
    "skills/x/SKILL.md": document("x"),
    "skills/x/scripts/run.py": "print(1)\n",
    "skills/x/assets/logo": Uint8Array.from([0, 255, 1]),
    ".agents/skills/y/SKILL.md": document("y"),
    "skills/.provenance.json": "{}\n",
    "free/a.md": "text",
  });
  for (const skillId of ["x", "base", "team", "y"])
    await desk.use("load_skill_through_path", { skillId });
  return desk;
}

const isLive = (path: string): boolean =>
  /^(?:skills\/[^._]|skills\/\.(?:usage|provenance)\.json$|\.agents\/|\.skills-cache\/)/.test(path);

/** What skills are in use, and what is known of them: each file's etag and bytes, and what is hidden. */
async function live(desk: SkillsDesk, { bytes = false } = {}): Promise<readonly unknown[]> {
  const workspace = desk.lab.workspace();
  const { entries } = await workspace.tree({ recursive: true, limit: 2_000 });
  const files = entries.flatMap(({ path, layer, file }) =>
    file && isLive(path) ? [{ path, layer, etag: file.etag, executable: file.executable }] : [],
  );
  if (!bytes) return files;
  const contents = await Promise.all(
    files.map(async ({ path }) => (await workspace.read({ path })).content),
  );
  return [...files, ...contents, ...(await workspace.whiteouts())];
}

describe("a model that tries everything", () => {
  it("[K5, W18] changes no live skill by any tool, path or name: 0 of all attempts succeed", async () => {
    const desk = await stored();
    const before = await live(desk, { bytes: true });
    const etags = await live(desk);
    const memory = createMemoryTools({ memoryOf: () => desk.lab.memory(), canForget: true });
    const others = new Map([...fileTools, ...memory].map((tool) => [tool.name, tool]));
    const tools = new Set<string>();
    const succeeded: unknown[] = [];
    let drafts = 0;
    for (const [at, [name, input]] of attempts.entries()) {
      tools.add(name);
      const done = await attempt(desk, others.get(name) ?? serverTool(desk, name), input, at);
      if (done && name.includes("skill")) drafts += 1;
      if (JSON.stringify(await live(desk)) !== JSON.stringify(etags)) succeeded.push([name, input]);
    }
    expect(succeeded).toEqual([]);
    expect(await live(desk, { bytes: true })).toEqual(before);
    expect(tools.size).toBe(9);
    expect(attempts.length).toBeGreaterThan(900);
    // Some of it is what the tools are for.
    expect(drafts).toBeGreaterThan(10);
    const { drafts: made } = await desk.skills().records();
    for (const { name, origin } of made)
      expect([name, origin]).toEqual([expect.stringMatching(/^[a-z0-9-]+$/), "agent"]);
  });
});

function serverTool(desk: SkillsDesk, name: string): ServerTool {
  const tool = desk.tool(name);
  if (tool.runsOn === "client") throw new Error(`${name} runs elsewhere`);
  return tool;
}

/** Whether a call was carried out; all that it may end in else is a refusal. */
async function attempt(desk: SkillsDesk, tool: ServerTool, input: object, at: number) {
  try {
    const context = toolContext({
      op: `s/attempt-${at}`,
      workspace: desk.lab.workspace(),
      now: () => desk.lab.clock.now(),
    });
    await tool.prepare(input).run(context);
    return true;
  } catch (error) {
    if (error instanceof CarrelError) return false;
    throw error;
  }
}
