import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/shared/workspace-changes.ts";
import { applyChanges } from "../../../src/workspace/change/change.ts";
import { BY } from "../../support/bucket-parts.ts";
import { writableBucket } from "../../support/writable-bucket.ts";

const bytes = (...all: number[]) => Uint8Array.from(all);
const encoded = (text: string) => new TextEncoder().encode(text);

/** Everything that is stored, to see that nothing was. */
const stored = ({ sql }: ReturnType<typeof writableBucket>) =>
  ["file", "part", "whiteout", "version", "op", "job", "meta", "staged"].map((table) =>
    sql.all(`SELECT * FROM ${table}`),
  );

const filled = async () => {
  const bucket = writableBucket({ template: { "knowledge/t.md": "of the template" } });
  await bucket.write("a.md", "one\n");
  await bucket.write("dir/b.md", "two");
  await bucket.change(
    { kind: "write", path: "blob", content: { bytes: bytes(0, 255) } },
    { kind: "append", path: "agents/main/s.log.jsonl", text: "{}\n" },
    { kind: "write", path: "MEMORY.md", content: { text: "m" } },
  );
  return bucket;
};

const write = (path: string, text = "x"): Change => ({ kind: "write", path, content: { text } });

describe("a change that is refused", () => {
  it.each<[string, string, Change]>([
    ["a write to the root", "invalid", write("./")],
    ["a write out of the root", "invalid", write("../a")],
    ["a write on a directory", "conflict", write("dir")],
    ["a write below a file", "conflict", write("a.md/b")],
    ["half a character", "invalid", write("c.md", "\ud800")],
    ["NUL in a text", "invalid", write("c.md", "a\0b")],
    ["a write on a log", "invalid", write("agents/main/s.log.jsonl")],
    [
      "a binary log",
      "invalid",
      { kind: "write", path: "x.log.jsonl", content: { bytes: bytes(0) } },
    ],
    ["an append to a blob", "invalid", { kind: "append", path: "blob", text: "x" }],
    ["an append to a directory", "conflict", { kind: "append", path: "dir", text: "x" }],
    ["an append of half a character", "invalid", { kind: "append", path: "a.md", text: "\udc00" }],
    ["a merge of a list", "invalid", { kind: "merge", path: "c.json", patch: [1] }],
    ["a merge on a log", "invalid", { kind: "merge", path: "agents/main/s.log.jsonl", patch: {} }],
    ["an edit of nothing", "not_found", edit("c.md", "a", "b")],
    ["an edit of a directory", "invalid", edit("dir", "a", "b")],
    ["an edit of a blob", "invalid", edit("blob", "a", "b")],
    ["an edit of a log", "invalid", edit("agents/main/s.log.jsonl", "{", "[")],
    ["an edit without a match", "invalid", edit("a.md", "q", "b")],
    ["an edit without edits", "invalid", { kind: "edit", path: "a.md", edits: [] }],
    ["a move of nothing", "not_found", { kind: "move", path: "c.md", to: "d.md" }],
    ["a move of the root", "invalid", { kind: "move", path: "/", to: "d" }],
    ["a move to the root", "invalid", { kind: "move", path: "dir", to: "" }],
    ["a move to itself", "invalid", { kind: "move", path: "dir", to: "./dir/" }],
    ["a move into itself", "invalid", { kind: "move", path: "dir", to: "dir/deep" }],
    ["a move over a file", "conflict", { kind: "move", path: "dir/b.md", to: "a.md" }],
    [
      "a directory over a file",
      "conflict",
      { kind: "move", path: "dir", to: "a.md", overwrite: true },
    ],
    [
      "a file over a directory",
      "conflict",
      { kind: "move", path: "a.md", to: "dir", overwrite: true },
    ],
    ["a move below a file", "conflict", { kind: "move", path: "dir", to: "a.md/dir" }],
    ["a move of a log", "invalid", { kind: "move", path: "agents", to: "old" }],
    ["a move to a log", "invalid", { kind: "move", path: "a.md", to: "a.log.jsonl" }],
    ["a delete of nothing", "not_found", { kind: "delete", path: "c.md" }],
    ["a delete of the root", "invalid", { kind: "delete", path: "." }],
    ["an undo of what was never there", "not_found", { kind: "undo", path: "c.md" }],
    [
      "an undo to a version that never was",
      "not_found",
      { kind: "undo", path: "a.md", version: 99 },
    ],
    ["an undo to the present version", "invalid", { kind: "undo", path: "MEMORY.md", version: 5 }],
  ])("[H1] stores nothing: %s", async (_, code, change) => {
    const bucket = await filled();
    const before = stored(bucket);
    const version = bucket.rows.version;
    const changes = [write("before.md"), change, write("after.md")];
    const answer = applyChanges(bucket, { by: BY, changes, op: "op" });
    await expect(answer).rejects.toMatchObject({ name: "CarrelError", code });
    expect(stored(bucket)).toEqual(before);
    expect(bucket.rows.version).toBe(version);
    expect(await bucket.show("before.md")).toBeNull();
  });

  it("[H1] a request has at least one change and at most 1,000, and an op that can be printed", async () => {
    const bucket = writableBucket();
    const many = Array.from({ length: 1_001 }, (_, no) => write(`f${no}`));
    for (const request of [
      { changes: [] },
      { changes: many },
      { changes: [write("a")], op: "" },
      { changes: [write("a")], op: "a b" },
    ])
      await expect(applyChanges(bucket, { by: BY, ...request })).rejects.toMatchObject({
        code: "invalid",
      });
    expect(bucket.rows.files.size).toBe(0);
  });
});

