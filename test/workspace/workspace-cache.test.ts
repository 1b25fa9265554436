import { describe, expect, it } from "vitest";
import { BY } from "../support/bucket-parts.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";

const cached = ".skills-cache/house-1/abc/SKILL.md";

describe("what repositories of skills bring", () => {
  it.each(["USER", "AGENT"] as const)(
    "[K1] is in nobody's way under %s, and there where it is asked for",
    async (scope) => {
      const lab = new WorkspaceLab({ template: { "notes/a.md": "needle" } });
      const write = { kind: "write", path: cached, content: { text: "needle" } } as const;
      await lab.shared().change({ by: BY, changes: [write] });
      const workspace = lab.workspace({}, scope);
      const { entries } = await workspace.tree({});
      expect(entries.map(({ path }) => path)).toEqual(["notes"]);
      const all = await workspace.tree({ recursive: true });
      expect(all.entries.map(({ path }) => path)).toEqual(["notes/a.md"]);
      const { files } = await workspace.glob({ pattern: "**/*.md" });
      expect(files.map(({ path }) => path)).toEqual(["notes/a.md"]);
      const { hits } = await workspace.grep({ pattern: "needle" });
      expect(hits.map(({ path }) => path)).toEqual(["notes/a.md"]);
      expect((await workspace.read({ path: cached })).content).toEqual({ text: "needle" });
      const below = await workspace.tree({ directory: ".skills-cache", recursive: true });
      expect(below.entries.map(({ path }) => path)).toEqual([cached]);
    },
  );
});
