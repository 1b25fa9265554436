import { withReminder } from "../context/reminder.ts";
import { noWork, type Plan } from "../shared/plan.ts";
import type {
  Capability,
  GatedCall,
  SameTools,
  SessionNow,
  TurnScope,
} from "../turn/capability.ts";
import { planTools } from "./plan-tools.ts";

export type PlanModeOptions = {
  /** Whether the shell may run while planning, which can do anything; default false. */
  readonly allowsShell: boolean;
};

export const PLAN_MODE = "plan-mode";

/** The tool that runs commands. */
const SHELL = "execute";

/** What may run while planning beside what reads: it changes nothing but the session's own records, or plans like its parent. */
const ALWAYS: ReadonlySet<string> = new Set([
  "plan_enter",
  "plan_write",
  "plan_exit",
  "todo_write",
  "agent_spawn",
  "agent_send",
  "agent_list",
  "task_output",
  "task_list",
]);

/**
 * Planning first: tools to begin, write and end a plan, a gate that lets only what reads run meanwhile, judged call by call,
 * and a reminder in each step of what holds.
 */
export const createPlanMode = ({ allowsShell }: PlanModeOptions): SameTools => ({
  name: PLAN_MODE,
  tools: (scope?: TurnScope) => planTools(() => scope?.session().plan ?? noWork.plan),
  gate: ({ session }, call) => refusal(session(), call, allowsShell),
  wrapModelCall({ session }, request, next) {
    const text = reminderOf(session().plan);
    if (text === null) return next(request);
    return next({ ...request, messages: withReminder(request.messages, text) });
  },
});

/** Plan mode as a subagent has it: it plans while its parent does, and does not begin or end it. Others stay as they are. */
export const withoutPlanTools = (capability: Capability): Capability =>
  capability.name === PLAN_MODE ? { ...capability, tools: () => [] } : capability;

function refusal(
  { plan, mode }: SessionNow,
  { name, effect }: GatedCall,
  allowsShell: boolean,
): string | null {
  if (name === "plan_enter" && !plan.active && mode === "DONT_ASK")
    return "this session asks nobody, so nobody could approve a plan. Go on without plan mode.";
  if (!plan.active) {
    if (name !== "plan_write" && name !== "plan_exit") return null;
    return "plan mode is not on. Begin it with plan_enter.";
  }
  if (name === "plan_exit" && plan.hash === null)
    return "there is no plan yet. Write it with plan_write first.";
  if (effect === "read" || ALWAYS.has(name) || (allowsShell && name === SHELL)) return null;
  return `plan mode is on, and ${name} does more than read. Finish the plan with plan_write, and ask for its approval with plan_exit.`;
}

/** What the model is reminded of; `null`: of nothing. */
function reminderOf({ active, path, hash, approved }: Plan): string | null {
  if (active)
    return `Plan mode is on: only tools that read may run, and nothing may be changed, until the person has approved a plan. Look around as you need. ${
      hash === null
        ? "Then write the whole plan with plan_write, and ask for its approval with plan_exit."
        : `The plan is in ${path ?? ""}: change it with plan_write, or ask for its approval with plan_exit.`
    }`;
  if (hash === null || approved !== hash) return null;
  return `The person has approved the plan in ${path ?? ""}. Follow it; read it again where you need to.`;
}
