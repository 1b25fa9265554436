import { describe, expect, it } from "vitest";
import type { AgentDefinition } from "../../src/define-agent.ts";
import type { ModelRequest } from "../../src/model/model.ts";
import type { ScriptedStep } from "../support/scripted-model.ts";
import { call } from "../turn/asking-lab.ts";
import { done, FamilyLab, spawn, tool } from "./family-lab.ts";

const found = { text: "Found it.", batches: 1 } as const;
const input = (text: string) => ({ kind: "message", content: [{ type: "text", text }] }) as const;

/** A whole agent with a file `subagents/scout.md` of these lines of front matter. */
async function declaring(
  fields: readonly string[],
  agent: Partial<AgentDefinition> = {},
): Promise<FamilyLab> {
  const lab = new FamilyLab({ agent });
  await write(lab, "subagents/scout.md", declaration(fields));
  return lab;
}

const declaration = (fields: readonly string[]): string =>
  ["---", "description: Scouts.", ...fields, "---", "You are a scout of few words."].join("\n");

async function write(lab: FamilyLab, path: string, text: string): Promise<void> {
  const changes = [{ kind: "write", path, content: { text } }] as const;
  await lab.files?.workspace().change({ by: "user:ann", changes });
}

const scout = (steps: readonly ScriptedStep[], more: object = {}) =>
  spawn(steps, { agent_id: "scout", ...more });

/** One turn that hands this to it; what its model was asked first. */
async function asked(lab: FamilyLab, steps: readonly ScriptedStep[] = [found]) {
  await lab.run("t", { calls: [scout(steps)] }, done);
  const isIts = ({ system }: ModelRequest) => system.includes("You are a subagent");
  const first = lab.witness.requests.find(isIts);
  if (!first) throw new Error(`it was not asked: ${lab.results().join("\n")}`);
  return first;
}

const toolNames = ({ tools }: ModelRequest) => tools.map(({ name }) => name).toSorted();

