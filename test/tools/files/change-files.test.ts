import { describe, expect, it } from "vitest";
import { fileTools } from "../../../src/tools/files/file-tools.ts";
import { Desk, lines } from "./using.ts";

describe("write_file", () => {
  it("creates a file and says so, in the agent's name", async () => {
    const desk = new Desk();
    expect(await desk.use("write_file", { path: "/notes/./plan.md", content: "Größe\r\n" })).toBe(
      "Written to notes/plan.md (9 bytes, new)",
    );
    expect(await desk.workspace.text("notes/plan.md")).toBe("Größe\r\n");
    expect(await desk.workspace.files()).toEqual({
      "notes/plan.md": "agent:main/s1: Größe\r\n",
    });
  });

  it("[W9] does not replace what the model has not seen", async () => {
    const desk = new Desk({ "a.md": "theirs" });
    const write = () => desk.use("write_file", { path: "a.md", content: "mine" });
    await expect(write()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/not all of it was read.*Nothing was written.*read_file/),
    });
    expect(await desk.workspace.text("a.md")).toBe("theirs");
    await desk.use("read_file", { path: "a.md" });
    expect(await write()).toBe("Written to a.md (4 bytes, replaced)");
    expect(await desk.use("write_file", { path: "a.md", content: "again" })).toContain("replaced");
  });

  it("[W9] does not replace what was changed since the model saw it", async () => {
    const desk = new Desk({ "a.md": "one" });
    await desk.use("read_file", { path: "a.md" });
    await desk.workspace.put("a.md", "two");
    await expect(desk.use("write_file", { path: "a.md", content: "mine" })).rejects.toThrow(
      /changed by someone else.*read_file/,
    );
    expect(await desk.workspace.text("a.md")).toBe("two");
  });

  it("writes anew what is gone since the model saw it", async () => {
    const desk = new Desk({ "a.md": "one" });
    await desk.use("read_file", { path: "a.md" });
    await desk.use("delete_file", { path: "a.md" });
    expect(await desk.use("write_file", { path: "a.md", content: "two" })).toContain("new");
  });
});

describe("edit_file", () => {
  it("[W13] replaces one exact match and shows the lines around it", async () => {
    const desk = new Desk({ "a.md": lines(20) });
    expect(
      await desk.use("edit_file", { path: "a.md", old_string: "line 10\n", new_string: "ten\n" }),
    ).toBe(
      [
        "Edited a.md (1 replacement(s))",
        "   7|line 7",
        "   8|line 8",
        "   9|line 9",
        "  10|ten",
        "  11|line 11",
        "  12|line 12",
        "  13|line 13",
      ].join("\n"),
    );
  });

  it("[W13] refuses what is not there, is there twice, is empty, or changes nothing", async () => {
    const desk = new Desk({ "a.md": "x y x" });
    const edit = (old_string: string, new_string: string, more: object = {}) =>
      desk.use("edit_file", { path: "a.md", old_string, new_string, ...more });
    await expect(edit("z", "q")).rejects.toThrow(/does not occur/);
    await expect(edit("x", "q")).rejects.toThrow(/2 times/);
    await expect(edit("", "q")).rejects.toThrow(/old_string: expected at least 1 characters/);
    await expect(edit("x", "x")).rejects.toThrow(/new_string: it is the same as old_string/);
    expect(await desk.workspace.text("a.md")).toBe("x y x");
    expect(await edit("x", "$&", { replace_all: true })).toContain(
      "(2 replacement(s))\n   1|$& y $&",
    );
  });

  it("keeps the excerpt short", async () => {
    const desk = new Desk({ "a.md": `x\n${"w".repeat(5_000)}` });
    const edited = await desk.use("edit_file", {
      path: "a.md",
      old_string: "x",
      new_string: lines(500),
    });
    expect(edited.split("\n")).toHaveLength(14);
    expect(edited.length).toBeLessThan(1_000);
  });

  it("is done also when what it did cannot be shown", async () => {
    const desk = new Desk({ "a.md": "x" });
    desk.workspace.page = () => Promise.reject(new Error("lost"));
    expect(await desk.use("edit_file", { path: "a.md", old_string: "x", new_string: "y" })).toBe(
      "Edited a.md (1 replacement(s))",
    );
  });

  it("[W9] of a file that the model knew lets it write the whole; of another it does not", async () => {
    const desk = new Desk({ "a.md": "one two", "b.md": "one two" });
    await desk.use("read_file", { path: "a.md" });
    for (const path of ["a.md", "b.md"])
      await desk.use("edit_file", { path, old_string: "one", new_string: "1" });
    await desk.use("write_file", { path: "a.md", content: "new" });
    await expect(desk.use("write_file", { path: "b.md", content: "new" })).rejects.toThrow();
  });

  it("of a file that others changed since is made where it still matches", async () => {
    const desk = new Desk({ "a.md": "one two" });
    await desk.use("read_file", { path: "a.md" });
    await desk.workspace.put("a.md", "one three");
    await desk.use("edit_file", { path: "a.md", old_string: "one", new_string: "1" });
    expect(await desk.workspace.text("a.md")).toBe("1 three");
    await expect(desk.use("write_file", { path: "a.md", content: "new" })).rejects.toThrow();
  });
});

