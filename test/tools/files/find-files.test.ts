import { describe, expect, it } from "vitest";
import { writeMark } from "../../../src/shared/memory-marks.ts";
import { Desk, lines } from "./using.ts";

const desk = new Desk({
  "AGENTS.md": "You are Carrel.",
  "empty.md": "",
  "knowledge/KNOWLEDGE.md": "Größe",
  "knowledge/deep/a.md": "alpha\nbeta\ngamma",
  "knowledge/deep/b.txt": "Alpha",
});

describe("list_files", () => {
  it.each(["", ".", "/", "./", undefined])("[W1] %j lists the root", async (path) => {
    expect(await desk.use("list_files", path === undefined ? {} : { path })).toBe(
      "[FILE] AGENTS.md (15 bytes)\n[FILE] empty.md (0 bytes)\n[DIR]  knowledge/",
    );
  });

  it("[W2] what it shows can be read or listed with the same spelling", async () => {
    const seen: string[] = [];
    const visit = async (path: string): Promise<void> => {
      for (const line of (await desk.use("list_files", { path })).split("\n")) {
        const directory = /^\[DIR\] {2}(.*)$/.exec(line)?.[1];
        const file = /^\[FILE\] (.*) \(\d+ bytes\)$/.exec(line)?.[1];
        if (directory) await visit(directory);
        if (file) seen.push(`${file}: ${(await desk.use("read_file", { path: file })).length > 0}`);
      }
    };
    await visit("/");
    expect(seen).toHaveLength(5);
    expect(seen.every((line) => line.endsWith(": true"))).toBe(true);
  });

  it("gives the files of all levels when asked", async () => {
    expect(await desk.use("list_files", { path: "knowledge", recursive: true })).toBe(
      "[FILE] knowledge/KNOWLEDGE.md (7 bytes)\n[FILE] knowledge/deep/a.md (16 bytes)\n[FILE] knowledge/deep/b.txt (5 bytes)",
    );
  });

  it.each([
    [1_200, (at: number) => `f${at}`],
    [900, (at: number) => `${"x".repeat(400)}${at}`],
  ])("[W8] of %i entries is bounded, says so, and goes on", async (count, name) => {
    const many = new Desk(
      Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), ""])),
    );
    const seen = new Set<string>();
    for (let more: { after?: string } | null = {}; more !== null;) {
      const text: string = await many.use("list_files", more);
      expect(text.length).toBeLessThan(100_000);
      const shown = text.split("\n");
      const next: string | undefined = /Go on with after="(.*)"\.\]$/.exec(text)?.[1];
      if (next !== undefined) expect(shown.pop()).toMatch(/^\[Cut here: [\d,]+ of [\d,]+ entries/);
      more = next === undefined ? null : { after: next };
      for (const line of shown) seen.add(line);
    }
    expect(seen.size).toBe(count);
  });

  it("says what is wrong with what is no directory", async () => {
    await expect(desk.use("list_files", { path: "AGENTS.md" })).rejects.toThrow(/is a file/);
    await expect(desk.use("list_files", { path: "knowlege" })).rejects.toThrow(/does not exist/);
    expect(await new Desk().use("list_files", {})).toBe("[The workspace is empty.]");
    expect(await desk.use("list_files", { after: "z" })).toBe("[Nothing comes after z.]");
  });
});

describe("glob_files", () => {
  it("finds files at any depth, sorted, with their sizes", async () => {
    expect(await desk.use("glob_files", { pattern: "*.md", path: "knowledge" })).toBe(
      "knowledge/KNOWLEDGE.md (7 bytes)\nknowledge/deep/a.md (16 bytes)",
    );
    expect(await desk.use("glob_files", { pattern: "*.rs" })).toBe("No matching files found");
    await expect(desk.use("glob_files", { pattern: "{a" })).rejects.toThrow(/does not finish/);
  });

  it("[W8] says when it was cut", async () => {
    const many = new Desk(
      Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`f${at}`, ""])),
    );
    const shown = (await many.use("glob_files", { pattern: "f*" })).split("\n");
    expect(shown).toHaveLength(501);
    expect(shown.at(-1)).toMatch(/^\[Cut here: 500 of 700 files are shown\./);
  });
});

