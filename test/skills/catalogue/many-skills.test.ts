import { describe, expect, it } from "vitest";
import { manySkills, promptWith } from "./many-skills.ts";

describe("500 skills in four layers", () => {
  it("[K3, C3] make a catalogue within its bound, the same bytes each time, and no body is read again", async () => {
    const { own, shared, reads, snapshot, catalogues, viewer } = manySkills();
    const first = await snapshot(null);
    if (first === "unchanged") throw new Error("unchanged from nothing");
    const catalogue = await catalogues.of(first, viewer);
    expect(catalogue.skills).toHaveLength(500);
    expect(catalogue.leftOut).toEqual([]);
    // The manifest and the index of the repository.
    expect(shared.asked).toHaveLength(2);
    expect(reads()).toBe(125 + 2);

    const { section, prompt } = promptWith(catalogue);
    const [block = ""] = /<available_skills>[^]*<\/available_skills>/.exec(prompt) ?? [];
    expect(block.length).toBeLessThanOrEqual(12_000);
    expect(block.length).toBeGreaterThan(11_000);
    const listed = section.entries?.length ?? 0;
    expect(listed).toBeGreaterThan(45);
    expect(block).toContain(`${500 - listed} more are not listed`);

    expect(await snapshot(first.version)).toBe("unchanged");
    expect(await catalogues.of(first, viewer)).toBe(catalogue);
    expect(reads()).toBe(125 + 2);
    own.write("MEMORY.md", "- y");
    const second = await snapshot(first.version);
    if (second === "unchanged") throw new Error("MEMORY.md has changed");
    expect(reads()).toBe(125 + 4);
    expect(promptWith(await catalogues.of(second, viewer)).prompt).toBe(prompt);
  });
});
