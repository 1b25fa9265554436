import * as z from "zod";
import { cutAt } from "./text.ts";

type Issue = z.core.$ZodIssue;

const MAX_PROBLEMS = 5;

/**
 * `value` in the shape of `schema`; else what is wrong with it, for the person who sent it: at most 5 lines such as
 * `message.0.text: expected a string, it is missing`. What the schema says in words of its own is kept.
 */
export function checkValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { readonly data: z.output<Schema> } | { readonly problems: readonly string[] } {
  const parsed = schema.safeParse(value, { error: inWords });
  if (parsed.success) return { data: parsed.data };
  const issues = parsed.error.issues.flatMap(meant).slice(0, MAX_PROBLEMS);
  return {
    problems: issues.map(({ path, message }) => {
      const at = path.map(String).join(".").slice(0, 100);
      return at === "" ? message : `${at}: ${message}`;
    }),
  };
}

/** What is wrong with `value`, without its place. `fields` are those it may have, where that is known. */
export function wordsOf(
  issue: Issue | z.core.$ZodRawIssue,
  value: unknown,
  fields: readonly string[] | null,
): string {
  if (issue.code === "unrecognized_keys") {
    const known = fields === null ? "" : `. Known: ${fields.join(", ") || "none"}`;
    return `unknown ${issue.keys.length === 1 ? "field" : "fields"} ${issue.keys.slice(0, 5).map(quote).join(", ")}${known}`;
  }
  const got = value === undefined ? "it is missing" : `got ${quote(value)}`;
  if (issue.code === "custom") return `${issue.message ?? "not allowed"} (${got})`;
  return `expected ${expected(issue)}, ${got}`;
}

const inWords: z.core.$ZodErrorMap = (issue) => {
  const { inst, input } = issue;
  return wordsOf(
    issue,
    input,
    inst instanceof z.ZodObject ? Object.keys(inst._zod.def.shape) : null,
  );
};

/** Of several choices, the one that a value was meant to be, with what is wrong with it there; else the issue as it is. */
function meant(issue: Issue): readonly Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const [only, ...more] = issue.errors.filter((choice) => !choice.some(isOfOtherKind));
  if (!only || more.length > 0) return [issue];
  return only.flatMap(meant).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** Whether an issue says that the value is something else altogether: not of this type, or not of this `type`. */
function isOfOtherKind({ code, path }: Issue): boolean {
  if (path.length > 0) return path.length === 1 && path[0] === "type";
  return code === "invalid_type" || code === "invalid_value" || code === "invalid_union";
}

function expected(issue: Issue | z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return withArticle(types.get(issue.expected) ?? issue.expected);
    case "invalid_value":
      return `${issue.values.length === 1 ? "" : "one of "}${issue.values.map(quote).join(", ")}`;
    case "too_small":
      return `${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}${unitOf(issue.origin)}`;
    case "not_multiple_of":
      return `a multiple of ${issue.divisor}`;
    case "invalid_format":
      return issue.pattern
        ? `${withArticle(issue.format)} like ${issue.pattern}`
        : withArticle(issue.format);
    case "invalid_union":
      return (
        issue.errors.map((choice) => (choice[0] ? expected(choice[0]) : "a value")).join(" or ") ||
        "another value"
      );
    default:
      return issue.message === undefined ? "something else" : `something else (${issue.message})`;
  }
}

const types: ReadonlyMap<string, string> = new Map([
  ["int", "integer"],
  ["record", "object"],
]);

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  if (origin === "array" || origin === "set") return " items";
  return "";
}

const withArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;

function quote(value: unknown): string {
  const text = typeof value === "bigint" ? `${value}` : (JSON.stringify(value) ?? String(value));
  const shown = cutAt(text, 60);
  return shown === text ? text : `${shown}…`;
}