describe("multi_edit", () => {
  const change = (old_string: string, new_string: string) => ({ old_string, new_string });

  it("[W13] makes all edits in order, or none", async () => {
    const desk = new Desk({ "a.md": "a b" });
    const edit = (...edits: object[]) => desk.use("multi_edit", { path: "a.md", edits });
    await expect(edit(change("a", "c"), change("x", "y"))).rejects.toThrow(/does not occur/);
    expect(await desk.workspace.text("a.md")).toBe("a b");
    expect(await edit(change("a", "c"), change("c b", "done"))).toBe(
      "Edited a.md (2 replacement(s))\n   1|done",
    );
    await expect(edit()).rejects.toThrow(/edits: expected at least 1 items/);
    await expect(edit(change("", "x"))).rejects.toThrow(/edits\[0\]\.old_string/);
  });
});

describe("move_file and delete_file", () => {
  it("move a file or a directory, and do not replace anything unless told", async () => {
    const desk = new Desk({ "a.md": "a", "b.md": "b", "d/x.md": "x", "d/y.md": "y" });
    await expect(desk.use("move_file", { from: "a.md", to: "b.md" })).rejects.toThrow(/exists/);
    expect(await desk.use("move_file", { from: "a.md", to: "b.md", overwrite: true })).toBe(
      "Moved a.md to b.md",
    );
    expect(await desk.use("move_file", { from: "d", to: "e/f" })).toBe("Moved d to e/f (2 files)");
    expect(Object.keys(await desk.workspace.files())).toEqual(["b.md", "e/f/x.md", "e/f/y.md"]);
  });

  it("delete a file, or a directory with all below it", async () => {
    const desk = new Desk({ "a.md": "a", "d/x.md": "x", "d/y.md": "y" });
    expect(await desk.use("delete_file", { path: "a.md" })).toBe("Deleted a.md");
    expect(await desk.use("delete_file", { path: "d/" })).toBe("Deleted d (2 files)");
    await expect(desk.use("delete_file", { path: "d" })).rejects.toThrow(/does not exist/);
  });
});

describe("a call that is run again under its key", () => {
  it.each([
    ["write_file", { path: "n.md", content: "n" }],
    ["write_file", { path: "seen.md", content: "n" }],
    ["edit_file", { path: "seen.md", old_string: "s", new_string: "ss" }],
    ["edit_file", { path: "a.md", old_string: "a", new_string: "aa" }],
    ["multi_edit", { path: "a.md", edits: [{ old_string: "a", new_string: "aa" }] }],
    ["move_file", { from: "a.md", to: "b.md" }],
    ["delete_file", { path: "a.md" }],
    ["delete_file", { path: ".a" }],
  ])("[T5] %s %j is done once and answers the same", async (name, input) => {
    const desk = new Desk({ "a.md": "a", "seen.md": "s", ".a": "a" });
    await desk.use("read_file", { path: "seen.md" });
    const known = new Map(desk.seen);
    const first = await desk.use(name, input, "again");
    const files = await desk.workspace.files();
    // After a crash the model has not seen the result.
    desk.seen.clear();
    for (const [path, etag] of known) desk.seen.set(path, etag);
    expect(await desk.use(name, input, "again")).toBe(first);
    expect(await desk.workspace.files()).toEqual(files);
  });

  it("[T5] is declared so: readers are pure, writers idempotent and never parallel", () => {
    for (const { name, effect, replay, parallel } of fileTools) {
      const isReader = /^(read|list|glob|grep)_/.test(name);
      const expected = isReader ? ["read", "pure", true] : ["write", "idempotent", false];
      expect([name, effect, replay, parallel]).toEqual([name, ...expected]);
    }
  });
});
