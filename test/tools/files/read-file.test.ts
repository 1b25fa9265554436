import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CarrelError } from "../../../src/shared/errors.ts";
import { Desk, lines } from "./using.ts";

const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const png = latin1("\x89PNG\r\n\x1a\n....");

const desk = new Desk({
  "AGENTS.md": "# Carrel\r\n\r\nYou are Carrel.\r\n",
  "knowledge/long.md": lines(4_500),
  "knowledge/wide.md": lines(30, () => "€".repeat(3_000)),
  "knowledge/giant.json": `[${"1,".repeat(150_000)}1]\nend`,
  "numbers.txt": lines(2_000, () => "x".repeat(49)),
  "empty.md": "",
  "logo.png": png,
  "photo.txt": latin1("\xff\xd8\xff\xe0...."),
  "moving.gif": latin1("GIF89a..."),
  "small.webp": latin1("RIFF\0\0\n\0WEBPVP8 "),
  "forged.png": latin1("\0not a picture"),
  "table.xlsx": latin1("PK\x03\x04\0"),
  "huge.png": new Uint8Array(1024 * 1024 + 1).fill(1),
});
const read = (path: string, more: object = {}) => desk.use("read_file", { path, ...more });

describe("read_file", () => {
  it("[W14] gives each line its number, whatever its ending", async () => {
    expect(await read("/AGENTS.md")).toBe("   1|# Carrel\n   2|\n   3|You are Carrel.");
  });

  it("[W14] pages through a long file, each page naming the next", async () => {
    const seen: string[] = [];
    const tails: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page: string[] = (await read("knowledge/long.md", { offset })).split("\n");
      const tail: string | undefined = page.at(-1)?.startsWith("[") ? page.pop() : undefined;
      tails.push(tail ?? "");
      seen.push(...page);
      offset = tail === undefined ? null : Number(/offset=(\d+)/.exec(tail)?.[1]);
    }
    expect(seen).toEqual(
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
    expect(await read(path, { offset: 9, limit: 1 })).toBe(
      "  10|line 10\n[Lines 10 to 10 of 4500. Go on with offset=10.]",
    );
    expect(await read(path, { offset: 4_499, limit: 2 ** 31 - 1 })).toBe("4500|line 4500");
    for (const limit of [0, Number.MAX_SAFE_INTEGER])
      expect((await read(path, { limit })).split("\n")).toHaveLength(2_001);
  });

  it("[W14] keeps a page with its line numbers below 100,000 bytes of UTF-8", async () => {
    for (const path of ["knowledge/wide.md", "numbers.txt"]) {
      const page = await read(path);
      expect(new TextEncoder().encode(page).length).toBeLessThan(100_000);
      expect(page).toMatch(/\[Lines 1 to \d+ of \d+\. Go on with offset=\d+\.\]$/);
    }
  });

  it("gets past a line that no page could hold", async () => {
    const page = await read("knowledge/giant.json");
    expect(page.length).toBeLessThan(100_000);
    expect(page).toMatch(
      /\n\[Line 1 is too long: only its beginning is shown\.\]\n\[Lines 1 to 1 of 2\. Go on with offset=1\.\]$/,
    );
    expect(await read("knowledge/giant.json", { offset: 1 })).toBe("   2|end");
  });

  it("shows images by what they are, not by what they are called", async () => {
    const parts = await desk.parts("read_file", { path: "logo.png" });
    expect(parts).toEqual([
      { type: "text", text: "[logo.png: image/png, 12 bytes.]" },
      { type: "image", mediaType: "image/png", data: btoa(String.fromCharCode(...png)) },
    ]);
    expect(await read("photo.txt")).toContain("<image/jpeg>");
    expect(await read("moving.gif")).toContain("<image/gif>");
    expect(await read("small.webp")).toContain("<image/webp>");
    expect(await read("forged.png")).toBe(
      "[forged.png is not text: image/png, 14 bytes. It cannot be shown.]",
    );
  });

  it("says of other files what they are", async () => {
    expect(await read("table.xlsx")).toMatch(/is not text: application\/vnd.*, 5 bytes\./);
    expect(await read("huge.png")).toBe(
      "[huge.png is not text: image/png, 1,048,577 bytes. Images of more than 1 MiB cannot be shown.]",
    );
    expect(await read("empty.md")).toBe("[empty.md is empty: it has no lines.]");
  });

  it("counts as seen only what it shows whole", async () => {
    const fresh = new Desk({ "a.md": "a\nb", "long.md": lines(3_000), "empty.md": "" });
    await fresh.use("read_file", { path: "a.md", limit: 1 });
    await fresh.use("read_file", { path: "a.md", offset: 1 });
    await fresh.use("read_file", { path: "long.md" });
    expect([...fresh.seen.keys()]).toEqual([]);
    await fresh.use("read_file", { path: "a.md" });
    await fresh.use("read_file", { path: "empty.md" });
    expect([...fresh.seen.keys()]).toEqual(["a.md", "empty.md"]);
  });

  it("says how to mend a wrong offset", async () => {
    await expect(read("AGENTS.md", { offset: 3 })).rejects.toThrow(/has 3 lines, so offset 3/);
  });

  it("[X5] refuses bad arguments before it runs", async () => {
    await expect(read("../etc/passwd")).rejects.toThrow(/path: A path must not contain "\.\."/);
    await expect(desk.use("read_file", {})).rejects.toThrow(/path: expected a string/);
    await expect(read("a", { offset: -1 })).rejects.toThrow(/offset: expected at least 0/);
    await expect(read("a", { lines: 1 })).rejects.toThrow(/unknown field "lines"/);
  });

  it("[W1] no spelling reads anything but a file of the workspace", async () => {
    const names = ["..", "/", ".", "\\", "etc", "passwd", "AGENTS.md", "%2e%2e", "\0", "~"];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...names), { maxLength: 8 }), async (spelling) => {
        const output = await read(spelling.join("")).catch((error: unknown) => error);
        if (output instanceof CarrelError) return;
        expect(output).toContain("Carrel");
      }),
      { seed: 3 },
    );
  });
});
