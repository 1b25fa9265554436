import { fromRuleContent, toRuleContent } from "../../permissions/rule-content.ts";
import { PermissionsSchema } from "../../permissions/rule-schema.ts";
import type { PermissionContext, StateRule, StateRules } from "../../session/agent-state.ts";
import type { DocumentPermissions, DocumentRules } from "../../session/state-document.ts";
import { invalid } from "../../shared/errors.ts";
import type { PermissionMode, Permissions, Rule } from "../../shared/permissions.ts";

/** What a session's person has chosen, in the words of a state document. */
export function toPermissionContext(
  { mode, allow, ask, deny }: Permissions,
  workingDirectories: readonly string[],
): PermissionContext {
  return {
    mode,
    working_directories: workingDirectories,
    allow_rules: toStateRules(allow, "ALLOW"),
    deny_rules: toStateRules(deny, "DENY"),
    ask_rules: toStateRules(ask, "ASK"),
  };
}

/**
 * The other way round. Throws `CarrelError('invalid')` for a mode that is not among `modes`, and for a rule that says
 * nothing here: left out it would allow more, or deny less, than was meant.
 */
export function fromPermissionContext(
  { mode, allow_rules, ask_rules, deny_rules }: DocumentPermissions,
  modes: readonly PermissionMode[],
): Permissions {
  const parsed = PermissionsSchema.safeParse({
    mode: mode.toUpperCase(),
    allow: fromStateRules(allow_rules),
    ask: fromStateRules(ask_rules),
    deny: fromStateRules(deny_rules),
  });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(`permission_context: ${issue?.path.join(".")} ${issue?.message}.`);
  }
  if (!modes.includes(parsed.data.mode))
    throw invalid(`permission_context: mode must be one of ${modes.join(", ")}.`);
  return parsed.data;
}

function toStateRules(rules: readonly Rule[], behavior: StateRule["behavior"]): StateRules {
  const byTool = new Map<string, StateRule[]>();
  for (const rule of rules) {
    const stated = { ...toRuleContent(rule), behavior, source: "session" };
    byTool.set(rule.tool, [...(byTool.get(rule.tool) ?? []), stated]);
  }
  return Object.fromEntries(byTool);
}

function fromStateRules(rules: DocumentRules): Rule[] {
  return Object.entries(rules ?? {}).flatMap(([tool, stated]) =>
    stated.map(({ tool_name, rule_content }) =>
      fromRuleContent({ tool_name: tool_name ?? tool, rule_content: rule_content ?? null }),
    ),
  );
}