function edit(path: string, oldText: string, newText: string): Change {
  return { kind: "edit", path, edits: [{ oldText, newText }] };
}

describe("content", () => {
  it.each([
    ["nothing", ""],
    ["no newline at the end", "a\nb"],
    ["CRLF", "a\r\nb\r\n"],
    ["a byte order mark", "\ufeffa"],
    ["all kinds of characters", "é文😀\u0001\u2028"],
  ])("[W5] text is text, as it was sent: %s", async (_, text) => {
    const bucket = writableBucket();
    const content = { bytes: encoded(text) };
    const [changed] = await bucket.change({ kind: "write", path: "a", content });
    expect(changed?.file).toMatchObject({ type: "text", size: content.bytes.length });
    expect(await bucket.show("a")).toBe(text);
    await bucket.write("b", text);
    expect(await bucket.show("b")).toBe(text);
    const [a, b] = ["a", "b"].map((path) =>
      [...bucket.rows.files.values()].find((it) => it.path === path),
    );
    expect(a?.sha256).toBe(b?.sha256);
  });

  it.each([
    ["NUL", bytes(97, 0)],
    ["no UTF-8", bytes(0xff, 0xfe)],
    ["half of a character", bytes(0xed, 0xa0, 0x80)],
    ["text that is too long to be one", new Uint8Array(1024 * 1024 + 1).fill(97)],
  ])("[W5] other bytes are a blob with the same bytes: %s", async (_, content) => {
    const bucket = writableBucket();
    const [changed] = await bucket.change({
      kind: "write",
      path: "a",
      content: { bytes: content },
    });
    expect(changed?.file).toMatchObject({ type: "blob", size: content.length });
    expect(await bucket.show("a")).toEqual(content);
    await bucket.change({ kind: "move", path: "a", to: "dir/b" });
    expect(await bucket.show("dir/b")).toEqual(content);
    expect([...bucket.rows.files.values()].map(({ body }) => body)).toEqual([null, null]);
  });

  it("the executable mark stays until it is said otherwise, and moves along", async () => {
    const bucket = writableBucket();
    await bucket.change({
      ...write("run.sh"),
      kind: "write",
      executable: true,
      content: { text: "1" },
    });
    expect((await bucket.write("run.sh", "2")).file?.executable).toBe(true);
    await bucket.change(edit("run.sh", "2", "3"), { kind: "append", path: "run.sh", text: "4" });
    const [moved] = await bucket.change({ kind: "move", path: "run.sh", to: "bin/run.sh" });
    expect(moved?.file).toMatchObject({ path: "bin/run.sh", executable: true, size: 2 });
    expect(await bucket.show("bin/run.sh")).toBe("34");
  });

  it("[W13] an edit says what changed", async () => {
    const bucket = writableBucket();
    await bucket.write("a.md", "x\r\ny\r\ny\r\n");
    const edits = [{ oldText: "y", newText: "z", replaceAll: true }];
    const [changed] = await bucket.change({ kind: "edit", path: "a.md", edits });
    expect(changed).toMatchObject({ replaced: [2], line: 2, touched: 1 });
    expect(await bucket.show("a.md")).toBe("x\r\nz\r\nz\r\n");
  });

  it("a merge begins a file, keeps what it can and keeps what it cannot as a version", async () => {
    const bucket = writableBucket();
    const merge = (patch: object) => bucket.change({ kind: "merge", path: "s.json", patch });
    await merge({ b: 1, a: { c: null } });
    expect(await bucket.show("s.json")).toBe('{\n  "b": 1,\n  "a": {}\n}\n');
    await bucket.write("s.json", "broken {");
    await merge({ n: 1 });
    expect(await bucket.show("s.json")).toBe('{\n  "n": 1\n}\n');
    await bucket.change({ kind: "undo", path: "s.json" });
    expect(await bucket.show("s.json")).toBe("broken {");
  });
});

