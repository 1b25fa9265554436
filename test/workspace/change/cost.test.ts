import { describe, expect, it } from "vitest";
import { applyChanges } from "../../../src/workspace/change/change.ts";
import type { Change } from "../../../src/shared/workspace-changes.ts";
import { BY } from "../../support/bucket-parts.ts";
import { countingSql, writableBucket, type WritableBucket } from "../../support/writable-bucket.ts";

const PAGE = "x".repeat(4096);

/** Rows, bytes and statements that one request costs. */
async function costOf(bucket: WritableBucket, change: Change, op?: string) {
  const { sql } = bucket;
  const before = [sql.written(), sql.bytesWritten(), sql.statements()] as const;
  await applyChanges(bucket, { by: BY, changes: [change], ...(op !== undefined && { op }) });
  return {
    rows: sql.written() - before[0],
    bytes: sql.bytesWritten() - before[1],
    statements: sql.statements() - before[2],
  };
}

const write = (path: string, text = PAGE): Change => ({ kind: "write", path, content: { text } });

describe("what a change costs", () => {
  it.each([
    ["a new file", "notes.md", 0],
    ["a working file", "notes.md", 1],
    ["a runtime file", "agents/main/sessions/sessions.json", 1],
  ])("a write of 4 KB to %s is three rows, with its op", async (_, path, times) => {
    const bucket = writableBucket();
    for (let no = 0; no < times; no += 1) await bucket.write(path, "old");
    const cost = await costOf(bucket, write(path), "op-1");
    expect(cost.rows).toBe(3);
    expect(cost.bytes).toBeLessThan(PAGE.length + 1_500);
  });

  it.each(["AGENTS.md", "MEMORY.md"])(
    "an overwrite of %s keeps the old text in four rows, with its op, and its bytes where they are",
    async (path) => {
      const bucket = writableBucket();
      await bucket.write(path, PAGE);
      const cost = await costOf(bucket, write(path), "op-1");
      expect(cost.rows).toBe(4);
      expect(cost.bytes).toBeLessThan(PAGE.length + 1_500);
    },
  );

  it("moving a working file does not write its text again", async () => {
    const bucket = writableBucket();
    await bucket.write("a.md", PAGE);
    expect(await costOf(bucket, { kind: "move", path: "a.md", to: "b.md" })).toMatchObject({
      rows: 2,
    });
    const cost = await costOf(bucket, { kind: "move", path: "b.md", to: "c.md" });
    expect(cost.bytes).toBeLessThan(1_500);
  });

  it.each(["agents/main/s.log.jsonl", "memory/2026-11-30.md"])(
    "[W9] the 10,000th append to %s costs what the 10th did",
    async (path) => {
      const database = countingSql();
      const bucket = writableBucket({ sql: database });
      const append: Change = { kind: "append", path, text: `${"e".repeat(89)}\n` };
      const costs = [];
      for (let no = 1; no <= 10_000; no += 1) costs.push(await costOf(bucket, append));
      expect(costs[9_999]).toEqual(costs[9]);
      expect(costs[9]).toMatchObject({ rows: 2 });
      expect(costs[9]?.bytes).toBeLessThan(600);
      expect(await bucket.show(path)).toHaveLength(900_000);
    },
  );

  it("[W9] an append finds its place without reading the parts before it", () => {
    const bucket = writableBucket();
    let query = "";
    const sql = { ...bucket.sql, run: (text: string) => ((query = text), true) };
    const spied = writableBucket({ sql });
    spied.rows.commit("change", (tx) => tx.appendPart(1, "x"));
    const steps = bucket.sql.all<{ opcode: string }>(`EXPLAIN ${query}`, 1, "x");
    // The last part is looked up from its end, which is what SQLite does for a single max().
    expect(steps.map(({ opcode }) => opcode)).toContain("SeekLE");
  });

  it("2,000 new files in requests of 500 take seconds, not minutes", async () => {
    const bucket = writableBucket({ template: { "skills/x/SKILL.md": "s" } });
    for (let page = 0; page < 4; page += 1) {
      const names = Array.from({ length: 500 }, (_, no) => `d${no % 7}/f${page}-${no}.md`);
      await bucket.change(...names.map((path) => write(path, "x")));
    }
    expect(bucket.totals.totals).toEqual({
      files: 2_000,
      whiteouts: 0,
      bytes: 2_000,
      logs: 0,
      logBytes: 0,
    });
    await expect(bucket.write("one-more.md", "x")).rejects.toMatchObject({
      code: "quota_exceeded",
    });
  });
});
