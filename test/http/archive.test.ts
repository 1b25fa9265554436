import fc from "fast-check";
import { unzipSync } from "fflate";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { exportArchive } from "../../src/http/archive-export.ts";
import type { BucketKey } from "../../src/shared/bucket-key.ts";
import type { ImportPage } from "../../src/shared/workspace-changes.ts";
import { buildZip } from "../support/zip-builder.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";
import { Desk, ownFiles } from "./files-fixture.ts";

let desk: Desk;
beforeEach(() => {
  desk = new Desk();
});

const archive = "/agents/main/archive";
const files = "/agents/main/files";
const exportOf = async (user: string, query = "") =>
  new Uint8Array(await (await desk.ask(user, `${archive}${query}`)).arrayBuffer());
const importTo = (user: string, body: Uint8Array<ArrayBuffer>, headers = {}) =>
  desk.ask(user, archive, {
    method: "POST",
    body,
    headers: { "content-type": "application/zip", ...headers },
  });

/** Bytes and right to run of each own file, and what is hidden. */
async function contentsOf(workspace: Workspace) {
  const paths = (await ownFiles(workspace)).map(({ path }) => path);
  const found = paths.length === 0 ? [] : (await workspace.readMany({ paths, layer: "own" })).files;
  const files = found.map((answer, index) => {
    if (!answer) throw new Error(`${paths[index]} is missing`);
    const { file, content } = answer;
    const bytes = "text" in content ? Buffer.from(content.text) : Buffer.from(content.bytes);
    return [file.path, bytes.toString("hex"), file.executable] as const;
  });
  expect(files.length).toBe(paths.length);
  return { files, hidden: await workspace.whiteouts() };
}

const odd: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  "AGENTS.md": "\ufeff# With a byte order mark\r\nand CRLF\r\n",
  "a b/%2e%2e/c#d?.md": "odd name",
  "日本語/😀.md": "漢字\n",
  "C:/x": "a drive that is none",
  ".hidden/y": "dot",
  "blank.md": "",
  "no-newline": "x",
  "binary.bin": Uint8Array.from({ length: 3_000 }, (_, index) => (index * 7) % 256),
  "nul.txt": "a\0b",
  "not-utf8.txt": Uint8Array.of(0xff, 0xfe, 0x41),
  "big.txt": "the same line\n".repeat(20_000),
  "agents/main/sessions/s1.log.jsonl": '{"a":1}\n{"b":2}\n',
  constructor: "x",
  ["__proto__"]: "x",
};

const write = (path: string, content: string | Uint8Array, executable = false) => {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { kind: "write", path, content: { bytes }, executable } as const;
};

const fill = async (user: string) => {
  const changes = Object.entries(odd).map(([path, given]) => write(path, given, path === "C:/x"));
  const hide = { kind: "delete", path: "knowledge/b.md" } as const;
  await desk.workspace(user).change({ by: "user:x", changes: [...changes, hide] });
};

