import { describe, expect, it } from "vitest";
import { headOf, splitSkill } from "../../src/shared/skill-head.ts";

const front = "---\nname: pdf\n---\n";

describe("the head of a skill", () => {
  it("[K1] is its front matter and the beginning of its body", () => {
    expect(headOf(front)).toBe(front);
    expect(headOf(`${front}body`)).toBe(`${front}body`);
    expect(headOf(front + "x".repeat(1_000))).toBe(front + "x".repeat(400));
    expect(headOf(`${front}${"x".repeat(399)}😀`)).toBe(front + "x".repeat(399));
  });

  it("[K1] is never long, whatever the text is", () => {
    for (const text of [
      "x".repeat(1_000_000),
      "\r\n".repeat(500_000),
      `---\n${"x".repeat(1_000_000)}`,
      `---\n${"---\t".repeat(250_000)}`,
      `---\n${"😀".repeat(500_000)}`,
      `---\n${"\n".repeat(16_383)}---\n${" ".repeat(1_000_000)}`,
    ]) {
      const head = headOf(text);
      expect(Array.from(head).length).toBeLessThan(18_000);
      expect(text.startsWith(head)).toBe(true);
      expect(splitSkill(head)).toEqual(splitSkill(text));
    }
  });

  it("[K1] ends the front matter at a line of three hyphens only", () => {
    const text = "---\na ---\n ---\n----\n---x\n\r--- \nbody";
    expect(splitSkill(text)).toEqual({
      kind: "split",
      frontMatter: "a ---\n ---\n----\n---x\n\r",
      bodyAt: text.indexOf("body"),
    });
  });
});