describe("[U1] of a declaration", () => {
  it("the description is what its parent reads, and the text below its own prompt", async () => {
    const lab = await declaring([]);
    const request = await asked(lab);
    expect(request.system).toContain("You are a scout of few words.");
    expect(lab.witness.requests[0]?.system).toMatch(/scout[^]*Scouts\./);
    expect(lab.witness.requests[0]?.system).not.toContain("of few words");
  });

  it("the model is named", async () => {
    const lab = await declaring(["model: nobody/knows-it"]);
    await lab.run("t", { calls: [scout([found])] }, done);
    expect(lab.results()[0]).toMatch(/status: error\nerror: There is no model "nobody\/knows-it"/);
    expect(lab.witness.requests.some(({ system }) => system.includes("few words"))).toBe(false);
  });

  it("steps, also as maxIters, bound a turn", async () => {
    for (const field of ["steps: 2", "maxIters: 2"]) {
      const lab = await declaring([field]);
      const steps = ["a", "b", "c"].map((label) => ({ calls: [call("read_thing", label)] }));
      await asked(lab, [...steps, found]);
      expect(lab.effects.runs).toEqual(["read_thing:a", "read_thing:b"]);
      expect(lab.results()[0]).toContain("status: error");
    }
  });

  it("temperature and top_p reach the model", async () => {
    const lab = await declaring(["temperature: 0.2", "top_p: 0.9"]);
    expect((await asked(lab)).sampling).toEqual({ temperature: 0.2, topP: 0.9 });
    expect(lab.witness.requests[0]).not.toHaveProperty("sampling");
  });

  it("mode: primary cannot be spawned, subagent can", async () => {
    const lab = await declaring(["mode: primary"]);
    await lab.run("t", { calls: [scout([found])] }, done);
    expect(lab.results()[0]).toContain('no subagent "scout"');
    expect(lab.witness.requests[0]?.system).not.toContain("Scouts.");
    await asked(await declaring(["mode: subagent"]));
  });

  it("hidden is not listed, and can be spawned", async () => {
    const lab = await declaring(["hidden: true"]);
    await asked(lab);
    expect(lab.witness.requests[0]?.system).not.toContain("Scouts.");
  });

  it("expose_to_user lets its person write to it, also after a restart; false does not", async () => {
    for (const [field, isOpen] of [
      ["expose_to_user: true", true],
      ["expose_to_user: false", false],
    ] as const) {
      const lab = await declaring([field]);
      await lab.run("t", { calls: [scout([found], { expose_to_user: true })] }, done);
      const [child = ""] = lab.children;
      lab.restart();
      const request = { key: "x", digest: "x", input: input(JSON.stringify([found])) };
      const said = lab.host(child).session.acceptWithAnswers(request);
      if (!isOpen) await expect(said).rejects.toMatchObject({ code: "forbidden" });
      else expect((await said).isNew).toBe(true);
      await lab.settle();
      expect(lab.entries(child).filter(({ kind }) => kind === "end")).toHaveLength(isOpen ? 2 : 1);
    }
  });

  it("tools are all that it has, built-in ones included; of none it has none", async () => {
    const names = "tools: [read_file, keyed_thing, nothing_such]";
    expect(toolNames(await asked(await declaring([names])))).toEqual(["keyed_thing", "read_file"]);
    expect(toolNames(await asked(await declaring(["tools: []"])))).toEqual([]);
    const all = toolNames(await asked(await declaring([])));
    expect(all).toEqual(expect.arrayContaining(["read_file", "write_file", "unsafe_thing"]));
    expect(all.filter((name) => /^(agent|task|wait)_/.test(name))).toEqual([]);
  });

  it("skills are all that it may load", async () => {
    const skill = (name: string) => `---\nname: ${name}\ndescription: About ${name}.\n---\nDo it.`;
    const files = async (lab: FamilyLab) => {
      for (const name of ["pdf", "docx"]) await write(lab, `skills/${name}/SKILL.md`, skill(name));
    };
    const lab = await declaring(["skills: [pdf]", "workspace: { mode: shared }"]);
    await files(lab);
    const { system } = await asked(lab);
    expect(system).toContain("About pdf.");
    expect(system).not.toContain("About docx.");
    expect(lab.witness.requests[0]?.system).toContain("About docx.");
    const other = await declaring(["workspace: { mode: shared }"]);
    await files(other);
    expect((await asked(other)).system).toContain("About docx.");
  });

  it("persistSession goes on with the same conversation", async () => {
    for (const [field, count] of [
      ["persistSession: true", 1],
      ["persistSession: false", 2],
    ] as const) {
      const lab = await declaring([field]);
      await lab.run("t", { calls: [scout([found])] }, { calls: [scout([found])] }, done);
      expect(lab.children).toHaveLength(count);
    }
  });

  it("inheritParentPermissions: false asks for what its parent allows, also once that has changed", async () => {
    const lab = await declaring(["inheritParentPermissions: false"]);
    const steps = [{ calls: [call("unsafe_thing", "a")] }, { calls: [call("unsafe_thing", "b")] }];
    await lab.run("t", { calls: [scout([...steps, found])] }, done);
    expect(lab.status().pending).toMatchObject([{ name: "unsafe_thing" }]);
    lab.parent.setPermissions({ allow: [{ tool: "unsafe_thing" }] }, "ann");
    await lab.settle();
    expect(lab.effects.runs).toEqual([]);
    const [{ call: id, digest } = { call: "", digest: "" }] = lab.status().pending;
    await lab.answer({ call: id, digest, kind: "approve" });
    expect(lab.effects.runs).toEqual(["unsafe_thing:a"]);
    expect(lab.status().pending).toHaveLength(1);
  });

  it("fields of agents that run elsewhere have no effect, and it works", async () => {
    const lab = await declaring(["url: https://example.org/agent", "headers: { a: b }"]);
    await asked(lab);
    expect(lab.results()[0]).toContain("Found it.");
  });

  it("a file that is changed counts from the next turn on, and one that is bad is left out", async () => {
    const lab = await declaring(["temperature: 0.2"]);
    await asked(lab);
    await write(lab, "subagents/scout.md", declaration(["temperature: 0.7"]));
    await write(lab, "subagents/broken.md", "no front matter");
    await lab.run("u", { calls: [scout([found])] }, done);
    const sampled = lab.witness.requests.flatMap(({ sampling }) => sampling?.temperature ?? []);
    expect(sampled).toEqual([0.2, 0.7]);
  });

  it("[W4] of the template, of all users and of one: the nearest counts, whole, and code before none", async () => {
    const files = (first: string) => ({
      "subagents/scout.md": declaration([`temperature: ${first}`, "hidden: true"]),
    });
    const code = { id: "coded", description: "In code.", body: "Coded.", temperature: 1 };
    const agent = { files: files("0.1"), subagents: [code, { ...code, id: "scout" }] };
    const lab = new FamilyLab({ agent });
    const last = () => lab.witness.requests.flatMap(({ sampling }) => sampling?.temperature ?? []);
    const run = (key: string, agent_id = "scout") =>
      lab.run(key, { calls: [spawn([found], { agent_id })] }, done);
    if (lab.files) lab.files.template = files("0.1");
    await run("template");
    const changes = [
      {
        kind: "write",
        path: "subagents/scout.md",
        content: { text: declaration(["temperature: 0.2"]) },
      },
    ] as const;
    await lab.files?.shared().change({ by: "admin:root", changes });
    await lab.files?.pass(60_000);
    await run("shared");
    await write(lab, "subagents/scout.md", declaration(["temperature: 0.3"]));
    await run("own");
    await run("code", "coded");
    expect(last()).toEqual([0.1, 0.2, 0.3, 1]);
  });

  it("one that is gone goes on with what it was, and no more", async () => {
    const lab = await declaring(["tools: [read_thing]"]);
    await asked(lab);
    const changes = [{ kind: "delete", path: "subagents/scout.md" }] as const;
    await lab.files?.workspace().change({ by: "user:ann", changes });
    const key = /agent_key: (\S+)/.exec(lab.results()[0] ?? "")?.[1];
    const message = JSON.stringify([{ calls: [call("unsafe_thing", "x")] }, found]);
    await lab.run("u", { calls: [tool("agent_send", { agent_key: key, message })] }, done);
    expect(lab.results().at(-1)).toContain("Found it.");
    expect(lab.effects.runs).toEqual([]);
  });
});

