import type {
  Effect,
  PermissionMode,
  Permissions,
  Rule,
  Rules,
  Subjects,
  ToolVerdict,
} from "../shared/permissions.ts";
import { dangerOfCall } from "./danger/dangerous-call.ts";
import { covers, touches } from "./match-rule.ts";
import { readingsOf } from "./seen-call.ts";
import { suggestRules } from "./suggest.ts";

/** A call whose arguments are valid, and all that its permission depends on. */
export type Question = {
  readonly tool: {
    readonly name: string;
    readonly effect: Effect;
    readonly runsOn?: "server" | "client";
  };
  /** The arguments as the model wrote them, parsed. */
  readonly input: unknown;
  /** What the tool says of the call; absent subjects are told by the names and the texts of the arguments. */
  readonly call: {
    /** The arguments with which it would run; absent: `input`. Rules look at both. */
    readonly data?: unknown;
    readonly subjects?: Subjects;
    readonly verdict?: ToolVerdict;
  };
  /** What the operator's code says; its rules go before the session's of the same kind. */
  readonly operator: Rules;
  readonly session: Permissions;
  /** Why a gate (plan mode) refuses the call; `null` when none does. */
  readonly gate: string | null;
};

/** Which step of the order decided. */
export type DecidedBy =
  | "deny rule"
  | "gate"
  | "ask rule"
  | "mode"
  | "safety"
  | "tool"
  | "allow rule"
  | "bypass"
  | "default";

export type Decision =
  | { readonly kind: "allow"; readonly by: DecidedBy }
  /** `reason` is for the model. */
  | { readonly kind: "deny"; readonly by: DecidedBy; readonly reason: string }
  /** `reason` is for a person. `suggested`: rules that would spare this question in this session; none where none could. */
  | {
      readonly kind: "ask";
      readonly by: DecidedBy;
      readonly reason: string;
      readonly suggested: readonly Rule[];
    };

/**
 * Whether a call may run. The first that has an answer decides: deny rules, the gate, ask rules, the mode, the tool's own
 * check and ours of dangerous paths and commands, allow rules, BYPASS, the default (promise A1). What a mode lets
 * through is still held up where the tool itself denies it, or asks for safety. In DONT_ASK every question is a denial.
 * Pure; takes time of the length of the arguments for each rule.
 */
export function decide(question: Question): Decision {
  const decision = judge(question);
  if (decision.kind !== "ask" || question.session.mode !== "DONT_ASK") return decision;
  return { kind: "deny", by: decision.by, reason: unasked(question.tool.name) };
}

function judge(question: Question): Decision {
  const { tool, input, call, operator, session, gate } = question;
  const { mode } = session;
  const seen = readingsOf(tool.name, input, call);
  const stops = (rules: Rules): boolean => rules.deny.some((rule) => touches(rule, seen));
  const asks = (rules: Rules): boolean => rules.ask.some((rule) => touches(rule, seen));

  if (stops(operator) || stops(session)) return deny("deny rule", forbidden(tool.name));
  if (gate !== null) return deny("gate", gate);
  if (asks(operator) || asks(session))
    return ask("ask rule", `A rule asks before ${tool.name} runs with these arguments.`);
  if (mode === "EXPLORE" && tool.effect !== "read") return deny("mode", exploring(tool.name));

  const own = call.verdict ?? { verdict: "pass" };
  if (own.verdict === "deny") return deny("tool", own.reason);
  const danger = dangerOfCall(seen, tool.effect);
  if (danger !== null) return ask("safety", danger);
  if (own.verdict === "ask" && own.safety) return ask("safety", own.reason);
  if (isLetThrough(mode, tool.effect, own)) return allow("mode");
  if (own.verdict === "allow") return allow("tool");

  if ([...operator.allow, ...session.allow].some((rule) => covers(rule, seen)))
    return allow("allow rule");
  if (mode === "BYPASS") return allow("bypass");
  if (own.verdict === "ask") return ask("tool", own.reason, suggestRules(seen));
  if (tool.runsOn === "client" || tool.effect !== "external") return allow("default");
  return ask("default", `${tool.name} has an effect outside of the workspace.`, suggestRules(seen));
}

/** Reading modes let reads through; ACCEPT_EDITS also what its tool would only ask for, inside of the workspace. */
function isLetThrough(mode: PermissionMode, effect: Effect, own: ToolVerdict): boolean {
  if (mode === "EXPLORE") return effect === "read";
  if (mode !== "ACCEPT_EDITS") return false;
  return effect === "read" || (effect === "write" && own.verdict === "ask");
}

const allow = (by: DecidedBy): Decision => ({ kind: "allow", by });

const deny = (by: DecidedBy, reason: string): Decision => ({ kind: "deny", by, reason });

/** Without suggestions where an allow rule could not win. */
const ask = (by: DecidedBy, reason: string, suggested: readonly Rule[] = []): Decision => ({
  kind: "ask",
  by,
  reason,
  suggested,
});

const forbidden = (tool: string): string =>
  `${tool} may not be used so: a rule forbids it, and nobody can approve it now. Do not try to reach the same in another way. Go on without it, or tell the person what you would need.`;

const exploring = (tool: string): string =>
  `${tool} did not run: this session only reads. Use tools that read, and tell the person what you would change; they can choose another mode.`;

const unasked = (tool: string): string =>
  `${tool} needs a person's permission here, and this session asks nobody. Go on without it, or tell the person what you would need.`;
