import { describe, expect, it } from "vitest";
import type { AgentDefinition } from "../../src/define-agent.ts";
import { call } from "../turn/asking-lab.ts";
import { done, FamilyLab, spawn } from "./family-lab.ts";

const found = { text: "Found it.", batches: 1 } as const;
const FILE = "agents/main/tasks/s1.json";

type Records = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const logged = (agent: Partial<AgentDefinition> = {}) =>
  new FamilyLab({ agent: { disableTranscript: false, ...agent } });

async function textOf(lab: FamilyLab, path = FILE): Promise<string | null> {
  const { files } = (await lab.files?.workspace().readMany({ paths: [path] })) ?? { files: [] };
  const content = files[0]?.content;
  return content && "text" in content ? content.text : null;
}

const recordsOf = async (lab: FamilyLab): Promise<Records> =>
  JSON.parse((await textOf(lab)) ?? "{}") as Records;

const background = (steps: Parameters<typeof spawn>[0]) =>
  spawn(steps, { agent_id: "general-purpose", timeout_seconds: 0 });

describe("the file of a session's tasks", () => {
  it("tells what each is and what came of it, as its session does", async () => {
    const lab = logged();
    await lab.run("t", { calls: [background([found]), background([{ hang: true }])] }, done);
    await lab.pass(6_000);
    const records = Object.values(await recordsOf(lab));
    expect(records).toHaveLength(2);
    expect(records).toContainEqual({
      taskId: expect.stringMatching(/^task_/),
      subAgentId: "general-purpose",
      parentAgentId: "main",
      parentSessionId: "s1",
      subSessionId: expect.stringMatching(/^sub-/),
      title: JSON.stringify([found]),
      status: "COMPLETED",
      result: "Found it.",
      createdAt: "1970-01-01T00:00:00.000Z",
      lastUpdatedAt: expect.stringMatching(/^1970-01-01T/),
      deliveredAt: expect.stringMatching(/^1970-01-01T/),
    });
    const [open] = lab.parent.family.tasks().filter(({ state }) => state === "running");
    expect((await recordsOf(lab))[open?.id ?? ""]).toMatchObject({ status: "RUNNING" });
    await lab.parent.family.cancel(open?.id ?? "");
    await lab.pass(6_000);
    expect((await recordsOf(lab))[open?.id ?? ""]).toMatchObject({ status: "CANCELLED" });
  });

  it("is written once for what changes within some seconds, after a crash too", async () => {
    const lab = logged();
    let writes = 0;
    if (lab.files)
      lab.files.before = ({ args }) =>
        void (JSON.stringify(args).includes("job:tasks") && writes++);
    await lab.run("t", { calls: [background([found]), background([found])] }, done);
    lab.restart();
    await lab.pass(60_000);
    expect(Object.keys(await recordsOf(lab))).toHaveLength(2);
    expect(writes).toBeLessThanOrEqual(2);
  });

  it("holds the newest hundred and all that have not ended", async () => {
    const lab = logged();
    await lab.run("first", { calls: [background([{ hang: true }])] }, done);
    for (let no = 0; no < 12; no++) {
      const calls = Array.from({ length: 9 }, () => background([found]));
      await lab.run(`t${no}`, { calls }, done);
    }
    await lab.pass(20_000);
    const records = Object.values(await recordsOf(lab));
    expect(records).toHaveLength(101);
    expect(records.filter(({ status }) => status === "RUNNING")).toHaveLength(1);
  });

  it("goes with its session, and is not written where no log is", async () => {
    const lab = logged();
    await lab.run("t", { calls: [background([found])] }, done);
    await lab.pass(6_000);
    expect(await textOf(lab)).not.toBeNull();
    await lab.parent.remove().catch(() => {});
    await lab.pass(120_000);
    expect(await textOf(lab)).toBeNull();
    const other = logged({ disableTranscript: true });
    await other.run("t", { calls: [background([found])] }, done);
    await other.pass(60_000);
    expect(await textOf(other)).toBeNull();
  });

  it("[U7] holds no credentials, nor does anything else that is kept of a subagent", async () => {
    const lab = logged({ permissions: { mode: "DEFAULT" } });
    const text = [
      "---",
      "description: Far away.",
      "url: https://user:canary-url@example.org/agent",
      "headers: { Authorization: Bearer canary-header }",
      "---",
      "Help.",
    ].join("\n");
    const changes = [{ kind: "write", path: "subagents/far.md", content: { text } }] as const;
    await lab.files?.workspace().change({ by: "user:ann", changes });
    const steps = [{ calls: [call("unsafe_thing", "canary-argument")] }, found];
    await lab.run("t", { calls: [spawn(steps, { agent_id: "far", timeout_seconds: 0 })] }, done);
    expect(lab.status().pending).toHaveLength(1);
    await lab.pass(6_000);
    const [record] = Object.values(await recordsOf(lab));
    expect(record).toMatchObject({
      awaitingConfirm: true,
      pendingConfirms: [{ toolName: "unsafe_thing" }],
    });
    expect(JSON.stringify(record?.["pendingConfirms"])).not.toContain("canary");
    for (const session of ["s1", ...lab.children]) {
      const sql = lab.sql(session);
      for (const table of ["journal", "turn", "state", "job", "task", "child"])
        expect(JSON.stringify(sql.all(`SELECT * FROM ${table}`))).not.toMatch(
          /canary-(url|header)/,
        );
    }
    expect(await textOf(lab)).not.toMatch(/canary-(url|header)/);
  });
});
