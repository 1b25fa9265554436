import { describe, expect, it } from "vitest";
import type { MemorySearch } from "../../src/memory/semantic/semantic-search.ts";
import { splitLines } from "../../src/shared/text.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";

export type SearchBench = {
  readonly workspace: Workspace;
  readonly search: MemorySearch;
  /** Resolves when what was written is found, as far as the search needs time for that. */
  readonly settle: () => Promise<void>;
};

const MEMORY = `# People

- Ann drinks green tea in the morning. <!-- carrel: {"session":"main/s1","turn":"t1"} -->
- Ben plays the violin.
`;
const LEDGER =
  "## Memory Save — 2026-11-30T08:00:00.000Z\n\n- The harbour office closes at noon.\n";

/** What every search over memory keeps to. `open`: a user's workspace, all of one deployment. */
export function describeMemorySearch(name: string, open: (user: string) => SearchBench): void {
  const write = async ({ workspace, settle }: SearchBench, path: string, text: string) => {
    const change = { kind: "write", path, content: { text } } as const;
    await workspace.change({ by: "user:ann", changes: [change] });
    await settle();
  };

  describe(name, () => {
    it("[M8, W2] finds an entry, and its place opens at what it says", async () => {
      const bench = open("ann");
      await write(bench, "MEMORY.md", MEMORY);
      await write(bench, "memory/2026-11-30.md", LEDGER);
      for (const [query, path, says] of [
        ["who drinks green tea", "MEMORY.md", "green tea"],
        ["when does the harbour office close", "memory/2026-11-30.md", "harbour office"],
      ] as const) {
        const [best] = (await bench.search.search({ query })).hits;
        expect(best).toMatchObject({ path, source: path === "MEMORY.md" ? "memory" : "ledger" });
        expect(best?.snippet).toContain(says);
        expect(best?.snippet).not.toContain("carrel:");
        const { lines } = await bench.workspace.page({
          path,
          offset: (best?.line ?? 0) - 1,
          limit: 1,
        });
        expect(lines?.join("\n")).toContain(says);
      }
    });

    it("[M8] keeps to sources, to a path and to the limit, with scores from 0 to 1", async () => {
      const bench = open("ben");
      const bullets = Array.from({ length: 8 }, (_, at) => `- Fact ${at} about sailing boats.\n`);
      await write(bench, "MEMORY.md", bullets.join(""));
      await write(bench, "memory/2026-11-30.md", "- Another fact about sailing boats.\n");
      const query = "sailing boats";
      const { hits } = await bench.search.search({ query, limit: 3 });
      expect(hits).toHaveLength(3);
      expect(hits.every(({ score }) => score > 0 && score <= 1)).toBe(true);
      const ledgers = await bench.search.search({ query, sources: ["ledger"] });
      expect(ledgers.hits.map(({ path }) => path)).toEqual(["memory/2026-11-30.md"]);
      const below = await bench.search.search({ query, path: "memory" });
      expect(below.hits.map(({ path }) => path)).toEqual(["memory/2026-11-30.md"]);
    });

    it("[M8] finds nothing for a query without words, and nothing that is gone", async () => {
      const bench = open("eve");
      await write(bench, "MEMORY.md", MEMORY);
      expect((await bench.search.search({ query: " ?! " })).hits).toEqual([]);
      await write(bench, "MEMORY.md", "- Ben plays the violin.\n");
      const { hits } = await bench.search.search({ query: "green tea in the morning" });
      expect(hits.filter(({ snippet }) => snippet.includes("tea"))).toEqual([]);
    });

    it("[I1] shows nobody what another one remembers", async () => {
      const [ann, mallory] = [open("dan"), open("mallory")];
      await write(ann, "MEMORY.md", "- The word is xylophone.\n");
      await write(mallory, "MEMORY.md", "- Nothing of note.\n");
      const { hits } = await mallory.search.search({ query: "the word is xylophone" });
      expect(hits.filter(({ snippet }) => snippet.includes("xylophone"))).toEqual([]);
    });

    it("[M8] says the lines of an entry that takes several", async () => {
      const bench = open("fay");
      const text = "# Trips\n\n- A long walk\n  along the river Aare.\n";
      await write(bench, "MEMORY.md", text);
      const [hit] = (await bench.search.search({ query: "long walk along the river" })).hits;
      expect([hit?.line, hit?.endLine]).toEqual([3, 4]);
      expect(splitLines(text)[(hit?.line ?? 0) - 1]).toBe("- A long walk");
    });
  });
}
