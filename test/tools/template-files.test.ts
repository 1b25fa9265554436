import { noWorkspace } from "../support/no-workspace.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CarrelError } from "../../src/shared/errors.ts";
import { createTemplateTools } from "../../src/tools/template-files.ts";
import { createTemplate } from "../../src/workspace/template.ts";
import type { TemplateFile } from "../../src/workspace/template.ts";

const lines = (count: number, line = (at: number) => `line ${at}`) =>
  Array.from({ length: count }, (_, at) => line(at + 1)).join("\n");

function toolsOver(files: Readonly<Record<string, TemplateFile>>) {
  const tools = createTemplateTools(createTemplate(files, "v"));
  const context = {
    key: "k",
    signal: new AbortController().signal,
    now: () => 0,
    workspace: noWorkspace,
  };
  return async (name: string, input: unknown): Promise<string> => {
    const output = await tools
      .find((tool) => tool.name === name)
      ?.prepare(input)
      .run(context);
    return typeof output === "string" ? output : JSON.stringify(output);
  };
}

const use = toolsOver({
  "AGENTS.md": { text: "# Carrel\r\n\r\nYou are Carrel.\r\n" },
  "knowledge/KNOWLEDGE.md": { text: "Größe" },
  "knowledge/long.md": { text: lines(4_500) },
  "knowledge/wide.md": { text: lines(30, () => "€".repeat(3_000)) },
  "knowledge/giant.json": { text: `[${"1,".repeat(150_000)}1]\nend` },
  "empty.md": { text: "" },
  "logo.png": { base64: btoa("\x89PNG") },
});

describe("list_files", () => {
  it.each(["", ".", "/", "./", undefined])("[W1] %j lists the root", async (path) => {
    expect(await use("list_files", path === undefined ? {} : { path })).toBe(
      [
        "[FILE] AGENTS.md (29 bytes)",
        "[FILE] empty.md (0 bytes)",
        "[DIR]  knowledge/",
        "[FILE] logo.png (4 bytes)",
      ].join("\n"),
    );
  });

  it("[W2] what it shows can be read or listed with the same spelling", async () => {
    const seen: string[] = [];
    const visit = async (path: string): Promise<void> => {
      for (const line of (await use("list_files", { path })).split("\n")) {
        const directory = /^\[DIR\] {2}(.*)$/.exec(line)?.[1];
        const file = /^\[FILE\] (.*) \(\d+ bytes\)$/.exec(line)?.[1];
        if (directory) await visit(directory);
        if (file) seen.push(`${file}: ${(await use("read_file", { path: file })).length > 0}`);
      }
    };
    await visit("/");
    expect(seen).toHaveLength(7);
    expect(seen.every((line) => line.endsWith(": true"))).toBe(true);
  });

  it("is bounded and says so", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_200 }, (_, at) => [`f${at}`, { text: "" }]),
    );
    const listing = (await toolsOver(many)("list_files", {})).split("\n");
    expect(listing).toHaveLength(1_001);
    expect(listing.at(-1)).toBe("[Cut here: 1,000 of 1,200 entries are shown.]");
  });

  it("says what is wrong with what is no directory", async () => {
    await expect(use("list_files", { path: "AGENTS.md" })).rejects.toThrow(/is a file.*read_file/);
    await expect(use("list_files", { path: "knowlege" })).rejects.toThrow(
      /does not exist.*Nearest: knowledge\./,
    );
    expect(await toolsOver({})("list_files", {})).toBe("[The workspace is empty.]");
  });
});