describe("grep_files", () => {
  it("shows path, line and text of each match", async () => {
    expect(await desk.use("grep_files", { pattern: "lpha" })).toBe(
      "knowledge/deep/a.md:1:alpha\nknowledge/deep/b.txt:1:Alpha",
    );
    expect(
      await desk.use("grep_files", { pattern: "ALPHA", ignore_case: true, glob: "*.md" }),
    ).toBe("knowledge/deep/a.md:1:alpha");
    expect(await desk.use("grep_files", { pattern: "al.ha", path: "knowledge/deep/a.md" })).toBe(
      "No matches found",
    );
    expect(await desk.use("grep_files", { pattern: "^al.ha$", regex: true })).toBe(
      "knowledge/deep/a.md:1:alpha",
    );
  });

  it("[M7] shows no mark of where a memory is from, nor half of one", async () => {
    const mark = writeMark({ session: "main/secret-session", turn: "t9" });
    const wide = `${"x".repeat(460)} tea ${mark}${"y".repeat(60)} cake`;
    const marked = new Desk({
      "knowledge/m.md": `- near ${mark}\n- tea ${mark}\n`,
      "wide.md": wide,
    });
    expect(await marked.use("grep_files", { pattern: "- tea", context: 1 })).toBe(
      "knowledge/m.md-1-- near\nknowledge/m.md:2:- tea",
    );
    for (const pattern of ["xxx", "tea", "secret-s", "cake"])
      expect(await marked.use("grep_files", { pattern, path: "wide.md" })).not.toMatch(
        /session|carrel|t9/,
      );
  });

  it("shows lines around a match as grep does", async () => {
    expect(await desk.use("grep_files", { pattern: "beta", context: 2 })).toBe(
      "knowledge/deep/a.md-1-alpha\nknowledge/deep/a.md:2:beta\nknowledge/deep/a.md-3-gamma",
    );
    expect(
      await desk.use("grep_files", { pattern: "a$", regex: true, path: "knowledge", context: 0 }),
    ).not.toContain("--");
    expect((await desk.use("grep_files", { pattern: "lpha", context: 1 })).split("\n")).toContain(
      "--",
    );
  });

  it("[W8] is bounded and goes on after the last file that it showed whole", async () => {
    const many = new Desk({ "a.md": lines(3), "b.md": lines(3), "c.md": lines(3) });
    const first = await many.use("grep_files", { pattern: "line", limit: 5 });
    expect(first).toMatch(/\[Cut here: 5 matches are shown.*Go on with after="a\.md"/);
    const second = await many.use("grep_files", { pattern: "line", after: "a.md" });
    expect(second.split("\n")).toHaveLength(6);
    expect(await many.use("grep_files", { pattern: "line", limit: 2 })).toMatch(/narrower pattern/);
    const wide = new Desk({ "a.md": "x", "b.md": lines(300, () => "x".repeat(500)) });
    const cut = await wide.use("grep_files", { pattern: "x", limit: 1_000 });
    expect(cut.length).toBeLessThan(100_000);
    expect(cut).toMatch(/\[Cut here: \d+ matches are shown.*after="a\.md"/);
  });

  it("says that only a part was searched", async () => {
    const half = new Desk({ "a.md": "x" });
    const { grep } = half.workspace;
    half.workspace.grep = async (request) => ({
      ...(await grep(request)),
      cut: "bytes",
      next: "a.md",
    });
    expect(await half.use("grep_files", { pattern: "y" })).toBe(
      'No matches found\n[Only part of the files was searched. Go on with after="a.md".]',
    );
  });

  it("[X5] refuses bad arguments before it runs", async () => {
    await expect(desk.use("grep_files", { pattern: "" })).rejects.toThrow(/pattern: expected/);
    await expect(desk.use("grep_files", { pattern: "a", context: 11 })).rejects.toThrow(
      /at most 10/,
    );
  });
});
