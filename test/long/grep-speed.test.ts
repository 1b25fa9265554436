import { beforeAll, describe, expect, it } from "vitest";
import type { GrepRequest } from "../../src/shared/workspace-api.ts";
import { grepFiles } from "../../src/workspace/search/grep.ts";
import { seededRandom } from "../support/random.ts";
import { layersOver } from "../support/bucket-parts.ts";
import { readableBucket } from "../support/readable-bucket.ts";

const words =
  "the quick brown fox jumps over a lazy dog agent workspace bucket Straße naïve 文件 error".split(
    " ",
  );

/** About 10,000 characters of prose in lines of 4 to 13 words. */
function prose(random: () => number): string {
  const parts: string[] = [];
  for (let length = 0; length < 10_000;) {
    const count = 4 + Math.floor(random() * 10);
    const line = Array.from({ length: count }, () => words[Math.floor(random() * words.length)]);
    parts.push(`${line.join(" ")}\n`);
    length += line.join(" ").length + 1;
  }
  return parts.join("");
}

const bucket = readableBucket();
const layers = layersOver(bucket);

/** Milliseconds of processor time, the least of three: other work on the machine only adds. */
async function cost(request: GrepRequest): Promise<number> {
  const costs: number[] = [];
  for (let run = 0; run < 3; run += 1) {
    const before = process.cpuUsage();
    const rest = () => new Promise<void>((resolve) => setImmediate(resolve));
    const answer = await grepFiles(layers, bucket.contents, request, { yield: rest });
    expect(answer.cut).toBeNull();
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / 1_000);
  }
  return Math.min(...costs);
}

describe("a grep over 2,000 files of 10 KB", () => {
  beforeAll(() => {
    const random = seededRandom(7);
    for (let no = 0; no < 2_000; no += 1) bucket.write(`notes/${no}.md`, prose(random));
  });

  it.each<[string, Omit<GrepRequest, "pattern">]>([
    ["needle", {}],
    ["needle", { caseSensitive: false }],
    ["NÄEDLE", { caseSensitive: false }],
    ["needle\\d+", { regex: true }],
    ["[a-z]+@[a-z]+\\.com", { regex: true }],
    ["\\bfox\\s+jumps\\s+.*needle$", { regex: true }],
    ["(\\w+) (\\w+) (\\w+)z$", { regex: true }],
    ["straße.*needle", { regex: true, caseSensitive: false }],
  ])("for %s with %j takes less than a second", async (pattern, options) => {
    const ms = await cost({ pattern, ...options });
    console.info(`${pattern} ${JSON.stringify(options)}: ${ms.toFixed(0)} ms`);
    expect(ms).toBeLessThan(1_000);
  });
});
