import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noPoint } from "../../../src/shared/point.ts";
import { splitLines } from "../../../src/shared/text.ts";
import { OpenLines } from "../../../src/workspace/contents/open-lines.ts";
import { Rows, type FileRow } from "../../../src/workspace/rows.ts";
import { at } from "../../support/layers.ts";
import { nodeSql, openDatabase } from "../../support/node-sql.ts";

const rowOf = (version: number): FileRow => ({
  path: at("a.log.jsonl"),
  version,
  type: "log",
  size: 0,
  sha256: null,
  executable: false,
  at: 0,
  author: "user:ann",
  body: 1,
  dirty: null,
  tag: null,
  settled: null,
});

/** A body of these pieces, and how many rows of it were read. */
function bodyOf(pieces: readonly string[]) {
  const rows = new Rows(nodeSql(openDatabase()), noPoint);
  rows.commit("test", (tx) => {
    for (const piece of pieces) tx.appendPart(1, piece);
  });
  const { sql } = rows;
  let reads = 0;
  const each: typeof sql.each = function* <Row>(...asked: Parameters<typeof sql.each>) {
    for (const row of sql.each<Row>(...asked)) {
      reads += 1;
      yield row;
    }
  };
  return { open: new OpenLines({ ...sql, each }), rows, reads: () => reads };
}

describe("the lines of a log's open text", () => {
  it("[W14] are those of the whole text, however it was appended, and whatever was asked before", () => {
    const piece = fc.string({ unit: fc.constantFrom("a", "\r", "\n", "b"), maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1 }),
        fc.array(fc.tuple(fc.nat(12), fc.nat(6)), { minLength: 1, maxLength: 4 }),
        (pieces, asked) => {
          const { open } = bodyOf(pieces);
          const lines = splitLines(pieces.join(""));
          for (const [from, count] of asked)
            expect(open.read(rowOf(1), 0, from, from + count)).toEqual({
              lines: lines.slice(from, from + count),
              total: lines.length,
            });
        },
      ),
      { seed: 13, numRuns: 500 },
    );
  });

  it("[W14] are read once by whoever goes through them, and anew after a change", () => {
    const pieces = Array.from({ length: 100 }, (_, no) =>
      `${String(no).padStart(9, "0")}\n`.repeat(5_000),
    );
    const { open, rows, reads } = bodyOf(pieces);
    const page = (version: number, from: number) =>
      open.read(rowOf(version), 0, from, from + 5_000);
    for (let no = 0; no < 100; no += 1) {
      const { lines, total } = page(1, no * 5_000);
      expect(total).toBe(500_000);
      expect([lines.length, lines[0], lines[4_999]]).toEqual([
        5_000,
        ...Array(2).fill(pieces[no]?.slice(0, 9)),
      ]);
    }
    expect(reads()).toBeLessThan(1_000);
    rows.commit("test", (tx) => tx.appendPart(1, "more\n"));
    expect(page(2, 500_000)).toEqual({ lines: ["more"], total: 500_001 });
  });

  it("[W12] that are missing are an error", () => {
    const { open } = bodyOf([]);
    expect(() => open.read(rowOf(1), 0, 0, 1)).toThrow("is missing");
  });
});
