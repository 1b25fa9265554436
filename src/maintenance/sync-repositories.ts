import { errorFacts } from "../shared/log.ts";
import type { Meter } from "./meter.ts";
import type { MaintenancePorts } from "./ports.ts";
import { within } from "./within.ts";

const SYNC_MS = 60_000;

/**
 * Brings the skill repositories of each agent up to date, one agent after the other, each within a minute and as one call.
 * What fails is logged and has its turn with the next pass, and so has what there is no allowance for: `spare` calls are
 * left. Never throws.
 */
export async function syncRepositories(
  { repositories, clock, log }: MaintenancePorts,
  meter: Meter,
  spare: number,
): Promise<void> {
  for (const { agent, sync } of repositories) {
    if (!meter.has(1 + spare)) {
      log("warn", "maintenance.repositories_put_off", { agent });
      continue;
    }
    try {
      await meter.count(() => within(clock, SYNC_MS, "A repository of skills", sync));
    } catch (error) {
      log("error", "maintenance.repositories_failed", { agent, ...errorFacts(error) });
    }
  }
}
