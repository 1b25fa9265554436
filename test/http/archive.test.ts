import fc from "fast-check";
import { unzipSync } from "fflate";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { exportArchive } from "../../src/http/archive-export.ts";
import { buildZip } from "../support/zip-builder.ts";
import { FakeWorkspace } from "./fake-workspace.ts";
import { Desk } from "./files-fixture.ts";

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

/** Bytes and right to run of each file, and what is hidden. */
const contentsOf = (workspace: FakeWorkspace) => ({
  files: Object.fromEntries(
    [...workspace.own].map(([path, { bytes, executable }]) => [
      path,
      [Buffer.from(bytes).toString("hex"), executable],
    ]),
  ),
  hidden: [...workspace.hidden].toSorted(),
});

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

const fill = async (user: string) => {
  const bucket = desk.bucket(user);
  for (const [path, given] of Object.entries(odd)) {
    const bytes = typeof given === "string" ? new TextEncoder().encode(given) : given;
    const write = { kind: "write", path, content: { bytes }, executable: path === "C:/x" } as const;
    await bucket.change({ by: "user:x", changes: [write] });
  }
  await bucket.change({ by: "user:x", changes: [{ kind: "delete", path: "knowledge/b.md" }] });
};

describe("a workspace that is exported and imported elsewhere", () => {
  it("[W17] is byte for byte the same, with executables and whiteouts", async () => {
    await fill("ann");
    const before = contentsOf(desk.bucket("ann"));
    expect(before.hidden).toEqual(["knowledge/b.md"]);
    const zip = await exportOf("ann");
    const response = await importTo("bob", zip);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      files: Object.keys(before.files).length,
      whiteouts: 1,
    });
    expect(contentsOf(desk.bucket("bob"))).toEqual(before);
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
        for (const [path, bytes] of Object.entries(given)) {
          const write = { kind: "write", path, content: { bytes } } as const;
          await desk.bucket("ann").change({ by: "user:x", changes: [write] });
        }
        expect((await importTo("bob", await exportOf("ann"))).status).toBe(200);
        expect(contentsOf(desk.bucket("bob"))).toEqual(contentsOf(desk.bucket("ann")));
      }),
      { numRuns: 60, seed: 17 },
    );
  });

  it("[W17] keeps what is there beside it, and signs with the caller's name", async () => {
    await desk.put("bob", `${files}/mine.md`, "mine");
    await importTo("bob", buildZip([{ name: "x.md", content: "x" }]));
    expect([...desk.bucket("bob").own.keys()]).toEqual(["mine.md", "x.md"]);
    expect(desk.bucket("bob").own.get("x.md")?.info.by).toBe("user:bob");
  });

  it("[W17] may hold a log that is longer than any text", async () => {
    const log = `{"text":"${"é漢".repeat(100)}"}\n`.repeat(5_000);
    const path = "agents/main/sessions/s1.log.jsonl";
    const zip = buildZip([{ name: path, content: log, deflate: true }]);
    const seen: string[] = [];
    const bucket = desk.bucket("ann");
    const { stageImport } = bucket;
    bucket.stageImport = (id, page) => {
      seen.push(...page.changes.map(({ kind }) => kind));
      return stageImport(id, page);
    };
    expect((await importTo("ann", zip)).status).toBe(200);
    expect(new TextDecoder().decode(bucket.own.get(path)?.bytes)).toBe(log);
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

  it("has one batch of files in memory at a time, and reads no further than it is read", async () => {
    const workspace = new FakeWorkspace({});
    for (let index = 0; index < 600; index++) {
      const path = `f/${String(index).padStart(4, "0")}.txt`;
      const write = { kind: "write", path, content: { text: "some text" } } as const;
      await workspace.change({ by: "user:x", changes: [write] });
    }
    const options = { directory: "", layer: "own", whiteouts: true } as const;
    const reader = (await exportArchive(workspace, options)).getReader();
    expect(workspace.batches).toBe(0);
    for (let chunk = 1; chunk <= 3 * 40; chunk++) {
      await reader.read();
      expect(workspace.batches).toBe(Math.ceil(chunk / 3 / workspace.batch));
    }
    await reader.cancel();
    expect(workspace.reads).toBe(40);
    const whole = await new Response(await exportArchive(workspace, options)).bytes();
    expect(Object.keys(unzipSync(whole)).length).toBe(600);
  });

  it("[W12] breaks off when a file cannot be read, and leaves out one that was deleted meanwhile", async () => {
    const workspace = new FakeWorkspace({});
    for (const path of ["a", "b", "c"])
      await workspace.change({
        by: "user:x",
        changes: [{ kind: "write", path, content: { text: path } }],
      });
    const options = { directory: "", layer: "own", whiteouts: false } as const;
    const stream = await exportArchive(workspace, options);
    workspace.own.delete("b");
    expect(Object.keys(unzipSync(await new Response(stream).bytes()))).toEqual(["a", "c"]);
    const { read } = workspace;
    workspace.read = (request) =>
      request.path === "c" ? Promise.reject(new Error("the store is down")) : read(request);
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const broken = await exportArchive(workspace, options);
    await expect(new Response(broken).bytes()).rejects.toThrow();
    expect(log.mock.calls).toEqual([[expect.stringContaining("archive_broken")]]);
    log.mockRestore();
  });
});