describe("a workspace that is exported and imported elsewhere", () => {
  it("[W17] is byte for byte the same, with executables and whiteouts", async () => {
    await fill("ann");
    const before = await contentsOf(desk.workspace("ann"));
    expect(before.files.map(([path]) => path)).toEqual(Object.keys(odd).toSorted());
    expect(before.hidden).toEqual(["knowledge/b.md"]);
    const zip = await exportOf("ann");
    const response = await importTo("bob", zip);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      files: before.files.length,
      whiteouts: 1,
    });
    expect(await contentsOf(desk.workspace("bob"))).toEqual(before);
    const again = await exportOf("bob");
    expect(again.length).toBe(zip.length);
  });

  it("[W17] is the same for any names and bytes", async () => {
    const name = fc
      .stringMatching(/^[^/\\\p{C}\p{Zl}\p{Zp}]{1,12}$/u)
      .filter((s) => !/^\.{1,2}$/.test(s));
    const some = fc.dictionary(name, fc.uint8Array({ maxLength: 300 }), {
      maxKeys: 8,
      noNullPrototype: false,
    });
    await fc.assert(
      fc.asyncProperty(some, async (given) => {
        desk = new Desk();
        const changes = Object.entries(given).map(([path, bytes]) => write(path, bytes));
        if (changes.length > 0) await desk.workspace("ann").change({ by: "user:x", changes });
        expect((await importTo("bob", await exportOf("ann"))).status).toBe(200);
        const before = await contentsOf(desk.workspace("ann"));
        expect(before.files.length).toBe(changes.length);
        expect(await contentsOf(desk.workspace("bob"))).toEqual(before);
      }),
      { numRuns: 25, seed: 17 },
    );
  });

  it("[W17] keeps what is there beside it, and signs with the caller's name", async () => {
    await desk.put("bob", `${files}/mine.md`, "mine");
    await importTo("bob", buildZip([{ name: "x.md", content: "x" }]));
    expect(await ownFiles(desk.workspace("bob"))).toMatchObject([
      { path: "mine.md" },
      { path: "x.md", by: "user:bob" },
    ]);
  });

  it("[W17] may hold a log that is longer than any text", async () => {
    const log = `{"text":"${"é漢".repeat(100)}"}\n`.repeat(5_000);
    const path = "agents/main/sessions/s1.log.jsonl";
    const zip = buildZip([{ name: path, content: log, deflate: true }]);
    const seen: string[] = [];
    desk.lab.before = ({ method, args }) => {
      const [, page] = args as [string, ImportPage];
      if (method === "stageImport") seen.push(...page.changes.map(({ kind }) => kind));
    };
    expect((await importTo("ann", zip)).status).toBe(200);
    const { content } = await desk.workspace("ann").read({ path });
    expect("text" in content && content.text === log).toBe(true);
    expect(seen).toEqual(["write", "append", "append"]);
  });
});

describe("an export", () => {
  it("is read by another program as it was written", async () => {
    await fill("ann");
    const unpacked = unzipSync(await exportOf("ann"));
    // An object made of names has no place for this one.
    expect(Object.keys(unpacked).length).toBe(Object.keys(odd).length - 1);
    for (const [path, given] of Object.entries(odd)) {
      if (path === "__proto__") continue;
      expect(Buffer.from(unpacked[path] ?? "missing")).toEqual(Buffer.from(given));
    }
  });

  it("[W4] holds the own layer by default, or all that shows, or one directory", async () => {
    await desk.put("ann", `${files}/knowledge/a.md`, "mine");
    const names = async (query: string) => Object.keys(unzipSync(await exportOf("ann", query)));
    expect(await names("")).toEqual(["knowledge/a.md"]);
    expect(await names("?layer=all")).toEqual(["AGENTS.md", "knowledge/a.md", "knowledge/b.md"]);
    expect(await names("?layer=all&path=knowledge")).toEqual(["knowledge/a.md", "knowledge/b.md"]);
    for (const query of ["?layer=template", "?layer=x", "?path=..", "?pth=a"])
      expect((await desk.ask("ann", `${archive}${query}`)).status).toBe(400);
    expect((await desk.ask("ann", `${archive}?path=nothing`)).status).toBe(404);
  });

  it("is the same for the same files", async () => {
    await fill("ann");
    expect(await exportOf("ann")).toEqual(await exportOf("ann"));
  });

  it("[W12] breaks off when a file cannot be read, and leaves out one that was deleted meanwhile", async () => {
    const lab = new WorkspaceLab();
    const workspace = lab.workspace();
    const changes = ["a", "b", "c"].map((path) => write(path, path));
    await workspace.change({ by: "user:x", changes });
    const options = { directory: "", layer: "own", whiteouts: false } as const;
    const stream = await exportArchive(workspace, options);
    await workspace.change({ by: "user:x", changes: [{ kind: "delete", path: "b" }] });
    expect(Object.keys(unzipSync(await new Response(stream).bytes()))).toEqual(["a", "c"]);
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    lab.sql("v1/agents/main/users/ann/" as BucketKey).run("DELETE FROM part WHERE text = 'c'");
    const broken = await exportArchive(workspace, options);
    await expect(new Response(broken).bytes()).rejects.toThrow("missing");
    expect(log.mock.calls).toEqual([[expect.stringContaining("archive_broken")]]);
    log.mockRestore();
  });
});
