/**
 * Whether a session plans, and what. While it is `active` only what reads may run. `path`: the file that the plan is in;
 * `hash`: the SHA-256 of its text, hex; `approved`: the hash that a person has approved. Each is `null` while there is none.
 */
export type Plan = {
  readonly active: boolean;
  readonly path: string | null;
  readonly hash: string | null;
  readonly approved: string | null;
};

/** Of a session that never planned. */
export const noPlan: Plan = { active: false, path: null, hash: null, approved: null };

export const todoStatuses = ["pending", "in_progress", "completed"] as const;
export const todoPriorities = ["high", "medium", "low"] as const;

/** Something to do, as the agent keeps it. `id` stays the same for the same content. */
export type Todo = {
  readonly id: string;
  readonly content: string;
  readonly status: (typeof todoStatuses)[number];
  readonly priority: (typeof todoPriorities)[number];
  /** In milliseconds. */
  readonly createdAt: number;
};

/** What an agent keeps of its work in a session, beside the conversation. */
export type Work = { readonly plan: Plan; readonly todos: readonly Todo[] };

export const noWork: Work = { plan: noPlan, todos: [] };

/** What there is of it; the plan also where a session could have one. */
export const workShown = ({ plan, todos }: Work, canPlan: boolean): Partial<Work> => ({
  ...(canPlan || plan !== noPlan ? { plan } : {}),
  ...(todos.length === 0 ? {} : { todos }),
});
