import { describe, expect, it } from "vitest";
import { neutraliser } from "../../src/context/tags.ts";
import { readSources } from "../support/source.ts";
import { promptOf, small } from "./prompt-lab.ts";

/** Names of the tags that a source closes: written out, or by a constant of the same file. */
function closedIn(text: string): string[] {
  return [...text.matchAll(/<\/(?:([a-z]\w*)|\$\{([A-Z_]+)\})>/g)].map(([, name, constant]) => {
    const [, value] = new RegExp(`const ${constant} = "(\\w+)"`).exec(text) ?? [];
    return name ?? value ?? `no value of ${constant}`;
  });
}

describe("the tags that code writes", () => {
  const own = { "MEMORY.md": "x", "knowledge/KNOWLEDGE.md": "x" };
  const tags = new Set([
    ...readSources("src").flatMap(({ text }) => closedIn(text.replaceAll(/\/\*.*?\*\//gs, ""))),
    ...closedIn(promptOf({ template: small, own })),
  ]);

  it("are found", () => {
    expect([...tags].toSorted()).toEqual(
      expect.arrayContaining(["attached_file", "conversation_summary", "memory_context"]),
    );
  });

  it.each([...tags])("[C5] %s is none that a file can open or close", (tag) => {
    expect(neutraliser([])(`<${tag}> </${tag}>`)).toBe(`&lt;${tag}> &lt;/${tag}>`);
  });
});
