import { invalid } from "../shared/errors.ts";
import type { Rule } from "../shared/permissions.ts";
import { RuleSchema } from "./rule-schema.ts";

/** A rule as AgentScope writes it: a tool, and a text that narrows it or `null` for all its calls. */
export type RuleContent = { readonly tool_name: string; readonly rule_content: string | null };

/** The rule in the words of AgentScope: `path:notes/**`, `command:git status`, `origin:https://x`, `argument:name=value`. */
export function toRuleContent({ tool, path, command, origin, argument }: Rule): RuleContent {
  const content =
    path !== undefined
      ? `path:${path}`
      : command !== undefined
        ? `command:${command}`
        : origin !== undefined
          ? `origin:${origin}`
          : argument !== undefined
            ? `argument:${argument.name}=${argument.value}`
            : null;
  return { tool_name: tool, rule_content: content };
}

const CONTENT = /^(?:(path|command|origin):([^]*)|argument:([^=]*)=([^]*))$/;

/** The rule that is meant. Throws `CarrelError('invalid')` for a content that says nothing here: nothing is guessed. */
export function fromRuleContent({ tool_name: tool, rule_content: content }: RuleContent): Rule {
  const found = content === null ? [] : CONTENT.exec(content);
  if (!found)
    throw invalid(
      `The rule content ${JSON.stringify(content).slice(0, 100)} is not known. Write path:GLOB, command:WORDS, origin:URL or argument:NAME=VALUE, or null for every call of the tool.`,
    );
  const [, kind, text, name, value] = found;
  const rule = {
    tool,
    ...(kind === undefined ? {} : { [kind]: text }),
    ...(name === undefined ? {} : { argument: { name, value } }),
  };
  const parsed = RuleSchema.safeParse(rule);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(
    `The rule ${JSON.stringify(content).slice(0, 100)} ${issue?.message ?? "cannot be used"}.`,
  );
}
