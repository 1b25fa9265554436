import { toolContext } from "../support/tool-context.ts";
import fc from "fast-check";
import * as z from "zod";
import { describe, expect, it } from "vitest";
import { CarrelError } from "../../src/shared/errors.ts";
import { defineTool } from "../../src/tools/define-tool.ts";

const context = toolContext({ key: "k1" });

const note = defineTool({
  name: "note",
  description: "Writes a note.",
  input: z.strictObject({
    title: z.string().min(2).max(10).describe("A short title."),
    count: z.int().min(1).max(9).default(1),
    mood: z.enum(["glad", "sad"]).optional(),
    tags: z.array(z.string()).max(2).optional(),
    at: z.object({ x: z.number() }).optional(),
    mail: z.email().optional(),
    id: z.union([z.string(), z.number()]).optional(),
    even: z.number().multipleOf(2).optional(),
    zone: z
      .string()
      .refine((zone) => zone === "UTC", "must be a zone")
      .optional(),
  }),
  run: (input) => `${input.title}${input.count}`,
});

function complaint(input: unknown): string {
  try {
    note.prepare(input);
  } catch (error) {
    expect(error).toBeInstanceOf(CarrelError);
    expect(error).toMatchObject({ code: "invalid" });
    return error instanceof Error ? error.message : "";
  }
  return "accepted";
}

describe("defineTool", () => {
  it("is careful by default: outside effect, never run again, one at a time", () => {
    expect(note).toMatchObject({
      name: "note",
      effect: "external",
      replay: "unsafe",
      parallel: false,
    });
  });

  it("lets calls run beside each other when they only read, unless told otherwise", () => {
    const read = {
      name: "r",
      description: "",
      input: z.object({}),
      effect: "read",
      run: () => "",
    } as const;
    expect(defineTool(read).parallel).toBe(true);
    expect(defineTool({ ...read, parallel: false }).parallel).toBe(false);
  });

  it("describes to the model what it must write, once", () => {
    expect(note.inputSchema).toMatchObject({
      type: "object",
      required: ["title"],
      additionalProperties: false,
      properties: {
        title: { type: "string", minLength: 2, maxLength: 10, description: "A short title." },
        count: { type: "integer", default: 1 },
        mood: { enum: ["glad", "sad"] },
      },
    });
    expect(note.inputSchema).not.toHaveProperty("$schema");
    expect(note.inputSchema).toBe(note.inputSchema);
  });

  it("runs with what was validated, defaults filled in", async () => {
    expect(await note.prepare({ title: "ab" }).run(context)).toBe("ab1");
    expect(note.prepare({ title: "ab" })).not.toHaveProperty("probe");
  });

  it("takes missing arguments as none", async () => {
    const now = defineTool({
      name: "now",
      description: "",
      input: z.strictObject({}),
      run: (_, { key }) => key,
    });
    expect(await now.prepare(undefined).run(context)).toBe("k1");
    expect(await now.prepare(null).run(context)).toBe("k1");
  });

  it("turns what a run throws into a rejection", async () => {
    const input = z.strictObject({});
    const failing = defineTool({ name: "f", description: "", input, run: () => fail() });
    await expect(failing.prepare({}).run(context)).rejects.toThrow("not today");
  });

  it("probes with the same arguments", async () => {
    const input = z.object({ id: z.string() });
    const probe = async ({ id }: { id: string }) =>
      (id === "a" ? "done" : "absent") as "done" | "absent";
    const pay = defineTool({
      name: "pay",
      description: "",
      input,
      replay: "checkable",
      run: () => "",
      probe,
    });
    expect(await pay.prepare({ id: "a" }).probe?.(context)).toBe("done");
    expect(await pay.prepare({ id: "b" }).probe?.(context)).toBe("absent");
  });

  it("refuses names that providers refuse, and checkable without a probe", () => {
    const rest = { description: "", input: z.object({}), run: () => "" };
    for (const name of ["", "a b", "a.b", "é", "x".repeat(65)]) {
      expect(() => defineTool({ name, ...rest })).toThrow(/not a tool name/);
    }
    expect(() => defineTool({ name: "pay", replay: "checkable", ...rest })).toThrow(/probe/);
  });
});

function fail(): never {
  throw new Error("not today");
}

describe("[X5] bad arguments", () => {
  it.each([
    [{}, "- title: expected a string, it is missing"],
    [{ title: 5 }, "- title: expected a string, got 5"],
    [{ title: "a" }, '- title: expected at least 2 characters, got "a"'],
    [{ title: "ab", count: "3" }, '- count: expected a number, got "3"'],
    [{ title: "ab", count: 1.5 }, "- count: expected an integer, got 1.5"],
    [{ title: "ab", count: 0 }, "- count: expected at least 1, got 0"],
    [{ title: "ab", count: 99 }, "- count: expected at most 9, got 99"],
    [{ title: "ab", mood: "odd" }, '- mood: expected one of "glad", "sad", got "odd"'],
    [{ title: "ab", tags: ["a", 2] }, "- tags[1]: expected a string, got 2"],
    [{ title: "ab", tags: ["a", "b", "c"] }, '- tags: expected at most 2 items, got ["a","b","c"]'],
    [{ title: "ab", at: {} }, "- at.x: expected a number, it is missing"],
    [{ title: "ab", at: [] }, "- at: expected an object, got []"],
    [{ title: "ab", mail: "x" }, "- mail: expected an email"],
    [{ title: "ab", id: true }, "- id: expected a string or a number, got true"],
    [{ title: "ab", even: 3 }, "- even: expected a multiple of 2, got 3"],
    [{ title: "ab", zone: "Mars" }, '- zone: must be a zone (got "Mars")'],
    [{ title: "ab", titel: "x" }, '- unknown field "titel". Known: title, count, mood,'],
    ["title", '- expected an object, got "title"'],
    [[1], "- expected an object, got [1]"],
  ])("%j is answered with how to mend it", (input, line) => {
    const message = complaint(input);
    expect(message.split("\n")).toContainEqual(expect.stringContaining(line));
    expect(message).toMatch(/^The arguments of note are not valid, so it did not run:/);
  });

  it("are listed together, one line each", () => {
    const lines = complaint({ count: "x", mood: 1 }).split("\n").slice(1, -1);
    expect(lines.map((line) => line.split(":")[0])).toEqual(["- title", "- count", "- mood"]);
  });

  it("never run anything, and get a short answer whatever was sent", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.object(), fc.jsonValue(), fc.string({ maxLength: 20_000 })),
        (input) => {
          const message = complaint(input);
          expect(message.length).toBeLessThan(3_000);
        },
      ),
    );
    expect(complaint({ title: "x".repeat(1_000_000) }).length).toBeLessThan(400);
  });

  it("[A3] tells rules with which arguments it would run", () => {
    const merge = defineTool({
      name: "merge",
      description: "",
      input: z.strictObject({ branch: z.string().trim().default("main") }),
      run: ({ branch }) => branch,
    });
    expect(merge.prepare({}).data).toEqual({ branch: "main" });
    expect(merge.prepare({ branch: " main" }).data).toEqual({ branch: "main" });
  });
});