describe("[U1] the workspace of a subagent", () => {
  const reads = (path: string) => tool("read_file", { path });
  const writes = (path: string, content: string) => tool("write_file", { path, content });
  const textOf = async (lab: FamilyLab, path: string): Promise<string | null> => {
    const { files } = (await lab.files?.workspace().readMany({ paths: [path] })) ?? { files: [] };
    const content = files[0]?.content;
    return content && "text" in content ? content.text : null;
  };

  it("isolated, it is a directory of its own: nothing outside of it can be named", async () => {
    const lab = await declaring([]);
    await write(lab, "secret.md", "the canary");
    await asked(lab, [
      { calls: [writes("notes.md", "mine")] },
      {
        calls: [
          ...["secret.md", "/secret.md", "../../../secret.md", "a/../../secret.md"].map(reads),
          tool("grep_files", { pattern: "canary" }),
          tool("list_files", {}),
          tool("move_file", { path: "notes.md", to: "../../../stolen.md" }),
        ],
      },
      found,
    ]);
    const [child = ""] = lab.children;
    const told = lab.results(child).join("\n");
    expect(told).not.toMatch(/the canary|agents\/scout/);
    expect(told.match(/"secret.md" does not exist\./g)).toHaveLength(2);
    expect(told).not.toMatch(/Did you mean[^?]*secret/);
    expect(lab.results(child)[6]).toContain("notes.md");
    expect(await textOf(lab, "agents/scout/workspace/notes.md")).toBe("mine");
    expect(await textOf(lab, "stolen.md")).toBeNull();
  });

  it("shared, it is its parent's", async () => {
    const lab = await declaring(["workspace: { mode: shared }"]);
    await write(lab, "plain.md", "for all");
    await asked(lab, [{ calls: [reads("plain.md")] }, { calls: [writes("new.md", "new")] }, found]);
    const [child = ""] = lab.children;
    expect(lab.results(child)[0]).toContain("for all");
    expect(await textOf(lab, "new.md")).toBe("new");
  });

  it("with a path, it lies there, and AGENTS.md of it is in its prompt", async () => {
    const lab = await declaring(["workspace: { mode: isolated, path: desks/scout }"]);
    await write(lab, "desks/scout/AGENTS.md", "Measure twice.");
    const { system } = await asked(lab, [{ calls: [writes("out.md", "out")] }, found]);
    expect(system).toContain("Measure twice.");
    expect(await textOf(lab, "desks/scout/out.md")).toBe("out");
  });

  it("holds what was too large for its conversation, where it can read it", async () => {
    const agent = {
      toolResultEviction: { maxResultChars: 2_000, excludedToolNames: ["read_file"] },
    };
    const lab = await declaring([], agent);
    await write(lab, "agents/scout/workspace/long.txt", "a long line of text\n".repeat(2_000));
    await asked(lab, [{ calls: [tool("grep_files", { pattern: "long" })] }, found]);
    const [child = ""] = lab.children;
    const path = /large_tool_results\S+\.txt/.exec(lab.results(child)[0] ?? "")?.[0] ?? "";
    expect(path).not.toBe("");
    const key = /agent_key: (\S+)/.exec(lab.results()[0] ?? "")?.[1];
    const message = JSON.stringify([{ calls: [reads(path)] }, found]);
    await lab.run("u", { calls: [tool("agent_send", { agent_key: key, message })] }, done);
    expect(lab.results(child).at(-1)).toContain("a long line of text");
  });
});
