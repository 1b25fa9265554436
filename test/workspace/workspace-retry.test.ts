import { describe, expect, it } from "vitest";
import type { Change } from "../../src/shared/workspace-changes.ts";
import { createWorkspace, type CallBucket } from "../../src/workspace/workspace.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";

/** A workspace of which the next reply can be lost, after which the call is made again. */
function losing() {
  const lab = new WorkspaceLab();
  let isLost = false;
  let calls = 0;
  const callBucket: CallBucket = async (bucket, call) => {
    calls += 1;
    const answer = await lab.callBucket(bucket, call);
    if (!isLost) return answer;
    isLost = false;
    return callBucket(bucket, call);
  };
  const owner = { agent: "main", user: "ann", session: "s1" };
  const workspace = createWorkspace("USER", owner, callBucket);
  const change = async (...changes: readonly Change[]) => {
    calls = 0;
    return workspace.change({ by: "user:ann", changes });
  };
  return {
    workspace,
    change,
    calls: () => calls,
    losingOne: (...changes: readonly Change[]) => {
      isLost = true;
      return change(...changes);
    },
  };
}

const write = (text: string, expected?: string): Change => ({
  kind: "write",
  path: "AGENTS.md",
  content: { text },
  ...(expected !== undefined && { expect: expected }),
});

describe("a change whose reply is lost", () => {
  it("[W9] is made once, and its repeat gets the answer", async () => {
    const { workspace, change, losingOne, calls } = losing();
    const read = async () => (await workspace.read({ path: "AGENTS.md" })).content;
    await change(write("one"));
    await change(write("two"));
    const [undone] = await losingOne({ kind: "undo", path: "AGENTS.md" });
    expect(calls()).toBe(2);
    expect(await read()).toEqual({ text: "one" });
    const [written] = await losingOne(write("three", undone?.file?.etag));
    expect(await read()).toEqual({ text: "three" });
    await losingOne(write("four", written?.file?.etag), {
      kind: "append",
      path: "memory/2026-11-30.md",
      text: "once\n",
      op: "mine",
    });
    expect((await workspace.read({ path: "memory/2026-11-30.md" })).content).toEqual({
      text: "once\n",
    });
    expect(await losingOne({ kind: "delete", path: "AGENTS.md" })).toMatchObject([{ file: null }]);
  });

  it("[W9] with ids of its own needs no other", async () => {
    const { workspace, losingOne } = losing();
    const append = (op: string): Change => ({
      kind: "append",
      path: "a.log.jsonl",
      text: `${op}\n`,
      op,
    });
    await losingOne(append("a"), append("b"));
    expect((await workspace.read({ path: "a.log.jsonl" })).content).toEqual({ text: "a\nb\n" });
  });
});
