import { describe, expect, it } from "vitest";
import { createDeployment } from "../../../src/harness.ts";
import { createFileTools } from "../../../src/tools/files/file-tools.ts";
import { workspacePath } from "../../../src/workspace/layers/path.ts";
import { nodeWorkspace } from "../../support/node-workspace.ts";
import { toolContext } from "../../support/tool-context.ts";

const protect = ["SOUL.md", "notes/style/voice.md"].map(workspacePath);

async function use(name: string, input: object, tools = createFileTools(protect)) {
  const workspace = nodeWorkspace({
    "SOUL.md": "text",
    "notes/style/voice.md": "text",
    "notes/free.md": "text",
    "free/a.md": "text",
  });
  const tool = tools.find((candidate) => candidate.name === name);
  const result = tool?.prepare(input).run(toolContext({ workspace }));
  const outcome = await Promise.resolve(result).then(
    () => "done",
    (error: unknown) => error,
  );
  return { outcome, requests: workspace.requests };
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

describe("a file that a definition adds to every prompt", () => {
  it.each([
    "SOUL.md",
    "./SOUL.md",
    "/SOUL.md",
    "SOUL.md/x",
    "notes/style/voice.md",
    "notes/style",
    "notes",
  ])("[W18] is out of reach of all file tools, as %s", async (path) => {
    for (const [name, input] of changes(path)) {
      const { outcome, requests } = await use(name, input);
      expect(outcome, name).toMatchObject({
        code: "forbidden",
        message: expect.stringMatching(/part of every prompt.*Only a person may change it/),
      });
      expect(requests).toEqual([]);
    }
  });

  it("[W18] can be read, and what is beside it is free", async () => {
    expect((await use("read_file", { path: "SOUL.md" })).outcome).toBe("done");
    expect((await use("write_file", { path: "notes/new.md", content: "x" })).outcome).toBe("done");
    expect((await use("delete_file", { path: "notes/free.md" })).outcome).toBe("done");
    expect((await use("write_file", { path: "soul.md.bak", content: "x" })).outcome).toBe("done");
  });

  it("[W18] is protected by the tools of an agent that has it", async () => {
    const agent = { id: "main", additionalContextFiles: ["SOUL.md"] };
    const { capabilities } = createDeployment([agent]).harness("main", {} as never);
    const offers = capabilities.map(async (capability) => capability.tools?.({} as never) ?? []);
    const tools = (await Promise.all(offers)).flat().filter((tool) => tool.runsOn !== "client");
    expect(
      (await use("write_file", { path: "SOUL.md", content: "x" }, tools)).outcome,
    ).toMatchObject({
      code: "forbidden",
    });
  });
});
