import type * as z from "zod";
import { CarrelError, invalid } from "../../shared/errors.ts";
import { checkValue } from "../../shared/issue-words.ts";
import type { Permissions, Rule } from "../../shared/permissions.ts";
import type { PermissionsChange, PermissionsView } from "../../shared/session-api.ts";
import { PermissionsChangeSchema, RuleListSchema } from "../../permissions/rule-schema.ts";
import type { SessionCore, Tx } from "../core.ts";
import type { Harness } from "../harness.ts";
import { DEAD_MAN_MS } from "../dead-man.ts";
import { addRegisterJob } from "../line/inbox.ts";
import { afterChange } from "../calls/park.ts";
import { assertNewest } from "../calls/questions.ts";
import { governChildren } from "../tasks/children.ts";

/** What holds in a session now. */
export function viewPermissions(core: SessionCore, harness: Harness): PermissionsView {
  const { allow, ask, deny, modes } = harness.permissions;
  return { session: core.permissions, operator: { allow, ask, deny }, modes };
}

/**
 * Stores a change, which holds when this returns; see `SessionApi.setPermissions`. A turn that waits goes on, so that its
 * calls are decided on anew. Unless the session `isRegistered`, a job for that goes with it. Where nothing changes, nothing
 * is stored. Throws `CarrelError`: `forbidden` for a mode that the operator does not offer, `invalid` for what is no rule.
 */
export function changePermissions(
  core: SessionCore,
  harness: Harness,
  change: PermissionsChange,
  by: string,
  isRegistered: boolean,
): PermissionsView {
  const { mode, allow, ask, deny } = parsed(PermissionsChangeSchema, change, "The change");
  const { modes } = harness.permissions;
  if (mode !== undefined && !modes.includes(mode))
    throw new CarrelError(
      "forbidden",
      `The mode ${mode} is not offered here. Choose one of ${modes.join(", ")}.`,
    );
  const before = core.permissions;
  const permissions: Permissions = {
    mode: mode ?? before.mode,
    allow: allow ?? before.allow,
    ask: ask ?? before.ask,
    deny: deny ?? before.deny,
  };
  if (isSame(permissions, before)) return viewPermissions(core, harness);
  const { begun } = core;
  const turn = core.commit("permissions", (tx) => {
    if (begun) assertNewest(core);
    core.writePermissions(tx, permissions, `user:${by}`);
    governChildren(core, tx);
    if (!isRegistered) addRegisterJob(core);
    if (begun?.state !== "waiting") return null;
    return afterChange(core, tx, begun, { entries: core.entriesOf(begun.id), must: true });
  });
  if (turn) core.replaceOpen(turn);
  if (turn || !isRegistered) core.platform.setAlarm(core.clock.now() + DEAD_MAN_MS);
  return viewPermissions(core, harness);
}

/** Rules that an answer asks to keep. */
export type KeptRules = { readonly allow: readonly Rule[]; readonly deny: readonly Rule[] };

/**
 * Adds rules that are not there yet, in the caller's commit; whether there were any. They are stored also where the
 * operator's rules win over them. Throws `CarrelError('invalid')` when a list would grow too long.
 */
export function keepRules(core: SessionCore, tx: Tx, kept: KeptRules, by: string): boolean {
  const before = core.permissions;
  const permissions = {
    ...before,
    allow: joined(before.allow, kept.allow),
    deny: joined(before.deny, kept.deny),
  };
  if (isSame(permissions, before)) return false;
  for (const list of [permissions.allow, permissions.deny]) parseRules(list);
  core.writePermissions(tx, permissions, by);
  governChildren(core, tx);
  return true;
}

/** Throws `CarrelError('invalid')` for what is no rule. */
export const parseRules = (rules: readonly Rule[]): readonly Rule[] =>
  parsed(RuleListSchema, rules, "The rules");

function parsed<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  what: string,
): z.output<Schema> {
  const checked = checkValue(schema, given);
  if ("data" in checked) return checked.data;
  throw invalid(`${what} cannot be kept: ${checked.problems.join("; ")}.`);
}

function joined(rules: readonly Rule[], more: readonly Rule[]): readonly Rule[] {
  const known = new Set(rules.map((rule) => JSON.stringify(rule)));
  return more.reduce<readonly Rule[]>((all, rule) => {
    const text = JSON.stringify(rule);
    if (known.has(text)) return all;
    known.add(text);
    return [...all, rule];
  }, rules);
}

const isSame = (a: Permissions, b: Permissions): boolean =>
  a.mode === b.mode &&
  (["allow", "ask", "deny"] as const).every(
    (kind) => JSON.stringify(a[kind]) === JSON.stringify(b[kind]),
  );
