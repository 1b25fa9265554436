import { describe, expect, it } from "vitest";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import type { Change } from "../../src/shared/workspace-changes.ts";
import { forgetFiles, sessionFiles } from "../../src/turn/records/session-files.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";

const address = { agent: "main", user: "ann", session: "s1" };
const other = { ...address, session: "s10" };
const records = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });

/** What a session has among the files of its user. */
function changesOf({ session, ...rest }: typeof address): Change[] {
  const { log, index, tasks, plans, evicted } = sessionFiles({ ...rest, session });
  return [
    { kind: "append", path: log, text: `{"of":"${session}"}\n${"x".repeat(400_000)}\n` },
    {
      kind: "merge",
      path: index,
      patch: { version: 1, sessions: { [session]: { summary: session } } },
    },
    { kind: "write", path: tasks, content: { text: `tasks of ${session}` } },
    { kind: "write", path: `${plans}/PLAN.md`, content: { text: `plan of ${session}` } },
    { kind: "write", path: `${plans}/old/1.md`, content: { text: `plan of ${session}` } },
    { kind: "write", path: `${evicted}/fetch-call_1_0-0.txt`, content: { text: "a page" } },
  ];
}

async function filled() {
  const lab = new WorkspaceLab();
  const workspace = lab.workspace();
  await workspace.change({ by: "job:x", changes: [...changesOf(address), ...changesOf(other)] });
  await lab.pass(15_000);
  return { lab, workspace };
}

const storeOf = async (lab: WorkspaceLab) =>
  (await lab.store.list(records)).entries.map(({ key }) => key);

describe("what of a session lies in its user's workspace", () => {
  it("is gone from the tree, from search and soon from the store, parts of the log and all, and nothing else is", async () => {
    const { lab, workspace } = await filled();
    const isOf = (key: string, session: string) => key.includes(`/${session}`);
    expect((await storeOf(lab)).filter((key) => isOf(key, "s1."))).not.toEqual([]);
    await forgetFiles(workspace, address);
    const { entries } = await workspace.tree({ recursive: true });
    expect(entries.map(({ path }) => path)).toEqual([
      "agents/main/sessions/s10.log.jsonl",
      "agents/main/sessions/sessions.json",
      "agents/main/tasks/s10.json",
      "large_tool_results/s10/fetch-call_1_0-0.txt",
      "plans/s10/PLAN.md",
      "plans/s10/old/1.md",
    ]);
    expect((await workspace.grep({ pattern: "of s1", regex: false })).hits).toHaveLength(3);
    const index = await workspace.read({ path: sessionFiles(address).index });
    expect(index.content).toEqual({ text: expect.not.stringContaining('"s1"') as string });
    await lab.pass(20_000);
    const keys = await storeOf(lab);
    expect(keys.filter((key) => isOf(key, "s1.") || isOf(key, "s1/"))).toEqual([]);
    expect(keys.filter((key) => isOf(key, "s10"))).toHaveLength(5);
  });

  it("may be asked for again, and where there never was anything leaves nothing behind", async () => {
    const { workspace } = await filled();
    await forgetFiles(workspace, address);
    await forgetFiles(workspace, address);
    const lab = new WorkspaceLab();
    await forgetFiles(lab.workspace(), address);
    expect((await lab.workspace().tree({ recursive: true })).total).toBe(0);
    await lab.pass(60_000);
    expect(await storeOf(lab)).toEqual([]);
  });

  it("goes though somebody has spoilt the index, which stays as it is", async () => {
    const { workspace } = await filled();
    const { index } = sessionFiles(address);
    const spoilt = { kind: "write", path: index, content: { text: "no JSON" } } as const;
    await workspace.change({ by: "user:ann", changes: [spoilt] });
    await forgetFiles(workspace, address);
    expect((await workspace.read({ path: index })).content).toEqual({ text: "no JSON" });
    expect((await workspace.glob({ pattern: "**/s1{.*,/**}" })).files).toEqual([]);
  });

  it("is looked for again where something comes in between, and reported where that does not end", async () => {
    const { workspace } = await filled();
    let writes = 1;
    const busy: typeof workspace = {
      ...workspace,
      async change(request) {
        const changed = await workspace.change(request);
        if (writes-- > 0) await workspace.change({ by: "job:x", changes: changesOf(address) });
        return changed;
      },
    };
    await forgetFiles(busy, address);
    expect((await workspace.glob({ pattern: "**/s1{.*,/**}" })).files).toEqual([]);
    writes = 100;
    await workspace.change({ by: "job:x", changes: changesOf(address) });
    await expect(forgetFiles(busy, address)).rejects.toThrow("goes on writing");
  });
});
