import type * as z from "zod";
import { CarrelError } from "../shared/errors.ts";
import { wordsOf } from "../shared/issue-words.ts";

type Issue = z.core.$ZodIssue;

/** More would bury the model in its own mistakes. */
const MAX_ISSUES = 10;

/** Arguments that a tool refuses. The message tells the model how to mend them; `problems` are for whoever else put them there. */
export class RefusedInput extends CarrelError {
  /** What is wrong, and not what to do about it. */
  readonly problems: string;

  constructor(head: string, lines: readonly string[]) {
    const problems = [head, ...lines.map((line) => `- ${line}`)].join("\n");
    super("invalid", `${problems}\nCall it again with these corrected.`);
    this.problems = problems;
  }
}

/**
 * What is wrong with a call's arguments, in words that a model can act on: one line for each bad field with
 * what is expected and what it got, at most 11. Values are quoted cut, so the message stays short whatever was sent.
 */
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
  const isInner = issue.path.length > 0;
  const words = wordsOf(issue, valueAt(given, issue.path), isInner ? null : fields);
  return `${pathText(issue.path)}${words}${issue.code === "unrecognized_keys" ? "." : ""}`;
}

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
