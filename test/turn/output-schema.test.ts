import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { CarrelError } from "../../src/shared/errors.ts";
import { compileSchema } from "../../src/turn/output/output-schema.ts";

type Schema = Readonly<Record<string, unknown>>;

const object = (properties: Schema, rest: Schema = {}): Schema => ({
  type: "object",
  properties,
  ...rest,
});

const problems = (schema: Schema, value: unknown) => compileSchema(schema).problemsOf(value);
/** Whether a property `a` of this schema may have this value. */
const takes = (schema: unknown, value: unknown): boolean =>
  problems(object({ a: schema }, { required: ["a"] }), { a: value }).length === 0;

function refusal(schema: Schema): string {
  try {
    compileSchema(schema);
  } catch (error) {
    if (error instanceof CarrelError && error.code === "invalid") return error.message;
    throw error;
  }
  throw new Error(`taken: ${JSON.stringify(schema).slice(0, 200)}`);
}

const STRING = { type: "string" };
const tree = object({ children: { type: "array", items: { $ref: "#/$defs/tree" } } });

describe("an output schema", () => {
  it.each<readonly [string, unknown, readonly unknown[], readonly unknown[]]>([
    ["a string", STRING, ["", "x"], [1, null, {}]],
    ["a length", { type: "string", minLength: 2, maxLength: 3 }, ["ab", "abc"], ["a", "abcd"]],
    ["a format", { type: "string", format: "date" }, ["2026-11-30"], ["30.11.2026"]],
    ["an address", { type: "string", format: "uri" }, ["https://example.org/a"], ["example"]],
    ["an integer", { type: "integer", minimum: 1 }, [1, 5], [0, 1.5, "1"]],
    ["a number", { type: "number", exclusiveMaximum: 1, multipleOf: 0.5 }, [0.5, -1], [1, 0.3]],
    ["a choice", { enum: ["a", 1, null] }, ["a", 1, null], ["b", 2, undefined]],
    ["a constant", { const: false }, [false], [true, 0]],
    ["several types", { type: ["string", "null"], minLength: 2 }, ["ab", null], ["a", 1]],
    ["a list", { type: "array", items: STRING, maxItems: 2 }, [[], ["a"]], [[1], ["a", "b", "c"]]],
    ["a set", { type: "array", items: {}, uniqueItems: true }, [[{ a: 1 }, {}]], [[{}, {}]]],
    [
      "a tuple",
      { type: "array", prefixItems: [STRING, { type: "null" }], items: false, minItems: 2 },
      [["a", null]],
      [["a"], ["a", 1], ["a", null, 1]],
    ],
    ["one of", { anyOf: [STRING, { type: "null" }] }, ["a", null], [1]],
    ["just one of", { oneOf: [STRING, { const: "x" }] }, ["a"], ["x", 1]],
    [
      "all of",
      { type: "object", allOf: [object({ b: STRING }, { required: ["b"] })] },
      [{ b: "" }, { b: "", c: 1 }],
      [{}, { b: 1 }],
    ],
    ["no other property", object({}, { additionalProperties: false }), [{}], [{ b: 1 }]],
    ["others of a type", { type: "object", additionalProperties: STRING }, [{ b: "" }], [{ b: 1 }]],
    [
      "named properties",
      { type: "object", propertyNames: { enum: ["b"] } },
      [{ b: 1 }],
      [{ c: 1 }],
    ],
    ["a number of properties", { type: "object", minProperties: 1 }, [{ b: 1 }], [{}]],
    ["a default, which it does not give", { type: "integer", default: 1 }, [2], [undefined]],
    ["anything", {}, [1, "a", null, [], {}], []],
    ["anything at all", true, [1], []],
    ["nothing", false, [], [1, null]],
  ])("asks for %s", (_, schema, taken, refused) => {
    for (const value of taken) expect(takes(schema, value), JSON.stringify(value)).toBe(true);
    for (const value of refused) expect(takes(schema, value), JSON.stringify(value)).toBe(false);
  });

  it("may refer to definitions, and to itself", () => {
    const schema = { ...tree, $defs: { tree } };
    expect(problems(schema, { children: [{ children: [{ children: [] }] }] })).toEqual([]);
    expect(problems(schema, { children: [{ children: [{ children: [1] }] }] })).toHaveLength(1);
    const older = object({ a: { $ref: "#/definitions/b" } }, { definitions: { b: STRING } });
    expect(problems(older, { a: 1 })).toHaveLength(1);
    const list = object({ next: { anyOf: [{ $ref: "#" }, { type: "null" }] } });
    expect(problems(list, { next: { next: { next: null } } })).toEqual([]);
    expect(problems(list, { next: { next: { next: 3 } } })).toHaveLength(1);
  });

  it("may offer several parts that each refer back to themselves", () => {
    const list = object({ next: { anyOf: [{ $ref: "#/$defs/list" }, { type: "null" }] } });
    const both = { anyOf: [{ $ref: "#/$defs/tree" }, { $ref: "#/$defs/list" }] };
    const schema = object({ a: both }, { $defs: { tree, list }, required: ["a"] });
    expect(problems(schema, { a: { next: { next: null }, children: 1 } })).toEqual([]);
    expect(problems(schema, { a: { next: 1, children: 1 } })).toHaveLength(1);
  });

  it("says for each thing what was expected and what came", () => {
    const schema = object(
      { name: STRING, tags: { type: "array", items: { enum: ["a", "b"] } } },
      { required: ["name"], additionalProperties: false },
    );
    expect(problems(schema, { tags: ["a", "c"], more: 1 })).toEqual([
      "name: expected a string, it is missing",
      'tags[1]: expected one of "a", "b", got "c"',
      'unknown field "more". Known: name, tags.',
    ]);
    expect(problems(schema, "x")).toEqual(['expected an object, got "x"']);
  });

  it.each<readonly [string, Schema, string]>([
    ["is not of an object", { type: "array" }, '"type": "object"'],
    ["says nothing", {}, '"type": "object"'],
    ["has a keyword that is not checked", object({ a: { not: {} } }), 'properties.a: "not"'],
    ["misspells one", { ...object({}), additionalproperties: false }, "additionalproperties"],
    ["has a pattern", object({ a: { ...STRING, pattern: "^(a+)+$" } }), '"pattern" is not checked'],
    ["has a format that is not known", object({ a: { ...STRING, format: "iban" } }), "format"],
    ["leaves out a type", object({ a: { minLength: 1 } }), '"minLength" needs a "type"'],
    ["names no such type", object({ a: { type: "text" } }), "type"],
    ["has no list where one must be", object({ a: { anyOf: STRING } }), "anyOf"],
    ["asks beside a reference", object({ a: { $ref: "#", type: "object" } }), '"$ref"'],
    ["refers to nothing", object({ a: { $ref: "#/$defs/b" } }), "not there"],
    ["refers elsewhere", object({ a: { $ref: "https://example.org/s" } }), "https://example.org"],
    ["mixes choices", object({ a: { anyOf: [{}], oneOf: [{}] } }), "only one of"],
    ["requires what it does not describe", object({}, { required: ["b"] }), '"b"'],
    ["is long", object({ a: { description: "x".repeat(64_000) } }), "characters"],
  ])("is refused when it %s", (_, schema, why) => {
    expect(refusal(schema)).toContain("The output schema cannot be used");
    expect(refusal(schema)).toContain(why);
  });

  it("is refused when a check of it could cost without bound", () => {
    const double = (to: string) => ({ anyOf: [{ $ref: to }, { $ref: to }] });
    const chain = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `d${n}`,
        n === 29 ? STRING : double(`#/$defs/d${n + 1}`),
      ]),
    );
    const wide = object({ a: { $ref: "#/$defs/d0" } }, { $defs: chain });
    expect(refusal(wide)).toContain("more than 2000 schemas");
    const unary = object({ op: { const: "not" }, of: { $ref: "#/$defs/e" } });
    const other = object({ op: { const: "neg" }, of: { $ref: "#/$defs/e" } });
    const e = { anyOf: [unary, other] };
    expect(refusal(object({ a: { $ref: "#/$defs/e" } }, { $defs: { e } }))).toContain(
      "several choices",
    );
    let deep: Schema = object({});
    for (let n = 0; n < 70; n++) deep = object({ a: deep });
    expect(refusal(deep)).toContain("64 levels");
  });

  it("takes no value that is nested too deep or holds a number that JSON cannot give back", () => {
    let deep: unknown = 1;
    for (let n = 0; n < 100_000; n++) deep = [deep];
    expect(problems(object({}), { deep })).toEqual(["it is nested more than 64 levels deep"]);
    expect(problems(object({}), JSON.parse('{"a":1e400}'))).toEqual([
      "a number in it is too large",
    ]);
  });

  it("may come from zod, and means the same", () => {
    const source = z.strictObject({
      mail: z.email(),
      at: z.iso.datetime().optional(),
      count: z.int().max(10),
      by: z.record(z.string(), z.array(z.union([z.string(), z.null()]))),
      kind: z.enum(["a", "b"]).default("a"),
    });
    const schema = z.toJSONSchema(source, { io: "input" }) as Schema;
    const value = { mail: "ann@example.org", count: 3, by: { x: ["", null] } };
    expect(problems(schema, value)).toEqual([]);
    expect(problems(schema, { ...value, mail: "ann", count: 11, by: { x: [1] } })).toHaveLength(3);
  });

  it("checks any value without failing", () => {
    const check = compileSchema({ ...tree, $defs: { tree } });
    fc.assert(
      fc.property(fc.jsonValue(), (value) => Array.isArray(check.problemsOf(value))),
      { numRuns: 200 },
    );
  });
});
