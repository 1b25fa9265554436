import type * as z from "zod";
import { cutAt } from "../shared/text.ts";

type Issue = z.core.$ZodIssue;

/** More would bury the model in its own mistakes. */
const MAX_ISSUES = 10;

/**
 * What is wrong with a call's arguments, in words that a model can act on: one line for each bad field with
 * what is expected and what it got. Values are quoted cut, so the message stays short whatever was sent.
 */
export function describeIssues(
  tool: string,
  issues: readonly Issue[],
  given: unknown,
  fields: readonly string[],
): string {
  return [
    `The arguments of ${tool} are not valid, so it did not run:`,
    ...issueLines(issues, given, fields).map((line) => `- ${line}`),
    "Call it again with these corrected.",
  ].join("\n");
}

/** The lines of `describeIssues` alone: at most 11. */
export function issueLines(
  issues: readonly Issue[],
  given: unknown,
  fields: readonly string[],
): string[] {
  const lines = issues.slice(0, MAX_ISSUES).map((issue) => describe(issue, given, fields));
  if (issues.length > MAX_ISSUES) lines.push(`and ${issues.length - MAX_ISSUES} more`);
  return lines;
}

function describe(issue: Issue, given: unknown, fields: readonly string[]): string {
  const where = pathText(issue.path);
  if (issue.code === "unrecognized_keys") {
    const known = issue.path.length === 0 ? ` Known: ${fields.join(", ") || "none"}.` : "";
    return `${where}unknown ${issue.keys.length === 1 ? "field" : "fields"} ${issue.keys.slice(0, 5).map(quote).join(", ")}.${known}`;
  }
  const value = valueAt(given, issue.path);
  const got = value === undefined ? "it is missing" : `got ${quote(value)}`;
  if (issue.code === "custom") return `${where}${issue.message} (${got})`;
  return `${where}expected ${expected(issue)}, ${got}`;
}

function expected(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return withArticle(issue.expected === "int" ? "integer" : issue.expected);
    case "invalid_value":
      return `one of ${issue.values.map(quote).join(", ")}`;
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
      return `something else (${issue.message})`;
  }
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  if (origin === "array" || origin === "set") return " items";
  return "";
}

const withArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;

function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "";
  return `${path.map((key, at) => (typeof key === "number" ? `[${key}]` : `${at ? "." : ""}${String(key)}`)).join("")}: `;
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  let value = given;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

function quote(value: unknown): string {
  const text = typeof value === "bigint" ? `${value}` : (JSON.stringify(value) ?? String(value));
  const shown = cutAt(text, 60);
  return shown === text ? text : `${shown}…`;
}
