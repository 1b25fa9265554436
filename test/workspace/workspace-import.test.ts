import { describe, expect, it } from "vitest";
import type { BucketApi } from "../../src/shared/bucket-api.ts";
import type { ImportPage } from "../../src/shared/workspace-changes.ts";
import {
  type CallBucket,
  createSharedWorkspace,
  createWorkspace,
} from "../../src/workspace/workspace.ts";

const owner = { agent: "main", user: "ann", session: null };
const write = (path: string) => ({ kind: "write", path, content: { text: path } }) as const;

/** Objects that note what they are asked. */
function recorder() {
  const pages: [bucket: string, page: ImportPage][] = [];
  const commits: [bucket: string, id: string, by: string][] = [];
  const checks: string[] = [];
  const manifest = { version: 1, files: [], whiteouts: ["b", "a"] };
  const api: Pick<BucketApi, "stageImport" | "checkImport" | "commitImport" | "manifest"> = {
    async stageImport(bucket, _id, page) {
      pages.push([bucket, page]);
      return { ok: true };
    },
    async checkImport(bucket, id) {
      checks.push(`${commits.length} ${bucket} ${id}`);
      return { ok: true, files: 2 };
    },
    async commitImport(bucket, id, by) {
      commits.push([bucket, id, by]);
      return { ok: true, files: 2 };
    },
    manifest: async () => ({ ok: true, manifest }),
  };
  const callBucket: CallBucket = (_bucket, call) => call(api as BucketApi);
  return { callBucket, pages, checks, commits };
}

describe("an import", () => {
  it("goes to one bucket under the scope USER", async () => {
    const { callBucket, pages, checks, commits } = recorder();
    const workspace = createWorkspace("USER", owner, callBucket);
    const page = { no: 0, changes: [write("a"), write("plans/s/PLAN.md")], whiteouts: ["b"] };
    await workspace.stageImport("i", page);
    expect(await workspace.commitImport("i", "user:ann")).toBe(2);
    expect(pages).toEqual([["v1/agents/main/users/ann/", page]]);
    expect(checks).toEqual([]);
    expect(commits).toEqual([["v1/agents/main/users/ann/", "i", "user:ann"]]);
  });

  it("[I3] leaves records of sessions in the user's bucket under every other scope", async () => {
    const { callBucket, pages, checks, commits } = recorder();
    const workspace = createWorkspace("AGENT", owner, callBucket);
    const changes = [write("a"), write("agents/main/x"), write("./plans/p"), write("agentsx")];
    await workspace.stageImport("i", { no: 3, changes, whiteouts: ["b"] });
    expect(await workspace.commitImport("i", "user:root")).toBe(4);
    const [shared, mine] = ["v1/agents/main/shared/", "v1/agents/main/users/ann/"];
    expect(pages).toEqual([
      [shared, { no: 3, changes: [write("a"), write("agentsx")], whiteouts: ["b"] }],
      [mine, { no: 3, changes: [write("agents/main/x"), write("./plans/p")], whiteouts: [] }],
    ]);
    expect(checks).toEqual([`0 ${shared} i`, `0 ${mine} i`]);
    expect(commits.map(([bucket]) => bucket)).toEqual([shared, mine]);
  });
});

describe("the shared workspace", () => {
  it("[I3] is one bucket, also for what looks like records", async () => {
    const { callBucket, pages } = recorder();
    const workspace = createSharedWorkspace("main", callBucket);
    const page = { no: 0, changes: [write("a"), write("agents/x")], whiteouts: [] };
    await workspace.stageImport("i", page);
    expect(pages).toEqual([["v1/agents/main/shared/", page]]);
    expect(await workspace.whiteouts()).toEqual(["a", "b"]);
  });
});
