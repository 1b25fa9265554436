import type {
  Effect,
  Permissions,
  Rule,
  Rules,
  Subjects,
  ToolVerdict,
} from "../shared/permissions.ts";

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
  readonly call: { readonly subjects?: Subjects; readonly verdict?: ToolVerdict };
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

/** Whether a call may run. */
export function decide(question: Question): Decision {
  return { kind: "allow", by: question.session.mode === "BYPASS" ? "bypass" : "default" };
}
