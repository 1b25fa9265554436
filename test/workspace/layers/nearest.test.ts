import { describe, expect, it } from "vitest";
import { nearestPaths } from "../../../src/workspace/layers/nearest.ts";
import { workspacePath } from "../../../src/workspace/layers/path.ts";

const paths = [
  "AGENTS.md",
  "knowledge/KNOWLEDGE.md",
  "knowledge/turns.md",
  "knowledge/workspace.md",
].map(workspacePath);

describe("nearestPaths", () => {
  it.each([
    ["agents.md", "AGENTS.md"],
    ["turns.txt", "knowledge/turns.md"],
    ["knowlege/turn.md", "knowledge/turns.md"],
    ["docs/workspace.md", "knowledge/workspace.md"],
    ["KNOWLEDGE.md", "knowledge/KNOWLEDGE.md"],
  ])("offers for %s first %s", (wanted, best) => {
    expect(nearestPaths(workspacePath(wanted), paths, 5)[0]).toBe(best);
  });

  it("offers nothing that is not alike, and at most so many", () => {
    expect(nearestPaths(workspacePath("foo/bar.md"), paths, 5)).toEqual([]);
    expect(nearestPaths(workspacePath("knowledge/turns"), paths, 2)).toHaveLength(2);
    expect(nearestPaths(workspacePath("a"), [], 5)).toEqual([]);
  });
});
