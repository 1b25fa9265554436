import type { Rule } from "../shared/permissions.ts";
import { covers } from "./match-rule.ts";
import type { SeenPath } from "./path-spelling.ts";
import { RuleSchema } from "./rule-schema.ts";
import type { Readings } from "./seen-call.ts";
import { hasManyFaces } from "./shell/programs.ts";
import type { SimpleCommand } from "./shell/shell-text.ts";

/** Rules that would allow a call, the narrowest first. Each covers it, and none is broader than one tool. */
export function suggestRules(readings: Readings): readonly Rule[] {
  const [call] = readings;
  const { tool } = call;
  const narrow: readonly (Rule | null)[] = [
    commandRule(tool, call.lines[0]?.commands[0]),
    originRule(tool, call.named.urls[0]),
    pathRule(tool, call.paths[0], call.isDeclared),
  ];
  return [...narrow, { tool }]
    .filter((rule) => rule !== null && RuleSchema.safeParse(rule).success && covers(rule, readings))
    .filter((rule) => rule !== null);
}

/** The program with its subcommand; none for a program that can do anything. */
function commandRule(tool: string, command: SimpleCommand | undefined): Rule | null {
  const [program, second] = command?.words ?? [];
  if (!program || !isSimple(program.text)) return null;
  const subcommand = second && /^[a-z][\w:-]*$/i.test(second.text) ? second.text : null;
  if (hasManyFaces(program.text, subcommand)) return null;
  return { tool, command: subcommand === null ? program.text : `${program.text} ${subcommand}` };
}

const isSimple = (word: string): boolean => /^[\w./+-]+$/.test(word);

function originRule(tool: string, url: string | undefined): Rule | null {
  try {
    return url === undefined ? null : { tool, origin: new URL(url).origin };
  } catch {
    return null;
  }
}

/** The directory with all below it; a file of the root alone. */
function pathRule(
  tool: string,
  seen: SeenPath | null | undefined,
  isDeclared: boolean,
): Rule | null {
  const names = seen?.spellings[0];
  if (!seen || !names || names.length === 0) return null;
  const escaped = names.map((name) => name.replaceAll(/[*?{}\\]/g, String.raw`\$&`));
  const path = names.length === 1 ? escaped.join() : `${escaped.slice(0, -1).join("/")}/**`;
  return { tool, path: seen.isAbsolute && !isDeclared ? `/${path}` : path };
}
