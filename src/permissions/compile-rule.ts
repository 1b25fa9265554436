import type { Rule } from "../shared/permissions.ts";
import { type OriginPattern, parseOriginPattern } from "./origin-rule.ts";
import { parsePathPattern, type PathPattern } from "./path-pattern.ts";
import { type CommandPattern, parseCommandPattern } from "./shell/command-rule.ts";
import { fits, parseStars, type Wildcard } from "./wildcard.ts";

/** Characters of each text of a rule. */
export const MAX_RULE_TEXT = 512;

/** What narrows a rule, ready to be compared. `broken`: it cannot be read, so it allows nothing and stops everything. */
export type Narrowing =
  | { readonly kind: "none" | "broken" }
  | { readonly kind: "path"; readonly pattern: PathPattern }
  | { readonly kind: "command"; readonly pattern: CommandPattern }
  | { readonly kind: "origin"; readonly pattern: OriginPattern }
  | { readonly kind: "argument"; readonly name: string; readonly value: Wildcard };

/** Whether a rule is for a tool, its narrowing left out. */
export const isForTool = (rule: Rule, tool: string): boolean => fits(parseStars(rule.tool), tool);

/** What narrows a rule. Never throws. */
export function narrowingOf({ path, command, origin, argument }: Rule): Narrowing {
  const texts = [path, command, origin, argument?.value].filter((text) => text !== undefined);
  if (texts.length === 0) return { kind: "none" };
  if (texts.length > 1 || texts.some(({ length }) => length > MAX_RULE_TEXT))
    return { kind: "broken" };
  if (path !== undefined) return orBroken("path", parsePathPattern(path));
  if (command !== undefined) return orBroken("command", parseCommandPattern(command));
  if (origin !== undefined) return orBroken("origin", parseOriginPattern(origin));
  return { kind: "argument", name: argument?.name ?? "", value: parseStars(argument?.value ?? "") };
}

const orBroken = <Kind extends string, Pattern>(kind: Kind, pattern: Pattern | null) =>
  pattern === null ? ({ kind: "broken" } as const) : { kind, pattern };
