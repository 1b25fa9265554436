import * as z from "zod";
import { invalid } from "../../shared/errors.ts";
import type { OutputFormat } from "../../shared/session-api.ts";
import { issueLines } from "../../tools/input-issues.ts";

/** A schema that values can be checked against. */
export type OutputSchema = {
  /** What is wrong with a JSON value, a line for each thing, at most 11; none when it fits. */
  readonly problemsOf: (value: unknown) => readonly string[];
};

const MAX_CHARS = 64_000;
/** Schemas inside one another, a definition as often as it is referred to: what a check may cost for each value. */
const MAX_NODES = 2_000;
/** Levels of a value, and of a schema. */
const MAX_DEPTH = 64;

const FORMATS = [
  "date-time",
  "date",
  "time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uri",
  "uuid",
] as const;

const Type = z.enum(["string", "number", "integer", "boolean", "null", "array", "object"]);
const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const Count = z.int().min(0);
const Inner = z.union([z.boolean(), z.record(z.string(), z.unknown())]);
const Inners = z.array(Inner).min(1);
const InnersByName = z.record(z.string(), Inner);

/** Says something to the model, and asks nothing of a value. */
const annotations = {
  title: z.unknown(),
  description: z.unknown(),
  default: z.unknown(),
  examples: z.unknown(),
  deprecated: z.unknown(),
  readOnly: z.unknown(),
  writeOnly: z.unknown(),
  $comment: z.unknown(),
  $schema: z.unknown(),
  $id: z.unknown(),
} as const;

/** What means nothing without the type that it is about. */
const typed = {
  minLength: Count,
  maxLength: Count,
  format: z.enum(FORMATS),
  pattern: z.string(),
  minimum: z.number(),
  maximum: z.number(),
  exclusiveMinimum: z.number(),
  exclusiveMaximum: z.number(),
  multipleOf: z.number().positive(),
  items: Inner,
  prefixItems: Inners,
  minItems: Count,
  maxItems: Count,
  uniqueItems: z.boolean(),
  properties: InnersByName,
  required: z.array(z.string()),
  additionalProperties: Inner,
  propertyNames: Inner,
  minProperties: Count,
  maxProperties: Count,
} as const;

const Node = z
  .strictObject({
    type: z.union([Type, z.array(Type).min(1)]),
    enum: z.array(Scalar).min(1),
    const: Scalar,
    anyOf: Inners,
    oneOf: Inners,
    allOf: Inners,
    $ref: z.string(),
    $defs: InnersByName,
    definitions: InnersByName,
    ...typed,
    ...annotations,
  })
  .partial();

type Inner = z.output<typeof Inner>;
type Node = z.output<typeof Node>;
type Defs = Readonly<Record<string, unknown>>;

/**
 * Makes a JSON schema of an object ready to check values: the keywords that ask for a type, its bounds, its parts or
 * one of several, with definitions. Throws `CarrelError('invalid')`, which says what to change, for one that asks
 * for more than is checked: nothing of a schema is ever ignored, but that `pattern` beside a `format` is left to it, and
 * that annotations, `default` among them, ask for nothing. Costs about a millisecond for a large one.
 */
export function compileSchema(schema: OutputFormat["schema"]): OutputSchema {
  const text = JSON.stringify(schema);
  if (text.length > MAX_CHARS)
    throw refused("", `it has ${text.length} characters, at most ${MAX_CHARS} are taken`);
  const root = Node.safeParse(schema).data;
  const defs = { ...root?.definitions, ...root?.$defs };
  const { definitions: _, $defs: __, ...own } = schema;
  const cleaned = clean(own, "", 0);
  if (typeof cleaned === "boolean" || cleaned.type !== "object")
    throw refused("", 'it is not of an object. Give it "type": "object"');
  const cleanDefs = Object.fromEntries(
    Object.entries(defs).map(([name, def]) => [name, clean(def, `$defs.${name}`, 0)]),
  );
  weigh(cleaned, { defs: cleanDefs, root: cleaned, left: { nodes: MAX_NODES } }, ["#"]);
  const check = z.fromJSONSchema({ ...cleaned, $defs: cleanDefs } as z.core.JSONSchema.JSONSchema);
  const fields = Object.keys(own.properties ?? {});
  return { problemsOf: (value) => problemsOf(check, value, fields) };
}

function problemsOf(check: z.ZodType, value: unknown, fields: readonly string[]): string[] {
  const odd = oddity(value, MAX_DEPTH);
  if (odd !== null) return [odd];
  const parsed = check.safeParse(value);
  return parsed.success ? [] : issueLines(parsed.error.issues, value, fields);
}

/** What makes a value of `JSON.parse` unfit whatever the schema says. */
function oddity(value: unknown, levels: number): string | null {
  if (typeof value === "number")
    return Number.isFinite(value) ? null : "a number in it is too large";
  if (typeof value !== "object" || value === null) return null;
  if (levels === 0) return `it is nested more than ${MAX_DEPTH} levels deep`;
  for (const inner of Object.values(value)) {
    const odd = oddity(inner, levels - 1);
    if (odd !== null) return odd;
  }
  return null;
}

const refused = (where: string, why: string) =>
  invalid(`The output schema cannot be used${where === "" ? "" : `: at ${where}`}: ${why}.`);

