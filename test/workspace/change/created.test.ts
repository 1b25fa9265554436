import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/shared/workspace-changes.ts";
import { WorkspaceLab } from "../../support/workspace-lab.ts";

describe("whether a change created a file", () => {
  it("is told of each change of a request: nothing showed there before, and now a file does", async () => {
    const workspace = new WorkspaceLab({ template: { "AGENTS.md": "a", "b.md": "b" } }).workspace();
    const created = async (...changes: Change[]) =>
      (await workspace.change({ by: "user:ann", changes })).map((changed) => changed.created);
    const write = (path: string): Change => ({ kind: "write", path, content: { text: path } });
    const remove = (path: string): Change => ({ kind: "delete", path });
    expect(await created(write("x/a"), write("x/a"), write("AGENTS.md"))).toEqual([
      true,
      false,
      false,
    ]);
    expect(
      await created(
        { kind: "append", path: "log", text: "1" },
        { kind: "append", path: "log", text: "2" },
        { kind: "merge", path: "x/a.json", patch: {} },
        { kind: "move", path: "log", to: "moved" },
        { kind: "move", path: "x/a.json", to: "moved", overwrite: true },
        { kind: "move", path: "x", to: "y" },
        remove("y"),
      ),
    ).toEqual([true, false, true, true, false, false, false]);
    expect(await created(remove("AGENTS.md"), write("AGENTS.md"))).toEqual([false, true]);
    expect(await created(remove("b.md"), { kind: "reset", path: "b.md" })).toEqual([false, true]);
    await created(write("MEMORY.md"));
    expect(await created({ kind: "undo", path: "MEMORY.md" })).toEqual([false]);
    expect(await created({ kind: "undo", path: "MEMORY.md" })).toEqual([true]);
  });

  it("is told again when the request is repeated", async () => {
    const workspace = new WorkspaceLab().workspace();
    const change = { kind: "write", path: "a", content: { text: "" } } as const;
    const request = { by: "user:ann", changes: [change], op: "o1" };
    const first = await workspace.change(request);
    expect(first[0]?.created).toBe(true);
    expect(await workspace.change(request)).toEqual(first);
  });
});
