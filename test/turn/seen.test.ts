import { describe, expect, it } from "vitest";
import { fileTools } from "../../src/tools/files/file-tools.ts";
import { defaultCompaction } from "../../src/turn/compaction/config.ts";
import { defaultContext } from "../../src/turn/compaction/options.ts";
import type { Files } from "../support/bucket-parts.ts";
import { nodeWorkspace } from "../support/node-workspace.ts";
import type { ScriptedStep } from "../support/scripted-model.ts";
import { atRest } from "./at-rest.ts";
import { SessionLab, type LabOptions } from "./session-lab.ts";

function labOver(files: Files, options: LabOptions = {}) {
  const workspace = nodeWorkspace(files);
  const lab = new SessionLab({
    workspace: () => workspace,
    tools: fileTools,
    attachesFiles: true,
    ...options,
  });
  let turns = 0;
  /** Lets the model make these calls, each list in one step, and gives their outcomes in one line. */
  const run = async (...steps: (readonly (readonly [string, object])[])[]): Promise<string> => {
    const turn = `t${++turns}`;
    const script = steps.map((calls): ScriptedStep => ({
      calls: calls.map(([name, input]) => ({ name, input: JSON.stringify(input) })),
    }));
    lab.say(turn, [...script, { text: "done" }]);
    await atRest(lab);
    return resultsOf(lab, turn)
      .map(({ status }) => status)
      .join(" ");
  };
  return { lab, workspace, run };
}

const resultsOf = (lab: SessionLab, turn?: string) =>
  lab.entries(turn).flatMap((entry) => (entry.kind === "result" ? [entry] : []));

const read = (path: string) => ["read_file", { path }] as const;
const write = (path: string, content = "mine") => ["write_file", { path, content }] as const;
const edit = (path: string, old_string: string, new_string: string) =>
  ["edit_file", { path, old_string, new_string }] as const;

describe("what the model has seen", () => {
  it("[W9] lets it replace a file that it read in this turn or an earlier one", async () => {
    const { run, workspace } = labOver({ "a.md": "a", "b.md": "b" });
    expect(await run([write("a.md")])).toBe("error");
    expect(await run([read("a.md"), read("b.md")], [write("a.md", "1")])).toBe(
      "success success success",
    );
    expect(await run([write("b.md", "2"), write("b.md", "3")])).toBe("success success");
    expect([await workspace.text("a.md"), await workspace.text("b.md")]).toEqual(["1", "3"]);
  });

  it("[W9] is not what it only asked for in the same step", async () => {
    const { run, workspace } = labOver({ "a.md": "a" });
    expect(await run([read("a.md"), write("a.md")])).toBe("success error");
    expect(await workspace.text("a.md")).toBe("a");
  });

  it("[W9] is not what was cut from its context", async () => {
    const long = "All of it.\n".repeat(1_500);
    const { run, workspace } = labOver(
      { "a.md": long },
      {
        context: {
          ...defaultContext,
          compaction: { ...defaultCompaction, triggerTokens: 4_500, keepTokens: 100 },
        },
      },
    );
    await run([read("a.md")]);
    await run();
    await run();
    expect(await run([write("a.md")])).toBe("error");
    expect(await workspace.text("a.md")).toBe(long);
    expect(await run([read("a.md")], [write("a.md")])).toMatch(/^success success/);
  });

  it("[W9] is a file that its message names, if it was attached whole", async () => {
    const { lab, workspace } = labOver({ "a.md": "a", "long.md": "x\n".repeat(2_000) });
    const calls = [write("a.md"), write("long.md")].map(([name, input]) => ({
      name,
      input: JSON.stringify(input),
    }));
    lab.say("t", [{ text: "@a.md @long.md ", calls }, { text: "done" }]);
    await atRest(lab);
    expect(resultsOf(lab).map(({ status }) => status)).toEqual(["success", "error"]);
    expect(await workspace.text("a.md")).toBe("mine");
  });

  it("[W9] does not hold once someone else changed the file", async () => {
    const { run, workspace } = labOver({ "a.md": "a" });
    await run([read("a.md")]);
    await workspace.put("a.md", "theirs");
    expect(await run([write("a.md")])).toBe("error");
    expect(await workspace.text("a.md")).toBe("theirs");
  });

  it("[W15] changes are in the name of agent and session, each under an id of its own", async () => {
    const { run, workspace } = labOver({});
    await run([write("a.md"), write("b.md")]);
    expect(workspace.requests.map(({ by }) => by)).toEqual(["agent:main/s1", "agent:main/s1"]);
    const ops = workspace.requests.map(({ op }) => op);
    expect(new Set(ops).size).toBe(2);
    expect(ops[0]).toMatch(/^v1\/agents\/main\/users\/ann\/sessions\/s1\/t1\/./);
  });

  it("is a file of any name", async () => {
    const { run } = labOver({ constructor: "a" });
    expect(await run([write("toString"), write("constructor"), write("__proto__")])).toBe(
      "success error success",
    );
    expect(await run([write("__proto__", "again"), read("constructor")])).toBe("success success");
  });
});

describe("a change whose result was lost with the object", () => {
  it.each([
    ["write_file", [write("new.md")]],
    ["write_file over a file", [write("seen.md")]],
    ["edit_file", [edit("seen.md", "s", "ss")]],
    ["edit_file, unseen", [edit("a.md", "a", "aa")]],
    ["move_file", [["move_file", { from: "a.md", to: "b.md" }]]],
    ["delete_file", [["delete_file", { path: "a.md" }]]],
  ] as const)("[T5] %s is done once and reported as done", async (_, calls) => {
    const { lab, run, workspace } = labOver({ "a.md": "a", "seen.md": "s" });
    await run([read("seen.md")]);
    let isDown = false;
    lab.onPoint = (name) => {
      isDown ||= name === "tool:after";
      if (isDown) throw new Error("the object ended");
    };
    await run(calls);
    const files = await workspace.files();
    const requests = workspace.requests.length;
    expect(requests).toBeGreaterThan(0);
    expect(resultsOf(lab, "t2")).toEqual([]);
    lab.onPoint = () => {};
    lab.restart().current();
    await atRest(lab);
    expect(resultsOf(lab, "t2").map(({ status }) => status)).toEqual(["success"]);
    expect(workspace.requests.length).toBeGreaterThan(requests);
    expect(await workspace.files()).toEqual(files);
    expect(lab.entries().at(-1)).toMatchObject({ outcome: "completed" });
  });
});
