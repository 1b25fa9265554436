import { describe, expect, it } from "vitest";
import { splitLines, utf8Length } from "../../../src/shared/text.ts";
import type { PageAnswer } from "../../../src/shared/workspace-api.ts";
import { pageOf } from "../../../src/workspace/read/page.ts";
import { layersOver } from "../../support/bucket-parts.ts";
import { type ReadableBucket, readableBucket } from "../../support/readable-bucket.ts";

const page = (bucket: ReadableBucket, path: string, offset: number, limit: number) =>
  pageOf(layersOver(bucket), bucket.contents, { path, offset, limit });

/** All pages, one after another; a line that was cut counts as read. */
async function pages(bucket: ReadableBucket, path: string, limit: number): Promise<PageAnswer[]> {
  const all: PageAnswer[] = [];
  for (let offset = 0; ;) {
    const next = await page(bucket, path, offset, limit);
    all.push(next);
    offset += next.lines?.length ?? 0;
    if (offset >= next.total) return all;
    expect(next.lines?.length).toBeGreaterThan(0);
  }
}

const numbered = (count: number, width = 10): string =>
  Array.from({ length: count }, (_, no) => `${no} ${"x".repeat(width)}\n`).join("");

describe("a page of a file", () => {
  it("[W14] has the lines asked for and how many there are", async () => {
    const bucket = readableBucket({ "a.md": "one\r\ntwo\rthree\nfour" });
    expect(await page(bucket, "/a.md", 1, 2)).toMatchObject({
      file: { path: "a.md" },
      lines: ["two", "three"],
      total: 4,
      lineCut: false,
    });
    expect(await page(bucket, "a.md", 4, 1)).toMatchObject({ lines: [], total: 4 });
    expect(await page(bucket, "a.md", 0, Number.MAX_SAFE_INTEGER)).toMatchObject({ total: 4 });
  });

  it("[W14] of a blank file has no lines, of a blob is null and fetches nothing", async () => {
    const bucket = readableBucket({ "a.md": "" });
    bucket.write("a.png", new Uint8Array(9));
    expect(await page(bucket, "a.md", 0, 9)).toMatchObject({ lines: [], total: 0 });
    expect(await page(bucket, "a.png", 0, 9)).toMatchObject({ lines: null, total: 0 });
    expect(bucket.fetched).toEqual([]);
  });

  it("[W14] is bounded in bytes, and all pages together are the file", async () => {
    for (const text of [numbered(5_000, 100), `${"é".repeat(49_999)}\n`.repeat(7)]) {
      const all = await pages(readableBucket({ "a.md": text }), "a.md", 10_000);
      expect(all.length).toBeGreaterThan(1);
      expect(all.flatMap((it) => it.lines)).toEqual(splitLines(text));
      for (const { lines } of all)
        expect(utf8Length(lines?.join("\n") ?? "")).toBeLessThanOrEqual(100_000);
    }
  });

  it("[W14] gives an over-long line in part, in whole characters, and goes on after it", async () => {
    const text = `short\n${"😀".repeat(50_000)}\nlast\n`;
    const all = await pages(readableBucket({ "a.md": text }), "a.md", 100);
    expect(all.map(({ lines, lineCut }) => [lines?.length, lineCut])).toEqual([
      [1, false],
      [1, true],
      [1, false],
    ]);
    expect(all[1]?.lines).toEqual(["😀".repeat(25_000)]);
    expect(all[2]?.lines).toEqual(["last"]);
  });

  it("[W14] of a log reads only the lines that it needs", async () => {
    const bucket = readableBucket();
    const path = "agents/main/sessions/s.log.jsonl";
    bucket.writeLog(path, numbered(3_000), numbered(1_000));
    const text = splitLines(numbered(3_000) + numbered(1_000));
    expect(await page(bucket, path, 2_999, 2)).toMatchObject({
      lines: [text[2_999], text[3_000]],
      total: 4_000,
    });
    const all = await pages(bucket, path, 2_500);
    expect(all.flatMap((it) => it.lines)).toEqual(text);
    const long = numbered(500, 1_000);
    bucket.writeLog(path, long, "");
    expect((await pages(bucket, path, 500)).flatMap((it) => it.lines)).toEqual(splitLines(long));
  });

  it("refuses a directory, a missing file and bad numbers", async () => {
    const bucket = readableBucket({ "a/b.md": "x" });
    await expect(page(bucket, "a", 0, 1)).rejects.toMatchObject({ code: "invalid" });
    await expect(page(bucket, "b.md", 0, 1)).rejects.toMatchObject({ code: "not_found" });
    for (const [offset, limit] of [
      [-1, 1],
      [0, 0],
      [0.5, 1],
      [0, Number.NaN],
    ] as const)
      await expect(page(bucket, "a/b.md", offset, limit)).rejects.toMatchObject({
        code: "invalid",
      });
  });
});
