import { cutAt } from "../../shared/text.ts";
import { use } from "./answer.ts";
import type { Answer } from "./answer.ts";
import type { Conversation } from "./conversation.ts";

/** The tool that gives the answer of a turn that was asked for JSON. */
const ANSWER_TOOL = "generate_response";

/** Schemas inside one another; further down there is nothing. */
const MAX_DEPTH = 12;

type Schema = Readonly<Record<string, unknown>>;

type Filling = {
  readonly text: string;
  readonly root: Schema;
  readonly depth: number;
};

/**
 * An answer in words as the JSON that was asked for: the simplest value that fits the schema, with the answer wherever a
 * text may stand; `null` when none was asked for. What a schema asks beyond types, bounds, parts and choices is not looked
 * at.
 */
export function inForm(talk: Conversation, answer: Answer): Answer | null {
  const tool = talk.tools.find(({ name }) => name === ANSWER_TOOL);
  if (!tool) return null;
  const input = simplest(tool.inputSchema, { text: answer.text, root: tool.inputSchema, depth: 0 });
  return use({ name: ANSWER_TOOL, input: isSchema(input) ? input : {} });
}

function simplest(given: unknown, filling: Filling): unknown {
  const { depth, root, text } = filling;
  if (!isSchema(given) || depth > MAX_DEPTH) return null;
  const inside = { ...filling, depth: depth + 1 };
  if (typeof given["$ref"] === "string") return simplest(target(given["$ref"], root), inside);
  if ("const" in given) return given["const"];
  const [first] = listOf(given["enum"]);
  if (first !== undefined) return first;
  const parts = listOf(given["allOf"]).map((part) => simplest(part, inside));
  if (parts.length > 0) return parts.every(isSchema) ? Object.assign({}, ...parts) : parts[0];
  const choices = [...listOf(given["anyOf"]), ...listOf(given["oneOf"])];
  // What refers to itself ends with another choice than the first.
  if (choices.length > 0) return simplest(choices.at(depth < MAX_DEPTH / 2 ? 0 : -1), inside);
  switch (typeOf(given)) {
    case "string":
      return textFor(given, text);
    case "number":
    case "integer":
      return numberFor(given);
    case "boolean":
      return false;
    case "array":
      return listFor(given, inside);
    case "object":
      return objectFor(given, inside);
    default:
      return null;
  }
}

function objectFor(schema: Schema, inside: Filling): Schema {
  const { properties } = schema;
  const required = listOf(schema["required"]);
  // Of what need not be there only the outermost is.
  const wanted = Object.entries(isSchema(properties) ? properties : {}).filter(
    ([name]) => inside.depth === 1 || required.includes(name),
  );
  return Object.fromEntries(wanted.map(([name, inner]) => [name, simplest(inner, inside)]));
}

function listFor(schema: Schema, inside: Filling): readonly unknown[] {
  const first = listOf(schema["prefixItems"]);
  const count = numberIn(schema, "minItems") ?? 0;
  return Array.from({ length: Math.min(count, 100) }, (_, at) =>
    simplest(first[at] ?? schema["items"], inside),
  );
}

/** Texts of the formats that a schema may ask for. */
const SAMPLES: Readonly<Record<string, string>> = {
  "date-time": "2026-01-01T00:00:00Z",
  date: "2026-01-01",
  time: "00:00:00Z",
  duration: "PT0S",
  email: "nobody@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function textFor(schema: Schema, text: string): string {
  const { format } = schema;
  const sample = typeof format === "string" ? SAMPLES[format] : undefined;
  const cut = cutAt(text, numberIn(schema, "maxLength") ?? Infinity);
  return sample ?? cut.padEnd(Math.min(numberIn(schema, "minLength") ?? 0, 10_000), ".");
}

/** 0, or what is nearest to it within the bounds. */
function numberFor(schema: Schema): number {
  const isWhole = typeOf(schema) === "integer";
  const step = numberIn(schema, "multipleOf") ?? (isWhole ? 1 : 0.5);
  const above = numberIn(schema, "exclusiveMinimum");
  const below = numberIn(schema, "exclusiveMaximum");
  const least = numberIn(schema, "minimum") ?? (above === undefined ? -Infinity : above + step / 2);
  const most = numberIn(schema, "maximum") ?? (below === undefined ? Infinity : below - step / 2);
  if (least > 0) return Math.ceil(least / step) * step;
  return most < 0 ? Math.floor(most / step) * step : 0;
}

/** The first type that is not `null`. */
function typeOf({ type, properties }: Schema): unknown {
  if (type === undefined && properties !== undefined) return "object";
  return Array.isArray(type) ? (type.find((one) => one !== "null") ?? "null") : type;
}

function target(ref: string, root: Schema): unknown {
  if (ref === "#") return root;
  const [, where = "", name = ""] = /^#\/(\$defs|definitions)\/(.+)$/.exec(ref) ?? [];
  const defs = root[where];
  return isSchema(defs) ? defs[name] : null;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function numberIn(schema: Schema, name: string): number | undefined {
  const value = schema[name];
  return typeof value === "number" ? value : undefined;
}
