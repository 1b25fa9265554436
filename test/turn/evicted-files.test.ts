import { describe, expect, it } from "vitest";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { fileTools } from "../../src/tools/files/file-tools.ts";
import { nodeWorkspace } from "../support/node-workspace.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";
import { AskingLab, call, named } from "./asking-lab.ts";
import { evictingLab, long, readBy, small } from "./evicting-lab.ts";

describe("an evicted result", () => {
  it.each(["USER", "AGENT", "GLOBAL", "SESSION"] as const)(
    "[C8, I3, W2] under %s is its user's alone, and no file tool changes it",
    async (scope) => {
      const buckets = new WorkspaceLab();
      const files = buckets.workspace({}, scope);
      const lab = evictingLab({ gives: () => long(2_000), workspace: () => files });
      await lab.say();
      const path = lab.result().evicted?.path ?? "";
      expect(await readBy(lab.lab, path)).toBe(long(2_000));
      const home = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });
      expect(buckets.calls.filter((call) => call.endsWith(" change"))).toEqual([`${home} change`]);
      const ben = buckets.workspace({ user: "ben" }, scope);
      await expect(ben.read({ path })).rejects.toMatchObject({ code: "not_found" });
      const input = JSON.stringify({ path, content: "mine" });
      lab.lab.say("w", [{ calls: [{ name: "write_file", input }] }, { text: "ok" }]);
      await lab.lab.settle();
      expect(lab.lab.entries("w").find(({ kind }) => kind === "result")).toMatchObject({
        status: "error",
        content: [{ text: expect.stringContaining("kept by the system itself") as string }],
      });
    },
  );
});

describe("what a client gives", () => {
  it("[C8, T13] goes to a file by the same rules, and the same answer again is the same answer", async () => {
    const files = nodeWorkspace();
    const lab = new AskingLab({ eviction: small, workspace: () => files });
    lab.restart({ tools: [...lab.ownTools(), ...fileTools] });
    lab.say("t", [{ calls: [call("locate", "here")] }, { text: "ok" }]);
    await lab.settle();
    const [pending] = lab.pending();
    if (!pending) throw new Error("nothing waits");
    const given = { kind: "result", output: long(5_000), isError: false } as const;
    const answer = { ...named(pending), ...given };
    await lab.session.answer([answer], "ann");
    await lab.settle();
    const result = lab.entries().find(({ kind }) => kind === "result");
    if (result?.kind !== "result") throw new Error("there is no result");
    expect(result.evicted?.chars).toBe(5_000);
    expect(await files.text(result.evicted?.path ?? "")).toBe(long(5_000));
    const again = await lab.session.answer([answer], "ann");
    expect(again.answers).toMatchObject([{ outcome: "repeated" }]);
    expect(Object.keys(await files.files())).toHaveLength(1);
    expect(lab.story()).toMatch(/end:completed$/);
  });
});
