import { describe, expect, it } from "vitest";
import type { GrepAnswer } from "../../../src/shared/workspace-api.ts";
import { createMatcher } from "../../../src/workspace/search/grep-matcher.ts";
import { grepFiles } from "../../../src/workspace/search/grep.ts";
import { layersOver } from "../../support/bucket-parts.ts";
import { readableBucket } from "../../support/readable-bucket.ts";

const REACH = 64 * 1024;

async function grep(text: string, pattern: string, regex: boolean): Promise<GrepAnswer> {
  const bucket = readableBucket({ "a.txt": text });
  const turns = { yield: () => Promise.resolve(), now: () => 0 };
  return grepFiles(layersOver(bucket), bucket.contents, { pattern, regex }, turns);
}

describe("a grep of a long line", () => {
  it("[W8] looks for an expression in its first 64 Ki, and says so; literal text is found anywhere", async () => {
    const line = `${"x".repeat(REACH)}needle`;
    const text = `${line}\nneedle\n${"y".repeat(REACH)}\n`;
    const byExpression = await grep(text, "need+le", true);
    expect(byExpression.hits.map((hit) => hit.line)).toEqual([2]);
    expect(byExpression).toMatchObject({ longLines: 1, cut: null, searched: 1 });
    const literally = await grep(text, "needle", false);
    expect(literally.hits.map((hit) => hit.line)).toEqual([1, 2]);
    expect(literally.longLines).toBe(0);
    expect(literally.hits[0]?.text).toContain("needle");
  });

  it("[W8] counts it once, and splits no character", async () => {
    const answer = await grep(`${"x".repeat(REACH - 1)}😀\n`, "\\x{FFFD}|[^x]", true);
    expect(answer).toMatchObject({ hits: [], longLines: 1 });
  });

  it.each([0, 1, 2_047, 4_000, 5_000, 40_000, REACH - 10])(
    "[W8] shows where it matches, at %i, without asking for more than a part",
    async (at) => {
      const line = `${"x".repeat(at)}needle${"x".repeat(REACH - at - 6)}`;
      const { hits } = await grep(line, "need+le", true);
      expect(hits[0]?.text).toContain("needle");
      const matcher = await createMatcher({ pattern: "need+le", regex: true });
      expect(matcher.indexIn(line)).toBe(at);
    },
  );

  it("[W8] shows the beginning of a match that is longer than any part", async () => {
    const { hits } = await grep(`a${"x".repeat(50_000)}b`, "ax+b", true);
    expect(hits[0]?.text.startsWith("ax")).toBe(true);
  });
});
