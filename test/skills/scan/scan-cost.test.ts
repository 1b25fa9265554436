import { expect, it } from "vitest";
import { scanSkill } from "../../../src/skills/scan/scan.ts";

const SIZE = 256 * 1024;

/** What rules begin with, again and again: where an expression that goes back would never end. */
const hostile = [
  "curl ",
  "curl x | ",
  "rm -rf ",
  "rm -",
  "a\"b'c\\d",
  "a",
  " ",
  "\n",
  "\\\n",
  "ignore all the your previous ",
  "ignore ",
  "eval( exec(",
  "chr(12)+",
  "\\x41",
  "/home/aaaaaaaaaaaaaaaa/.ssh/x ",
  "send .ssh/ to ",
  "nc -a -b ",
  "a() { b | c",
  "dig $(",
  "do not tell ",
  "sed -i x",
  "base64 -a -b ",
  "\u{e0041}",
  "a\u200d",
  "QUJD",
  "'\"",
];

const costOf = (text: string): number => {
  const costs = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    scanSkill([{ path: "scripts/a.py", content: { text }, executable: true }]);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...costs);
};

it("[K9] a scan takes time in proportion to the text, whatever is in it", () => {
  for (const part of hostile) {
    const text = part.repeat(Math.ceil(SIZE / part.length)).slice(0, SIZE);
    // About 20 ms; what is not linear takes minutes.
    expect(costOf(text), part).toBeLessThan(500);
  }
});
