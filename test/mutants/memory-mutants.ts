import type { Mutant } from "./mutant.ts";

/** Defects in what remembers, finds again and keeps up. */
export const memoryMutants: readonly Mutant[] = [
  {
    name: "a search does not bring the index up to date",
    file: "src/workspace/index/search-index.ts",
    find: `      const progress = await updater.run(BOUNDS);`,
    replace: `      const progress = await updater.run({ chars: 0, units: 0, fetches: 0 });`,
    test: "[W3, M8, M9] finds what was just written, appended, edited, moved and brought back, and nothing that went",
    in: "test/workspace/index/fresh.test.ts",
  },
  {
    name: "a run may lose as many entries as it likes",
    file: "src/memory/consolidation/losses.ts",
    find: `const MOST_LOST = 0.25;`,
    replace: `const MOST_LOST = 1;`,
    test: "[M4] at most a quarter of the entries may go",
    in: "test/memory/consolidation/gates.test.ts",
  },
  {
    name: "a text stands for entries of which it says nothing",
    file: "src/memory/consolidation/losses.ts",
    find: `count < MOST_IN_ONE && of.has(entry.id) && shareIn(own, words) >= LEAST_LEFT,`,
    replace: `count < MOST_IN_ONE && of.has(entry.id),`,
    test: "[M4] a text cannot stand for entries of which it says nothing, nor for very many",
    in: "test/memory/consolidation/gates.test.ts",
  },
  {
    name: "a long result is written with a name of each try",
    file: "src/turn/eviction/evict.ts",
    find: `\${pathName(call)}-\${hash}`,
    replace: `\${pathName(call)}-\${hash}-\${Math.random()}`,
    test: "is evicted once, wherever the object ends meanwhile",
    in: "test/turn/eviction.test.ts",
  },
  {
    name: "two invocations hold the pass of a slot",
    file: "src/maintenance/passes.ts",
    find: `      if (!isFree) return { state: "busy", until: last.until };`,
    replace: "",
    test: "[R1] leaves the work to the one that is at it",
    in: "test/maintenance/run.test.ts",
  },
  {
    name: "a turn does not wait for what its user has set",
    file: "src/turn/driver.ts",
    find: `      if (!isInterrupted && (await this.#registration.whenSettled(abort.signal)))`,
    replace: `      if (!isInterrupted)`,
    test: "[C1] is the user's setting in a session's first turn, which waits for it two seconds at most",
    in: "test/turn/zone.test.ts",
  },
];
