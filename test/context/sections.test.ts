import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fit as fitted, NOTICE_ROOM, type Fit } from "../../src/context/sections.ts";

const notice = (shown: number, total: number, lines: number) =>
  `[${shown} of ${total}, ${lines} lines]`;
const fit = (text: string, options: Fit): string => fitted(text, options).text;
const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`).join("\n");

describe("fit", () => {
  it("says how much of the source is shown", () => {
    const options = { cap: 50, room: 1_000, indent: "    ", notice };
    expect(fitted(`${lines(100)}\n\n`, options)).toMatchObject({ shown: 48, total: 789 });
    expect(fitted("a\nb\n", options)).toEqual({ text: "    a\n    b", shown: 3, total: 3 });
    expect(fitted(" ", options)).toEqual({ text: "", shown: 0, total: 0 });
  });

  it("indents what fits, without blank ends, byte order mark or Windows line ends", () => {
    const options = { cap: 100, room: 400, indent: "  ", notice };
    expect(fit("\uFEFFa\r\n\r\n b\r\n\r\n", options)).toBe("  a\n\n   b");
    expect(fit("", options)).toBe("");
    expect(fit(" \n\t\n", options)).toBe("");
  });

  it("cuts at the end of a line and says how many lines are shown", () => {
    const cut = fit(lines(100), { cap: 50, room: 1_000, indent: "", notice });
    expect(cut).toBe(`${lines(7)}\n[48 of 789, 7 lines]`);
  });

  it("cuts inside a line when little else would be left", () => {
    const text = `# Title\n${"x".repeat(500)}`;
    const cut = fit(text, { cap: 100, room: 1_000, indent: " ", notice });
    expect(cut).toBe(` # Title\n ${"x".repeat(92)}\n [100 of 508, 1 lines]`);
    expect(fit("😀".repeat(100), { cap: 51, room: 1_000, indent: "", notice })).toBe(
      `${"😀".repeat(25)}\n[50 of 200, 0 lines]`,
    );
  });

  it("keeps room for saying that it cut", () => {
    const cut = fit(lines(100), { cap: 10_000, room: NOTICE_ROOM + 60, indent: "", notice });
    expect(cut).toMatch(/\nline \d+\n\[\d+ of 789, \d+ lines\]$/);
    expect(cut.length).toBeLessThanOrEqual(NOTICE_ROOM + 60);
  });

  it("[C4] never takes more room than there is, and never halves a character", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary", maxLength: 30 }), { maxLength: 30 }),
        fc.nat(600),
        fc.integer({ min: -10, max: 1_000 }),
        (parts, cap, room) => {
          const text = parts.join("\n");
          const fitted = fit(text, { cap, room, indent: "    ", notice });
          expect(fitted.length).toBeLessThanOrEqual(Math.max(0, room));
          expect(fitted.isWellFormed()).toBe(true);
          const whole = fit(text, { cap: Infinity, room: Infinity, indent: "    ", notice });
          if (fitted !== whole && room >= NOTICE_ROOM)
            expect(fitted).toMatch(/\[\d+ of \d+, \d+ lines\]$/);
          if (room > text.length * 5 + NOTICE_ROOM && text.length <= cap)
            expect(fitted).not.toContain("[");
        },
      ),
    );
  });
});