/** The schema without what asks for nothing, in the one spelling that is passed on. */
function clean(given: Inner, where: string, depth: number): Inner {
  if (typeof given === "boolean") return given;
  if (depth > MAX_DEPTH) throw refused(where, `it is nested more than ${MAX_DEPTH} levels deep`);
  const node = nodeOf(given, where);
  const at = (name: string) => (where === "" ? name : `${where}.${name}`);
  const one = (inner: Inner, name: string) => clean(inner, at(name), depth + 1);
  const some = (inners: readonly Inner[], name: string) =>
    inners.map((inner, no) => one(inner, `${name}[${no}]`));
  const cleaned: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(node)) {
    if (Object.hasOwn(annotations, name) || name === "pattern" || value === undefined) continue;
    cleaned[name] = value;
  }
  for (const name of ["items", "additionalProperties", "propertyNames"] as const)
    if (node[name] !== undefined) cleaned[name] = one(node[name], name);
  for (const name of ["anyOf", "oneOf", "allOf", "prefixItems"] as const)
    if (node[name]) cleaned[name] = some(node[name], name);
  if (node.$ref !== undefined) cleaned["$ref"] = refOf(node.$ref, where);
  if (node.properties)
    cleaned["properties"] = Object.fromEntries(
      Object.entries(node.properties).map(([name, inner]) => [
        name,
        one(inner, `properties.${name}`),
      ]),
    );
  return cleaned;
}

function nodeOf(given: Readonly<Record<string, unknown>>, where: string): Node {
  const unknown = Object.keys(given).find(
    (name) => !Object.hasOwn(Node.shape, name) && !name.startsWith("x-"),
  );
  if (unknown !== undefined)
    throw refused(where, `${JSON.stringify(unknown)} is not checked here, so it must not be asked`);
  const known = Object.entries(given).filter(([name]) => !name.startsWith("x-"));
  const parsed = Node.safeParse(Object.fromEntries(known));
  if (!parsed.success)
    throw refused(where, issueLines(parsed.error.issues, given, []).slice(0, 1).join());
  const node = parsed.data;
  const problem = problemOf(node);
  if (problem !== null) throw refused(where, problem);
  return node;
}

/** What would not be checked as it reads. */
function problemOf(node: Node): string | null {
  const asked = Object.keys(node).filter((name) => !Object.hasOwn(annotations, name));
  if (node.$ref !== undefined && asked.length > 1)
    return 'beside "$ref" nothing else can be asked. Put both into "allOf"';
  if (node.pattern !== undefined && node.format === undefined)
    return '"pattern" is not checked here. Use "format" or "enum", or say in "description" what the text looks like';
  const needsType = asked.find((name) => Object.hasOwn(typed, name));
  if (needsType !== undefined && node.type === undefined)
    return `${JSON.stringify(needsType)} needs a "type" beside it`;
  if (["anyOf", "oneOf", "allOf"].filter((name) => asked.includes(name)).length > 1)
    return 'only one of "anyOf", "oneOf" and "allOf" can be asked in one place';
  const names = Object.keys(node.properties ?? {});
  if (names.includes("__proto__")) return 'a property cannot be named "__proto__"';
  const unlisted = node.required?.find((name) => !names.includes(name));
  if (unlisted !== undefined)
    return `"required" names ${JSON.stringify(unlisted)}, which "properties" does not have`;
  return null;
}

function refOf(ref: string, where: string): string {
  const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(ref)?.[1];
  if (name !== undefined) return `#/$defs/${name}`;
  if (ref === "#") return ref;
  throw refused(where, `"$ref" is ${JSON.stringify(ref)}. It can be "#" or begin with "#/$defs/"`);
}

type Weighing = {
  readonly defs: Defs;
  readonly root: Inner;
  readonly left: { nodes: number };
};

/**
 * Bounds what a check may cost. Gives how far back in `trail`, the references that led here, the schema leads: where
 * two choices lead back, each level of a value is checked twice as often as the one above it.
 */
function weigh(schema: unknown, weighing: Weighing, trail: readonly string[]): number {
  weighing.left.nodes -= 1;
  if (weighing.left.nodes < 0)
    throw refused(
      "",
      `it has more than ${MAX_NODES} schemas, with definitions where they are used`,
    );
  if (typeof schema !== "object" || schema === null) return Infinity;
  const node: Node = schema;
  if (node.$ref !== undefined) return weighRef(node.$ref, weighing, trail);
  const inside = [
    ...Object.values(node.properties ?? {}),
    ...(node.prefixItems ?? []),
    node.items,
    node.additionalProperties,
    node.propertyNames,
  ].map((inner) => weigh(inner, weighing, trail));
  const choices = (node.anyOf ?? node.oneOf ?? node.allOf ?? []).map((inner) =>
    weigh(inner, weighing, trail),
  );
  const back = [Math.min(...inside), ...choices].filter((index) => index < trail.length);
  if (back.length > 1)
    throw refused("", "it refers back to itself in several choices of one place. Only one can");
  return Math.min(Infinity, ...back);
}

function weighRef(ref: string, weighing: Weighing, trail: readonly string[]): number {
  const seen = trail.indexOf(ref);
  if (seen >= 0) return seen;
  const name = ref.slice("#/$defs/".length);
  if (!Object.hasOwn(weighing.defs, name))
    throw refused("", `"$ref" names ${ref}, which is not there`);
  return weigh(weighing.defs[name], weighing, [...trail, ref]);
}
