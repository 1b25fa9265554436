import { describe, expect, it } from "vitest";
import type { ReadManyAnswer } from "../../../src/shared/workspace-api.ts";
import type { Content } from "../../../src/shared/workspace-files.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { createMemoryStore } from "../../support/memory-store.ts";
import { WorkspaceLab } from "../../support/workspace-lab.ts";

const MIB = 1024 * 1024;

const write = (workspace: Workspace, files: Readonly<Record<string, string | Uint8Array>>) =>
  workspace.change({
    by: "user:ann",
    changes: Object.entries(files).map(([path, given]) => ({
      kind: "write",
      path,
      content: typeof given === "string" ? { text: given } : { bytes: given },
    })),
  });

const shown = ({ files }: ReadManyAnswer) =>
  files.map((answer) => answer && `${answer.file.layer} ${bodyOf(answer.content)}`);

const bodyOf = (content: Content): string =>
  "text" in content ? content.text : Buffer.from(content.bytes).toString("latin1");

const sizeOf = ({ files }: ReadManyAnswer): number =>
  files.reduce((sum, answer) => sum + (answer?.file.size ?? 0), 0);

describe("many files in one call", () => {
  it("[W4] come in the order asked for, through all layers or from one, and null where there is none", async () => {
    const lab = new WorkspaceLab({ template: { "AGENTS.md": "template", "knowledge/a.md": "a" } });
    const workspace = lab.workspace();
    await write(lab.workspace({}, "AGENT"), { "knowledge/b.md": "shared", "knowledge/a.md": "A" });
    await write(workspace, { "AGENTS.md": "own", "x.bin": new Uint8Array([65, 0]) });
    const paths = ["x.bin", "./AGENTS.md", "nothing", "knowledge", "/knowledge/a.md"];
    expect(shown(await workspace.readMany({ paths }))).toEqual([
      "own A\0",
      "own own",
      null,
      null,
      "shared A",
    ]);
    expect(shown(await workspace.readMany({ paths, layer: "template" }))).toEqual([
      null,
      "template template",
      null,
      null,
      "template a",
    ]);
    expect(shown(await workspace.readMany({ paths, layer: "own" }))).toEqual([
      "own A\0",
      "own own",
      null,
      null,
      null,
    ]);
  });

  it("are as many as fit into 8 MiB, and one at least", async () => {
    const workspace = new WorkspaceLab().workspace();
    const [large, mib] = [new Uint8Array(20 * MIB), "x".repeat(MIB)];
    await write(workspace, { a: mib, b: large, c: mib });
    expect(shown(await workspace.readMany({ paths: ["a", "b", "c"] })).length).toBe(1);
    expect(sizeOf(await workspace.readMany({ paths: ["b", "c"] }))).toBe(20 * MIB);
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`m${index}`, mib]));
    await write(workspace, many);
    expect(sizeOf(await workspace.readMany({ paths: Object.keys(many) }))).toBe(8 * MIB);
  });

  it("ask the store for at most 100 of them", async () => {
    const workspace = new WorkspaceLab().workspace();
    const blobs = Array.from({ length: 150 }, (_, index) => [`b${index}`, Uint8Array.of(0, index)]);
    await write(workspace, Object.fromEntries(blobs) as Record<string, Uint8Array>);
    const paths = blobs.map(([path]) => String(path));
    expect((await workspace.readMany({ paths })).files.length).toBe(100);
  });

  it("[I3] of two buckets come from the one that has the first", async () => {
    const lab = new WorkspaceLab();
    const workspace = lab.workspace({}, "AGENT");
    await write(workspace, { a: "1", b: "2" });
    await write(workspace, { "plans/s1/PLAN.md": "3" });
    const read = async (paths: string[]) => shown(await workspace.readMany({ paths }));
    expect(await read(["a", "b", "plans/s1/PLAN.md"])).toEqual(["own 1", "own 2"]);
    expect(await read(["plans/s1/PLAN.md", "a"])).toEqual(["own 3"]);
  });

  it("[W12] fail together when one of them cannot be read", async () => {
    const store = createMemoryStore();
    const lab = new WorkspaceLab({ store });
    await write(lab.workspace(), { a: "text", b: Uint8Array.of(0, 1) });
    const { entries } = await store.list("v1/");
    await store.delete(entries.map(({ key }) => key).filter((key) => key.includes("/blobs/")));
    await expect(lab.workspace().readMany({ paths: ["a", "b"] })).rejects.toThrow("has lost");
    expect(shown(await lab.workspace().readMany({ paths: ["a"] }))).toEqual(["own text"]);
  });

  it("[H1] are named: none, too many and paths that lead out are refused", async () => {
    const workspace = new WorkspaceLab().workspace();
    for (const paths of [[], Array.from({ length: 2_001 }, () => "a"), ["../a"]])
      await expect(workspace.readMany({ paths })).rejects.toMatchObject({ code: "invalid" });
  });
});
