import { describe, expect, it } from "vitest";
import { mergePatch } from "../../../src/workspace/change/merge-patch.ts";

const deep = (levels: number): unknown =>
  Array.from({ length: levels }).reduce((inner: unknown) => ({ a: inner }), 1);

describe("a merge patch", () => {
  // RFC 7396, appendix A.
  it.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("of %j by %j gives %j", (target, patch, result) => {
    const before = JSON.stringify([target, patch]);
    expect(mergePatch(target, patch)).toEqual(result);
    expect(JSON.stringify([target, patch])).toBe(before);
  });

  it("keeps the order of members and adds new ones at the end", () => {
    const merged = mergePatch({ c: 1, a: 2, b: 3 }, { z: 1, a: 4, y: 2 });
    expect(JSON.stringify(merged)).toBe('{"c":1,"a":4,"b":3,"z":1,"y":2}');
  });

  it("takes a member called __proto__ as any other", () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"admin":true}}'));
    expect(JSON.stringify(merged)).toBe('{"__proto__":{"admin":true}}');
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });

  it.each([
    ["a date", { a: new Date(0) }],
    ["undefined", { a: undefined }],
    ["a number that JSON has not", { a: [Number.NaN] }],
    ["a map", { a: new Map() }],
    ["too many levels", deep(65)],
  ])("refuses %s", (_, patch) => {
    expect(() => mergePatch({}, patch)).toThrow(expect.objectContaining({ code: "invalid" }));
  });

  it("refuses to merge into what is nested too deep to be written", () => {
    expect(() => mergePatch(deep(5_000), { b: 1 })).toThrow(
      expect.objectContaining({ code: "invalid" }),
    );
    expect(mergePatch(deep(60), { b: 1 })).toMatchObject({ b: 1 });
  });
});
