import { CarrelError } from "../../shared/errors.ts";
import { noPlan, type Plan, type Work } from "../../shared/plan.ts";
import { afterChange } from "../calls/park.ts";
import { writePlan } from "../calls/effects.ts";
import { assertNewest } from "../calls/questions.ts";
import type { SessionCore } from "../core.ts";
import type { Harness } from "../harness.ts";
import { DEAD_MAN_MS } from "../dead-man.ts";
import { addRegisterJob } from "../line/inbox.ts";

/**
 * Begins or ends plan mode by a person's hand, which holds when this returns; see `SessionApi.setPlan`. A turn that waits
 * goes on, so that its calls are decided on anew. Where nothing changes, nothing is stored. Throws `CarrelError`: `conflict`
 * for an agent that cannot plan, and for a session that asks nobody.
 */
export function changePlan(
  core: SessionCore,
  { hasPlanMode }: Pick<Harness, "hasPlanMode">,
  { active, by, isRegistered }: { active: boolean; by: string; isRegistered: boolean },
): Work {
  if (!hasPlanMode)
    throw new CarrelError(
      "conflict",
      "This agent has no plan mode. Set enablePlanMode in its definition.",
    );
  const before = core.work.plan;
  if (before.active === active) return core.work;
  if (active && core.permissions.mode === "DONT_ASK")
    throw new CarrelError(
      "conflict",
      "This session asks nobody, so no plan could be approved. Choose another mode first.",
    );
  const plan: Plan = active ? { ...noPlan, active } : { ...before, active };
  const { begun } = core;
  const turn = core.commit("plan", (tx) => {
    if (begun) assertNewest(core);
    writePlan(core, tx, plan, `user:${by}`);
    if (!isRegistered) addRegisterJob(core);
    if (begun?.state !== "waiting") return null;
    return afterChange(core, tx, begun, { entries: core.entriesOf(begun.id), must: true });
  });
  core.work = { ...core.work, plan };
  if (turn) core.replaceOpen(turn);
  if (turn || !isRegistered) core.platform.setAlarm(core.clock.now() + DEAD_MAN_MS);
  return core.work;
}