describe("requests", () => {
  it("apply in order, each on what the one before left", async () => {
    const bucket = writableBucket();
    const answers = await bucket.change(
      write("a", "1"),
      { kind: "append", path: "a", text: "2" },
      edit("a", "12", "three"),
      { kind: "move", path: "a", to: "d/b" },
      { kind: "append", path: "d/b", text: "!" },
      write("d/c"),
      { kind: "delete", path: "d/c" },
    );
    expect(answers.map(({ file }) => file?.path ?? null)).toEqual([
      "a",
      "a",
      "a",
      "d/b",
      "d/b",
      "d/c",
      null,
    ]);
    expect(await bucket.lines()).toEqual(["d/b own three!"]);
    const [row] = bucket.rows.files.values();
    expect(row?.version).toBeLessThanOrEqual(bucket.rows.version);
  });

  it("[W9] with an op are done once, also when two race, and get the first answer", async () => {
    const bucket = writableBucket();
    const request = (text: string) => ({
      by: BY,
      op: "flush-1",
      changes: [{ kind: "append", path: "memory/day.md", text }] as const,
    });
    const [first, second] = await Promise.all([
      applyChanges(bucket, request("a\n")),
      applyChanges(bucket, request("a\n")),
    ]);
    expect(second).toEqual(first);
    const again = writableBucket(bucket);
    expect(await applyChanges(again, request("another\n"))).toEqual(first);
    expect(await again.show("memory/day.md")).toBe("a\n");
  });

  it("[W9] of two writers that expect the same, one wins and the other hears what is there", async () => {
    const bucket = writableBucket({ template: { "AGENTS.md": "template" } });
    const [shown] = bucket.layers.overlay().entries;
    const put = (text: string, expected: string) =>
      bucket.change({ kind: "write", path: "AGENTS.md", content: { text }, expect: expected });
    const etag = shown?.file.etag ?? "";
    const all = await Promise.allSettled(Array.from({ length: 16 }, (_, no) => put(`${no}`, etag)));
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await expect(put("x", etag)).rejects.toThrow(/etag is now "1"/);
    await expect(put("x", "absent")).rejects.toMatchObject({ code: "conflict" });
    await bucket.change({ kind: "delete", path: "AGENTS.md", expect: "1" });
    await expect(put("x", "1")).rejects.toThrow(/it is gone/);
    await put("new", "absent");
    expect(await bucket.show("AGENTS.md")).toBe("new");
  });

  it("[W9] an etag is what was there before the request, and a directory has none", async () => {
    const bucket = writableBucket();
    await bucket.write("d/a", "1");
    await bucket.change(write("d/a", "2"), { ...edit("d/a", "2", "3"), expect: "1" } as Change);
    expect(await bucket.show("d/a")).toBe("3");
    for (const expected of ["absent", "1"])
      await expect(
        bucket.change({ kind: "delete", path: "d", expect: expected }),
      ).rejects.toMatchObject({ code: "conflict" });
  });

  it("[W9] 16 writers × 100 appends: all there, once, in the order of each", async () => {
    const bucket = writableBucket();
    const writer = async (name: number) => {
      for (let no = 0; no < 100; no += 1)
        await bucket.change({ kind: "append", path: "memory/day.md", text: `${name} ${no}\n` });
    };
    await Promise.all(Array.from({ length: 16 }, (_, name) => writer(name)));
    const lines = String(await bucket.show("memory/day.md"))
      .trimEnd()
      .split("\n");
    expect(new Set(lines).size).toBe(1_600);
    for (let name = 0; name < 16; name += 1) {
      const own = lines.filter((line) => line.startsWith(`${name} `));
      expect(own).toEqual(Array.from({ length: 100 }, (_, no) => `${name} ${no}`));
    }
  });
});
