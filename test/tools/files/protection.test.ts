import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CarrelError } from "../../../src/shared/errors.ts";
import { refuseProtectedFile } from "../../../src/tools/files/protection.ts";
import { ruleOf } from "../../../src/workspace/layers/path-rules.ts";
import { workspacePath } from "../../../src/workspace/layers/path.ts";
import { Desk } from "./using.ts";

const files = [
  ["AGENTS.md", "Only a person"],
  ["tools.json", "Only a person"],
  ["knowledge/notes.md", "Only a person"],
  ["skills/x/SKILL.md", "skill_manage"],
  ["skills/_drafts/y/SKILL.md", "propose_skill"],
  [".agents/skills/z/SKILL.md", "skill_manage"],
  [".skills-cache/team-1/abc/SKILL.md", "kept by the system"],
  ["subagents/a.md", "agent_generate"],
  ["MEMORY.md", "memory_save"],
  ["memory/2026-01-02.md", "memory_save"],
  ["memory/archive/2025-01-02.md", "memory_save"],
  ["plans/s1/PLAN.md", "plan_write"],
  ["agents/main/sessions/s1.log.jsonl", "kept by the system"],
  ["large_tool_results/r1", "kept by the system"],
  [".index/workspace.db", "kept by the system"],
  [".agents/skills/x/SKILL.md", "skill_manage"],
  [".agents/other.md", "kept by the system"],
  [".skills-cache/hub/index.json", "kept by the system"],
] as const;

/** All of them, and two files that are free. */
async function stored(): Promise<Desk> {
  const desk = new Desk();
  for (const path of ["free/a.md", ".note", ...files.map(([each]) => each)])
    await desk.workspace.put(path, "text");
  return desk;
}

/** Every way in which a file tool could change what lies at a path. */
const changes = (path: string): readonly (readonly [string, object])[] => [
  ["write_file", { path, content: "new" }],
  ["edit_file", { path, old_string: "text", new_string: "new" }],
  ["multi_edit", { path, edits: [{ old_string: "text", new_string: "new" }] }],
  ["move_file", { from: path, to: "free/b.md", overwrite: true }],
  ["move_file", { from: "free/a.md", to: path, overwrite: true }],
  ["move_file", { from: "free", to: path, overwrite: true }],
  ["delete_file", { path }],
];

/** Tries all of them after reading the file, and says what became of it. */
async function attack(spelling: string, attacks = changes(spelling)): Promise<string[]> {
  const refusals: string[] = [];
  for (const [name, input] of attacks) {
    const desk = await stored();
    const before = await desk.workspace.files();
    await desk.use("read_file", { path: spelling }).catch(() => "");
    const error: unknown = await desk.use(name, input).then(
      (text) => new Error(`${name} did it: ${text}`),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(CarrelError);
    expect(await desk.workspace.files()).toEqual(before);
    refusals.push(error instanceof CarrelError ? error.message : "");
  }
  return refusals;
}

describe("file tools", () => {
  it.each(files)("[W18] do not change %s, and say that %s may", async (path, who) => {
    for (const refusal of await attack(path)) expect(refusal).toContain(who);
  });

  it("[W18] do not change a directory that holds protected files, or the root", async () => {
    const whole = [
      "knowledge",
      "skills/x",
      "skills",
      "memory",
      "plans",
      "agents",
      ".index",
      "",
      "/.",
    ];
    for (const path of whole) await attack(path);
  });

  it("[W18] do not put anything below a protected file, or where one would be", async () => {
    for (const path of [
      "AGENTS.md/x",
      "MEMORY.md/x",
      "tools.json/a/b",
      "knowledge/new.md",
      ".new/x",
    ]) {
      const created = changes(path).filter(
        ([name, input]) => name === "write_file" || "from" in input,
      );
      await attack(path, created);
    }
  });

  it("[W18] know the protected paths in every spelling", async () => {
    const noise = fc.constantFrom("", "/", "./", "//", "/./", "././");
    const spelling = fc
      .tuple(fc.constantFrom(...files.map(([path]) => path)), fc.array(noise, { maxLength: 6 }))
      .map(([path, around]) => {
        const names = path.split("/");
        const joined = names.map((name, at) => (at === 0 ? name : `/${around[at] ?? ""}${name}`));
        return `${around[0] ?? ""}${joined.join("")}${around.at(-1) === "" ? "" : "/."}`;
      });
    await fc.assert(
      fc.asyncProperty(spelling, fc.nat(6), async (path, which) => {
        await attack(path, changes(path).slice(which, which + 1));
      }),
      { seed: 18, numRuns: 200 },
    );
  });

  it("[W18] refuse every path that is not for working files", () => {
    const name = fc.constantFrom(
      ...files.flatMap(([path]) => path.split("/")),
      "a",
      ".b",
      "_c",
      "agents.md",
      "Knowledge",
    );
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
        const path = workspacePath(names.join("/"));
        if (ruleOf(path).kind !== "working")
          expect(() => refuseProtectedFile(path)).toThrow(CarrelError);
      }),
      { seed: 18, numRuns: 500 },
    );
  });

  it("change working files, also those whose names look alike", async () => {
    for (const path of [
      "agents.md",
      "Knowledge/a.md",
      "notes/AGENTS.md",
      "a/.b/c",
      "memory.md",
      ".env",
    ]) {
      const desk = new Desk();
      await desk.use("write_file", { path, content: "text" });
      await desk.use("edit_file", { path, old_string: "text", new_string: "new" });
      await desk.use("move_file", { from: path, to: "moved" });
      await desk.use("move_file", { from: "moved", to: ".moved" });
      await desk.use("delete_file", { path: ".moved" });
      expect(await desk.workspace.files()).toEqual({});
    }
  });

  it("read what they may not change", async () => {
    const desk = await stored();
    for (const [path] of files) expect(await desk.use("read_file", { path })).toBe("   1|text");
  });
});
