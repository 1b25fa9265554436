import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noPoint } from "../../../src/shared/point.ts";
import { splitLines } from "../../../src/shared/text.ts";
import { Rows } from "../../../src/workspace/rows.ts";
import {
  SEAL_LENGTH,
  nextSegment,
  segmentLines,
  trimBody,
} from "../../../src/workspace/contents/segments.ts";
import { at } from "../../support/layers.ts";
import { nodeSql, openDatabase } from "../../support/node-sql.ts";

const wide = (length: number) => `${"x".repeat(length - 1)}\n`;

describe("segments", () => {
  it("[W11] a log's open text is sealed at the end of a line, and only when there is enough of it", () => {
    for (const [text, length] of [
      ["", null],
      [wide(SEAL_LENGTH - 1), null],
      [wide(SEAL_LENGTH), SEAL_LENGTH],
      [`${wide(SEAL_LENGTH)}half a line`, SEAL_LENGTH],
      ["x".repeat(SEAL_LENGTH * 8), null],
      [wide(10) + wide(SEAL_LENGTH * 8), 10 + SEAL_LENGTH * 8],
      [wide(SEAL_LENGTH).repeat(9), SEAL_LENGTH * 4],
      ["x".repeat(SEAL_LENGTH * 20), SEAL_LENGTH * 16],
    ] as const) {
      const next = nextSegment(text);
      expect([next.isSealed, next.text.length]).toEqual([length !== null, length ?? text.length]);
      expect(text.startsWith(next.text)).toBe(true);
    }
  });

  it("[W11] trimming takes exactly what was sealed off a body, which never vanishes", () => {
    const parts = fc.array(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1 });
    fc.assert(
      fc.property(parts, fc.nat(), (texts, cut) => {
        const rows = new Rows(nodeSql(openDatabase()), noPoint);
        const whole = texts.join("");
        const length = cut % (whole.length + 1);
        rows.commit("test", (tx) => {
          const body = tx.newBody("");
          for (const text of texts) tx.appendPart(body, text);
          trimBody(tx, body, length);
        });
        expect(rows.text(1)).toBe(whole.slice(length));
        rows.commit("test", (tx) => tx.appendPart(1, "more"));
        expect(rows.text(1)).toBe(`${whole.slice(length)}more`);
      }),
      { seed: 11, numRuns: 200 },
    );
  });

  it("[W14] pages of a log are those of its whole text, and read no part that they do not show", async () => {
    const text = fc
      .array(fc.constantFrom("a\n", "\n", "b\r\n", "cc\n"), { maxLength: 8 })
      .map((lines) => lines.join(""));
    await fc.assert(
      fc.asyncProperty(
        fc.array(text),
        fc.string(),
        fc.nat({ max: 20 }),
        fc.nat({ max: 10 }),
        async (texts, open, offset, limit) => {
          const sealed = texts.map((sealedText, number) => ({
            path: at("x.log.jsonl"),
            number,
            size: sealedText.length,
            lines: splitLines(sealedText).length,
            sha256: "",
          }));
          const read: number[] = [];
          const ending = splitLines(open);
          const rest = (from: number, to: number) => ({
            lines: ending.slice(from, to),
            total: ending.length,
          });
          const page = await segmentLines(sealed, rest, [offset, limit], async ({ number }) => {
            read.push(number);
            return Promise.resolve(texts[number] ?? "");
          });
          const lines = splitLines(texts.join("") + open);
          const shown = lines.slice(offset, offset + limit);
          expect(page).toEqual({ lines: shown, total: lines.length });
          expect(read.length).toBeLessThanOrEqual(shown.length);
        },
      ),
      { seed: 12, numRuns: 300 },
    );
  });
});
