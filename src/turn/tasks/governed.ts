import { CarrelError, notFound } from "../../shared/errors.ts";
import { noPlan } from "../../shared/plan.ts";
import { CHILD, type Declaration, type Rights, type Role } from "../../shared/subagents.ts";
import { writePlan } from "../calls/effects.ts";
import { afterChange } from "../calls/park.ts";
import type { SessionCore } from "../core.ts";
import { DEAD_MAN_MS } from "../dead-man.ts";

/** Who a subagent's rights are from. */
const BY_PARENT = "parent";

/** A subagent never has more than its parent; one that does not inherit has only what that forbids and asks. */
function restricted({ permissions, planning }: Rights, declaration: Declaration): Rights {
  if (declaration.inheritParentPermissions) return { permissions, planning };
  const mode = ["BYPASS", "ACCEPT_EDITS"].includes(permissions.mode) ? "DEFAULT" : permissions.mode;
  return { permissions: { ...permissions, mode, allow: [] }, planning };
}

/**
 * Gives a subagent's session the rights that its parent's has, as far as its declaration lets it have them, committed when this returns; they hold at once, and a turn
 * that waits has its calls decided on anew. Where nothing changes, nothing is stored.
 */
export function governed(core: SessionCore, given: Rights, { declaration }: Role): void {
  const { permissions, planning } = restricted(given, declaration);
  const isSame = JSON.stringify(permissions) === JSON.stringify(core.permissions);
  const { plan } = core.work;
  if (isSame && plan.active === planning) return;
  const next = { ...noPlan, active: planning };
  const { begun } = core;
  const turn = core.commit("permissions", (tx) => {
    if (!isSame) core.writePermissions(tx, permissions, BY_PARENT);
    if (plan.active !== planning) writePlan(core, tx, next, BY_PARENT);
    if (begun?.state !== "waiting") return null;
    return afterChange(core, tx, begun, { entries: core.entriesOf(begun.id), must: true });
  });
  if (plan.active !== planning) core.work = { ...core.work, plan: next };
  if (turn) core.replaceOpen(turn);
  if (turn) core.platform.setAlarm(core.clock.now() + DEAD_MAN_MS);
}

/** Throws `CarrelError('conflict')` in a subagent's session, whose rights are its parent's; `'not_found'` for one of none. */
export function assertOwn(core: SessionCore): void {
  assertSomeones(core);
  const { role } = core;
  if (!role) return;
  throw new CarrelError(
    "conflict",
    `This is the session of a subagent, which has the rights of the session ${role.parent.session}. Change them there.`,
  );
}

/** Throws `CarrelError('forbidden')` in the session of a subagent that only its parent speaks to; `'not_found'` for one of none. */
export function assertSpokenTo(core: SessionCore): void {
  assertSomeones(core);
  const { role } = core;
  if (!role || role.isExposed) return;
  throw new CarrelError(
    "forbidden",
    `This is the session of a subagent that is spoken to by its parent alone: write to the session ${role.parent.session}.`,
  );
}

/** Only a parent begins a session with the name of a subagent's: else its subagent would find it taken. */
function assertSomeones({ role, platform }: SessionCore): void {
  if (!role && CHILD.test(platform.address.session)) throw notFound("A subagent with that session");
}
