import { decide, type Decision, type Question } from "../../src/permissions/decide.ts";
import type { PermissionMode, Rule, Rules, Subjects } from "../../src/shared/permissions.ts";

export const noRules: Rules = { allow: [], ask: [], deny: [] };

export type Asked = {
  readonly tool?: string;
  readonly effect?: Question["tool"]["effect"];
  readonly runsOn?: "server" | "client";
  readonly input?: unknown;
  readonly data?: unknown;
  readonly subjects?: Subjects;
  readonly verdict?: NonNullable<Question["call"]["verdict"]>;
  readonly mode?: PermissionMode;
  readonly operator?: Partial<Rules>;
  readonly session?: Partial<Rules>;
  readonly gate?: string;
};

/** A question about a call of `use` with an outside effect, unless it says otherwise. */
export const question = (asked: Asked): Question => ({
  tool: {
    name: asked.tool ?? "use",
    effect: asked.effect ?? "external",
    ...(asked.runsOn ? { runsOn: asked.runsOn } : {}),
  },
  input: asked.input ?? {},
  call: {
    ...("data" in asked ? { data: asked.data } : {}),
    ...(asked.subjects ? { subjects: asked.subjects } : {}),
    ...(asked.verdict ? { verdict: asked.verdict } : {}),
  },
  operator: { ...noRules, ...asked.operator },
  session: { ...noRules, mode: asked.mode ?? "DEFAULT", ...asked.session },
  gate: asked.gate ?? null,
});

export const ask = (asked: Asked): Decision => decide(question(asked));

/** Which step decides about a command line when this rule denies: `deny rule`, or another. */
export const byOf = (asked: Asked): string => ask(asked).by;

/** A command line whose tool says that it is one. */
export const said = (command: string): Asked => ({
  tool: "execute",
  input: { line: command },
  subjects: { commands: [command] },
});

/** A command line whose tool says nothing. */
export const unsaid = (command: string): Asked => ({ tool: "mcp__box__run", input: { command } });

/** Whether a deny rule stops a call that nothing else would stop. */
export const isDenied = (call: Asked, rule: Rule): boolean =>
  ask({ ...call, mode: "BYPASS", operator: { deny: [rule] } }).by === "deny rule";

/** Whether an ask rule asks for a call that nothing else would ask for. */
export const isAsked = (call: Asked, rule: Rule): boolean =>
  ask({ ...call, mode: "BYPASS", session: { ask: [rule] } }).by === "ask rule";

/** Whether an allow rule lets a call through that would be asked for. */
export const isAllowed = (call: Asked, rule: Rule): boolean =>
  ask({ ...call, session: { allow: [rule] } }).kind === "allow";
