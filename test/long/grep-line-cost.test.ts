import { describe, expect, it } from "vitest";
import { createMatcher } from "../../src/workspace/search/grep-matcher.ts";

const LENGTH = 64 * 1024;

/** Characters that look random, out of `alphabet`. */
const noise = (alphabet: string): string =>
  Array.from({ length: LENGTH }, (_, at) =>
    alphabet.charAt((Math.imul(at + 1, 2_654_435_761) >>> 11) % alphabet.length),
  ).join("");

const printable = String.fromCharCode(...Array.from({ length: 90 }, (_, at) => 33 + at));
const lines = [noise("ab"), noise(printable), "a".repeat(LENGTH), "é".repeat(LENGTH)];

/** Expressions that make many states, or that backtracking would never end with. */
const patterns = [
  "[ab].{100}c",
  "[ab].{240}c",
  "(a|aa|aaa|aaaa){1,36}b$",
  "(?:[ab].{100}c|[ab].{50}d)",
  "(\\w.{40}){10}#",
  ".*[ab].{100}b.{0,100}$",
  "(.*)(.*)(.*)(.*)(.*)(.*)x",
  "(x+x+)+y",
  "(a*)*b",
  "[a-z]+[0-9]{3}$",
  "\\b(\\w+\\W+){1,40}q",
  "(?i)(a|é|o)*zz",
];

describe("the longest line that an expression is looked for in", () => {
  it.each(patterns)("takes at most 200 ms for %s, with what is shown of it", async (pattern) => {
    for (const line of lines) {
      const costs: number[] = [];
      for (let run = 0; run < 3; run += 1) {
        // A new one each time: what one has learnt of a line would help it with the next.
        const matcher = await createMatcher({ pattern, regex: true });
        const before = process.cpuUsage();
        const part = line.slice(0, matcher.reach);
        matcher.matches(part);
        matcher.indexIn(part);
        const { user, system } = process.cpuUsage(before);
        costs.push((user + system) / 1_000);
      }
      const ms = Math.min(...costs);
      console.info(`${pattern}: ${ms.toFixed(0)} ms`);
      expect(ms).toBeLessThan(200);
    }
  });
});
