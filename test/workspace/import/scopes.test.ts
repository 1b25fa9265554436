import { describe, expect, it } from "vitest";
import { CarrelError } from "../../../src/shared/errors.ts";
import type { WorkspaceApi } from "../../../src/shared/workspace-api.ts";
import { createWorkspace, type CallBucket } from "../../../src/workspace/workspace.ts";
import { WorkspaceLab } from "../../support/workspace-lab.ts";

const LOG = "agents/main/sessions/s1.log.jsonl";
const write = (path: string, text: string) => ({ kind: "write", path, content: { text } }) as const;
const owner = { agent: "main", user: "ann", session: "s1" };

describe("an import into two buckets", () => {
  it("[W17] begins in neither when one of them refuses its part", async () => {
    const lab = new WorkspaceLab();
    const workspace = lab.workspace({}, "AGENT");
    const append = { kind: "append", path: LOG, text: "1\n" } as const;
    await workspace.change({ by: "user:ann", changes: [append] });
    const changes = [write("shared.md", "new"), write(LOG, "other\n")];
    await workspace.stageImport("i", { no: 0, changes });
    await expect(workspace.commitImport("i", "user:ann")).rejects.toMatchObject({
      code: "conflict",
    });
    const { entries } = await workspace.tree({ recursive: true, layer: "own" });
    expect(entries.map(({ path }) => path)).toEqual([LOG]);
    await workspace.dropImport("i");
    await expect(workspace.commitImport("i", "user:ann")).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("[W17] says what is in when the second one fails all the same, and can be sent again", async () => {
    const lab = new WorkspaceLab();
    let fails = true;
    const callBucket: CallBucket = (bucket, call) =>
      lab.callBucket(bucket, (api) => {
        const commitImport: WorkspaceApi["commitImport"] = async (...asked) => {
          if (!fails || !asked[0].includes("/users/")) return api.commitImport(...asked);
          fails = false;
          return { ok: false, code: "overloaded", message: "Busy." };
        };
        return call(
          new Proxy(api, {
            get: (it, name) => (name === "commitImport" ? commitImport : Reflect.get(it, name)),
          }),
        );
      });
    const workspace = createWorkspace("AGENT", owner, callBucket);
    const page = { no: 0, changes: [write("shared.md", "new"), write(LOG, "1\n")] };
    await workspace.stageImport("i", page);
    const failed = await workspace.commitImport("i", "user:ann").catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(CarrelError);
    expect(failed).toMatchObject({
      code: "overloaded",
      message: expect.stringMatching(/The files were imported, but not .*Busy.*Send the whole/),
    });
    expect((await workspace.read({ path: "shared.md" })).content).toEqual({ text: "new" });
    await workspace.dropImport("i");
    await workspace.stageImport("again", page);
    expect(await workspace.commitImport("again", "user:ann")).toBe(2);
    expect((await workspace.read({ path: LOG })).content).toEqual({ text: "1\n" });
  });
});

describe("what a workspace answers", () => {
  it("has nothing of the call in it", async () => {
    const workspace = new WorkspaceLab({ template: { "a.md": "a" } }).workspace();
    const answers = [
      await workspace.tree({}),
      await workspace.read({ path: "a.md" }),
      await workspace.readMany({ paths: ["a.md"] }),
      await workspace.page({ path: "a.md", offset: 0, limit: 1 }),
      await workspace.glob({ pattern: "*" }),
      await workspace.grep({ pattern: "a" }),
    ];
    for (const answer of answers) expect(answer).not.toHaveProperty("ok");
  });
});
