import { describe, expect, it } from "vitest";
import { estimateToolTokens } from "../src/context/tokens.ts";
import { skillsPatient } from "../src/compose-skills.ts";
import { subagentsPatient } from "../src/compose-subagents.ts";
import type { AgentDefinition } from "../src/define-agent.ts";
import { examine, type Patient } from "../src/doctor.ts";
import type { Env } from "../src/env.ts";
import { currentTime } from "../src/tools/current-time.ts";
import { fileTools } from "../src/tools/files/file-tools.ts";
import { BY } from "./support/bucket-parts.ts";
import { nodeWorkspace } from "./support/node-workspace.ts";
import { WorkspaceLab } from "./support/workspace-lab.ts";

const env = {} as Env;

const patient = (definition: AgentDefinition, given: Partial<Patient> = {}): Patient => ({
  definition,
  scope: "USER",
  template: "v1",
  workspace: nodeWorkspace({ "AGENTS.md": "You are a kiwi." }),
  owner: { agent: "main", user: "ann", session: null },
  skills: null,
  subagents: null,
  tools: [],
  ...given,
});

describe("the doctor", () => {
  it("[C9] says who the agent is, in which buckets it lives and what its prompt holds", async () => {
    const definition = { id: "main", name: "Kiwi", description: "Sleeps by day." };
    const owner = { agent: "main", user: "ann", session: "s1" };
    const doctor = await examine(patient(definition, { owner }), env);
    expect(doctor).toMatchObject({
      agent: definition,
      scope: "USER",
      store: "r2",
      template: "v1",
      usage: { files: 0, unsettled: 0 },
      records: null,
    });
    const agents = doctor.prompt.parts.find(({ path }) => path === "AGENTS.md");
    expect(agents).toMatchObject({ state: "loaded", chars: 15, layer: "template" });
  });

  it("[C9] [U1] names its subagents, and what is wrong with their declarations", async () => {
    const definition = {
      id: "main",
      subagents: [{ id: "coder", description: "Writes code.", body: "" }],
    };
    const workspace = nodeWorkspace({
      "subagents/critic.md": "---\ndescription: Finds mistakes.\nsteps: many\n---\nFind them.",
      "subagents/empty.md": "No front matter.",
    });
    const subagents = subagentsPatient(definition);
    const doctor = await examine(patient(definition, { workspace, subagents }), env);
    expect(doctor.subagents?.declared.map(({ id }) => id)).toEqual([
      "coder",
      "critic",
      "general-purpose",
    ]);
    expect(doctor.subagents?.problems).toEqual([
      { id: "critic", why: "steps must be a number from 1 to 1000; it has the default." },
      { id: "empty", why: expect.any(String) },
    ]);
    const told = doctor.prompt.parts.find(({ what }) => what === "subagents");
    expect(told).toMatchObject({ state: "loaded", entries: { shown: 3, total: 3 } });
  });

  it("[C9] counts what each tool that is offered costs, and a name that is taken once", async () => {
    const own = { ...currentTime, name: "read_file" };
    const tools = [own, currentTime, ...fileTools];
    const doctor = await examine(patient({ id: "main" }, { tools }), env);
    const [first, second] = doctor.tools.offered;
    expect(first).toEqual({ name: "read_file", tokens: estimateToolTokens(own) });
    expect(second).toEqual({ name: currentTime.name, tokens: estimateToolTokens(currentTime) });
    expect(doctor.tools.offered).toHaveLength(1 + fileTools.length);
    const sum = doctor.tools.offered.reduce((total, { tokens }) => total + tokens, 0);
    expect(doctor.tools.tokens).toBe(sum);
  });

  it("[C9] names the capabilities whose sections and tools only a turn knows, and asks none of them", async () => {
    const fail = () => {
      throw new Error("asked without a turn");
    };
    const capabilities = [
      { name: "memory", sections: fail, tools: fail },
      { name: "watch", wrapTurn: fail },
      { name: "search", tools: fail },
    ];
    const { perTurn } = await examine(patient({ id: "main", capabilities }), env);
    expect(perTurn).toEqual([
      { capability: "memory", adds: ["sections", "tools"] },
      { capability: "search", adds: ["tools"] },
    ]);
  });

  it("[C9] shows what the user's records take apart from what users share", async () => {
    const workspace = new WorkspaceLab().workspace({}, "AGENT");
    for (const [path, text] of [
      ["notes/a.md", "abc"],
      ["agents/main/sessions/s1.log.jsonl", "{}\n"],
    ] as const)
      await workspace.change({ by: BY, changes: [{ kind: "append", path, text }] });
    const { usage, records } = await examine(patient({ id: "main" }, { workspace }), env);
    const none = { files: 0, bytes: 0, logs: 0, logBytes: 0 };
    expect(usage).toMatchObject({ ...none, files: 1, bytes: 3, unsettled: 1 });
    expect(records).toMatchObject({ ...none, logs: 1, logBytes: 3, unsettled: 1 });
  });

  it("[C9] says what the list of skills costs, which are loaded with which warnings, and which are left out", async () => {
    const workspace = nodeWorkspace({
      "skills/pdf/SKILL.md": "---\nname: PDF\ndescription: Fills forms.\n---\nDo it.\n",
      "skills/broken/SKILL.md": "nothing",
    });
    const definition = { id: "main" };
    const skills = skillsPatient(definition);
    const doctor = await examine(patient(definition, { workspace, skills }), env);
    const part = doctor.prompt.parts.find(({ what }) => what === "available_skills");
    expect(part).toMatchObject({ state: "loaded" });
    expect(doctor.skills).toMatchObject({
      loaded: [
        {
          name: "PDF",
          directory: "skills/pdf",
          warnings: [expect.any(String), expect.any(String)],
        },
      ],
      leftOut: [{ what: "skills/broken", kind: "bad" }],
    });
    const without = await examine(patient(definition, { workspace }), env);
    expect(without.skills).toBeNull();
  });

  it("[C9] asks for no file where the prompt has none", async () => {
    const workspace = nodeWorkspace();
    workspace.snapshot = () => Promise.reject(new Error("asked"));
    const definition = { id: "main", disableWorkspaceContext: true };
    const { prompt } = await examine(patient(definition, { workspace }), env);
    expect(prompt.version).toBeNull();
  });
});
