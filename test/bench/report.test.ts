import { describe, expect, it } from "vitest";
import { rowsOf, toTable } from "../../bench/report.mjs";
import { quantile } from "../../bench/statistics.mjs";

const turn = (ms: number) => ({
  over: ms,
  overP95: ms,
  firstOver: ms,
  cpu: ms,
  up: 300,
  down: 6_000,
  events: 100,
  requestBytes: 8_000,
});

const storage = (each: number) => {
  const perTurn = { statements: each, rowsRead: each, rowsWritten: each, alarms: 0 };
  return { wake: perTurn, text: perTurn, tool: perTurn };
};

/** A run in which Carrel takes `ms` for what the floor does in 10 and a peer in 40, and 8 of everything in its storage. */
function run(ms: number) {
  const turns = [
    ["carrel", turn(ms)],
    ["floordo", turn(10)],
    ["peer", turn(40)],
  ];
  return rowsOf({
    text20: turns,
    text100: turns,
    tool: turns,
    load: [
      ["carrel", { perSecond: 100, cpu: ms }],
      ["floordo", { perSecond: 200, cpu: 10 }],
      ["peer", { perSecond: 10, cpu: 40 }],
    ],
    sessions: 32,
    growth: [
      [10, { over: 10 }],
      [5_000, { over: ms }],
    ],
    storage: storage(8),
    longStorage: [5_000, storage(ms - 4)],
    floorStorage: storage(2),
    replyBytes: 600,
    cold: { carrel: ms * 10, floordo: 100 },
    resume: { carrel: ms, floorws: 4 },
    bundle: { carrel: 90, floordo: 10 },
    startCpu: { own: ms, total: ms + 20 },
  });
}

const missed = (ms: number) =>
  run(ms).flatMap(({ figure, holds }: { figure: string; holds: boolean | null }) =>
    holds === false ? [figure] : [],
  );

describe("the benchmark's table", () => {
  it("has no miss while every figure is within its target", () => {
    expect(missed(11)).toEqual([]);
  });

  it("has a miss for each figure that is not", () => {
    expect(missed(15)).toEqual([
      "first token, 20 chunks",
      "first token, 100 chunks",
      "text turn, 20 chunks",
      "… peer",
      "text turn, 100 chunks",
      "… peer",
      "… peer",
      "… 5000 against 10",
      "… at 5000 messages",
      "… at 5000 messages",
      "… at 5000 messages",
    ]);
  });

  it("says so in words, with the figures of all targets side by side", () => {
    const lines = toTable(run(15)).split("\n");
    expect(new Set(lines.map((line: string) => line.length)).size).toBe(1);
    expect(lines[0]).toMatch(/\| +carrel \| floordo \| +peer \|/);
    expect(lines[2]).toMatch(/ 15 \| +10 \| +40 \| .* ms .*≤ 1\.4 × floordo: 1\.50 \| MISS \|$/);
  });
});

describe("a quantile", () => {
  it("is linear between neighbours", () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([5], 0.95)).toBe(5);
    expect(quantile([0, 100], 0.95)).toBe(95);
    expect(quantile([], 0.5)).toBeNaN();
  });
});
