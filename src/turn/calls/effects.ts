import { writeState } from "../../session/state-documents.ts";
import type { Plan, Todo, Work } from "../../shared/plan.ts";
import type { SessionNow } from "../capability.ts";
import type { SessionCore, Tx } from "../core.ts";
import { governChildren } from "../tasks/children.ts";
import { addGroups, newGroups } from "./groups.ts";

/** What holds in a session at this moment. */
export const sessionNow = ({ work, permissions }: SessionCore): SessionNow => ({
  ...work,
  mode: permissions.mode,
});

/** What a result changes in its session beside the conversation. */
export type Effects = Partial<Work> & { readonly activates?: readonly string[] };

/** What of a session in memory these may change. */
export type Changed = Pick<SessionCore, "groups" | "work">;

/**
 * Stores them in the caller's commit, with the facts that say so. What it gives belongs into `core` once that is done;
 * `added` are the groups that are new.
 */
export function storeEffects(
  core: SessionCore,
  tx: Tx,
  { activates, plan, todos }: Effects,
  by: string,
): { readonly changed: Changed; readonly added: readonly string[] } {
  const added = newGroups(core.groups, activates);
  const groups = addGroups(core, added);
  let { work } = core;
  if (plan) work = { ...work, plan: writePlan(core, tx, plan, by) };
  if (todos) work = { ...work, todos: writeTodos(core, tx, todos) };
  return { changed: { groups, work }, added };
}

/** Stores what is planned, and says so, in the caller's commit; it belongs into `core.work` then. */
export function writePlan(core: SessionCore, tx: Tx, plan: Plan, by: string): Plan {
  writeState(core.sql, "plan", plan);
  core.say(tx, { kind: "plan", by, ...plan });
  if (plan.active !== core.work.plan.active) governChildren(core, tx);
  return plan;
}

/** The same of what is to do. */
export function writeTodos(core: SessionCore, tx: Tx, todos: readonly Todo[]): readonly Todo[] {
  writeState(core.sql, "todos", todos);
  core.say(tx, { kind: "todos", todos });
  return todos;
}
