import * as z from "zod";
import { describe, expect, it } from "vitest";
import { checkValue } from "../../src/shared/issue-words.ts";

const Part = z.discriminatedUnion(
  "type",
  [
    z.strictObject({ type: z.literal("text"), text: z.string() }),
    z.strictObject({ type: z.literal("image"), data: z.string() }),
  ],
  "must be a text or an image",
);

const schema = z.strictObject({
  title: z.string().max(3).optional(),
  mood: z.enum(["glad", "sad"]).optional(),
  more: z.record(z.string(), z.unknown()).optional(),
  count: z.int().min(1).optional(),
  always: z
    .union(
      [z.literal(true), z.array(z.strictObject({ tool: z.string() }))],
      "must be true or rules",
    )
    .optional(),
  said: z.union([z.string(), z.array(Part)]).optional(),
  own: z.string("must be a name").optional(),
});

const problemsOf = (value: unknown) => {
  const checked = checkValue(schema, value);
  return "problems" in checked ? checked.problems : [];
};

describe("what is wrong with a value", () => {
  it.each<[unknown, string]>([
    [7, "expected an object, got 7"],
    [undefined, "expected an object, it is missing"],
    [{ title: 5 }, "title: expected a string, got 5"],
    [{ title: "abcd" }, 'title: expected at most 3 characters, got "abcd"'],
    [{ mood: "odd" }, 'mood: expected one of "glad", "sad", got "odd"'],
    [{ more: [] }, "more: expected an object, got []"],
    [{ count: 0.5 }, "count: expected an integer, got 0.5"],
    [{ count: 0 }, "count: expected at least 1, got 0"],
    [{ own: 1 }, "own: must be a name"],
    [{ b: 1, c: 2 }, 'unknown fields "b", "c". Known: title, mood, more, count, always, said, own'],
    [{ always: 1 }, "always: must be true or rules"],
    [{ always: [{ tool: 1 }] }, "always.0.tool: expected a string, got 1"],
    [{ always: [{}] }, "always.0.tool: expected a string, it is missing"],
    [{ said: [{ type: "text" }] }, "said.0.text: expected a string, it is missing"],
    [{ said: [{ type: "video" }] }, "said.0.type: must be a text or an image"],
    [{ said: 1 }, "said: expected a string or an array, got 1"],
  ])("[H1] is said of %j in words that help: %s", (value, words) => {
    expect(problemsOf(value)).toEqual([words]);
  });

  it("is nothing where it fits, and the value is what the schema makes of it", () => {
    expect(checkValue(z.string().trim(), " a ")).toEqual({ data: "a" });
    expect(checkValue(z.undefined(), undefined)).toEqual({ data: undefined });
  });

  it("[H1] is at most 5 things, quoted short", () => {
    const checked = checkValue(z.array(z.int()), Array(9).fill("x".repeat(1_000)));
    const problems = "problems" in checked ? checked.problems : [];
    expect(problems).toHaveLength(5);
    expect(problems[0]?.length).toBeLessThan(120);
  });
});