describe("read_file", () => {
  it("[W14] gives each line its number, whatever its ending", async () => {
    expect(await use("read_file", { path: "/AGENTS.md" })).toBe(
      "   1|# Carrel\n   2|\n   3|You are Carrel.",
    );
  });

  it("[W14] pages through a long file, each page naming the next", async () => {
    const read: string[] = [];
    const tails: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page: string[] = (await use("read_file", { path: "knowledge/long.md", offset })).split(
        "\n",
      );
      const tail: string | undefined = page.at(-1)?.startsWith("[") ? page.pop() : undefined;
      tails.push(tail ?? "");
      read.push(...page);
      offset = tail === undefined ? null : Number(/offset=(\d+)/.exec(tail)?.[1]);
    }
    expect(read).toEqual(
      Array.from({ length: 4_500 }, (_, at) => `${String(at + 1).padStart(4)}|line ${at + 1}`),
    );
    expect(tails).toEqual([
      "[Lines 1 to 2000 of 4500. Go on with offset=2000.]",
      "[Lines 2001 to 4000 of 4500. Go on with offset=4000.]",
      "",
    ]);
  });

  it("takes offset and limit, and bounds them", async () => {
    const path = "knowledge/long.md";
    expect(await use("read_file", { path, offset: 9, limit: 1 })).toBe(
      "  10|line 10\n[Lines 10 to 10 of 4500. Go on with offset=10.]",
    );
    expect(await use("read_file", { path, offset: 4_499, limit: 2 ** 31 - 1 })).toBe(
      "4500|line 4500",
    );
    expect((await use("read_file", { path, limit: 0 })).split("\n")).toHaveLength(2_001);
    expect(
      (await use("read_file", { path, limit: 9_007_199_254_740_991 })).split("\n"),
    ).toHaveLength(2_001);
  });

  it("[W14] keeps a page below 100 KB of UTF-8", async () => {
    const page = await use("read_file", { path: "knowledge/wide.md" });
    expect(new TextEncoder().encode(page).length).toBeLessThan(100_100);
    expect(page).toMatch(/\[Lines 1 to 11 of 30\. Go on with offset=11\.\]$/);
  });

  it("gets past a line that no page could hold", async () => {
    const page = await use("read_file", { path: "knowledge/giant.json" });
    expect(page.length).toBeLessThan(100_200);
    expect(page).toMatch(
      /\[Cut here: 25,000 of 300,008 characters are shown\.\]\n\[Lines 1 to 1 of 2\. Go on with offset=1\.\]$/,
    );
    expect(await use("read_file", { path: "knowledge/giant.json", offset: 1 })).toBe("   2|end");
  });

  it("names a binary file and an empty one as what they are", async () => {
    expect(await use("read_file", { path: "logo.png" })).toBe(
      "[logo.png is not text: image/png, 4 bytes. It cannot be shown.]",
    );
    expect(await use("read_file", { path: "empty.md" })).toBe(
      "[empty.md is empty: it has no lines.]",
    );
  });

  it("says how to mend a wrong path or offset", async () => {
    await expect(use("read_file", { path: "agents.md" })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringMatching(/Nearest: AGENTS\.md/),
    });
    await expect(use("read_file", { path: "xyz" })).rejects.toThrow(/list_files/);
    await expect(use("read_file", { path: "knowledge" })).rejects.toThrow(
      /is a directory.*list_files/,
    );
    await expect(use("read_file", { path: "." })).rejects.toThrow(/root is a directory/);
    await expect(use("read_file", { path: "AGENTS.md", offset: 3 })).rejects.toThrow(
      /has 3 lines, so offset 3/,
    );
  });

  it("[X5] refuses bad arguments before it runs", async () => {
    await expect(use("read_file", { path: "../etc/passwd" })).rejects.toThrow(
      /path: A path must not contain "\.\."/,
    );
    await expect(use("read_file", {})).rejects.toThrow(/path: expected a string, it is missing/);
    await expect(use("read_file", { path: "a", offset: -1 })).rejects.toThrow(
      /offset: expected at least 0/,
    );
    await expect(use("read_file", { path: "a", lines: 1 })).rejects.toThrow(
      /unknown field "lines"/,
    );
  });

  it("[W1] no spelling reads anything but a file of the template", async () => {
    const parts = fc.constantFrom(
      "..",
      "/",
      ".",
      "\\",
      "etc",
      "passwd",
      "AGENTS.md",
      "knowledge",
      "%2e%2e",
      "\0",
      "~",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(parts, { maxLength: 8 }), async (spelling) => {
        const output = await use("read_file", { path: spelling.join("") }).catch(
          (error: unknown) => error,
        );
        if (output instanceof CarrelError) return;
        expect(output).toContain("Carrel");
      }),
    );
  });
});
