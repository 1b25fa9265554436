import { describe, expect, it } from "vitest";
import type { CompactionLab } from "./compaction-lab.ts";
import { keptLab, manual, opening, reading, times } from "./kept-lab.ts";

/** Opens a manual that activates a group, uses that, and talks until it was compacted. */
async function converse(
  crashAt: number | null,
): Promise<{ points: number; talking: CompactionLab }> {
  const talking = keptLab({
    window: 20_000,
    config: { reserved: 4_000, triggerTokens: 6_000, keepTokens: 1_500, prune: null },
  });
  const { lab } = talking;
  let points = 0;
  let isGone = false;
  lab.onPoint = (name) => {
    if (isGone) throw new Error("gone");
    if (!/^(commit:(result|step|compact)|tool)/.test(name)) return;
    if (++points !== crashAt) return;
    isGone = true;
    throw new Error("gone");
  };
  const wake = async (): Promise<void> => {
    await lab.settle();
    if (!isGone) return;
    isGone = false;
    lab.restart();
    lab.session.state();
    await lab.settle();
  };
  const said = [
    opening({ name: "a", activates: ["binding"] }),
    JSON.stringify([{ name: "bind_book", input: {} }]),
    ...Array.from({ length: 6 }, () => reading(5_000)),
    JSON.stringify([{ name: "bind_book", input: {} }]),
  ];
  for (const [no, message] of said.entries()) {
    lab.say(`t${no}`, message);
    await wake();
  }
  await wake();
  return { points, talking };
}

describe("a crash around a result that is kept and activates a group", () => {
  it("[K3, T2, T6] loses neither, at any commit of results, steps and compactions", async () => {
    const { points, talking: calm } = await converse(null);
    expect(calm.hows).toMatch(/^summary/);
    expect(points).toBeGreaterThan(40);
    for (let at = 1; at <= points; at++) {
      const { talking } = await converse(at);
      expect([at, times(talking, manual("a", 1, 3_000))]).toEqual([at, 1]);
      const bound = talking.lab
        .entries()
        .filter((entry) => entry.kind === "result" && entry.name === "bind_book");
      expect(bound).toHaveLength(2);
      expect(JSON.stringify(bound)).not.toContain("not available");
      expect(talking.requests.at(-1)?.tools.map(({ name }) => name)).toContain("bind_book");
      expect(talking.violations).toEqual([]);
      const ends = talking.lab.entries().filter(({ kind }) => kind === "end");
      expect(ends).toHaveLength(9);
    }
  });
});
