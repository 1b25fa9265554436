import { describe, expect, it } from "vitest";
import { parseListCursor, toListCursor } from "../../src/shared/list-cursor.ts";

describe("the cursor of a list of sessions", () => {
  it.each(["a", "s.1", "0", "A_b-c..d", `s${"x".repeat(127)}`])("comes back: %s", (session) => {
    for (const updatedAt of [0, 1_764_500_000_000, Number.MAX_SAFE_INTEGER]) {
      const place = { updatedAt, session };
      expect(parseListCursor(toListCursor(place))).toEqual(place);
      expect(encodeURIComponent(toListCursor(place))).toBe(toListCursor(place));
    }
  });

  it.each([
    "",
    "1",
    "1.",
    ".s",
    "s",
    "-1.s",
    "1.5e3.s/t",
    "9007199254740993.s",
    "99999999999999999.s",
    "1. s",
    "1.s\n",
    `1.s${"x".repeat(128)}`,
    "1.' OR 1=1 --",
  ])("[H1] is refused with what to do when no page gave it: %j", (text) => {
    expect(() => parseListCursor(text)).toThrow(/^The cursor must be the "cursor" of the page/);
    expect(() => parseListCursor(text)).toThrow(expect.objectContaining({ code: "invalid" }));
  });
});
