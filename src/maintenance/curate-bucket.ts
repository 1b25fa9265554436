import type { BucketKey } from "../shared/bucket-key.ts";
import { errorFacts } from "../shared/log.ts";
import type { CuratorRun } from "../shared/skill-upkeep.ts";
import type { Meter } from "./meter.ts";
import type { AgentUpkeep, MaintenancePorts } from "./ports.ts";
import { within } from "./within.ts";

/** Who curates, as versions and the audit name it. */
export const CURATOR = "job:curator";

/** The curator of an agent that has one. */
export type Curator = NonNullable<AgentUpkeep["curator"]>;

const SUGGEST_MS = 120_000;

/** Calls for one bucket at most: to its object, to the model, and with what that said. */
export const curatorCalls = (agents: readonly AgentUpkeep[]): number =>
  Math.max(0, ...agents.map(({ curator }) => (curator ? (curator.suggest ? 3 : 1) : 0)));

/**
 * Has the curator look at a bucket's skills; its time and what there is to do, the bucket knows. After a run in which names
 * begin alike, a model may say what it would make of them: that is only added to the report, and missing where it fails.
 * Throws what the bucket throws.
 */
export async function curateBucket(
  parts: MaintenancePorts & { readonly meter: Meter },
  bucket: BucketKey,
  { options, suggest }: Curator,
): Promise<CuratorRun> {
  const { meter, log, newId } = parts;
  const skills = parts.skills(bucket);
  const request = { options, dry: false, now: false, by: CURATOR, op: `curator:${newId()}` };
  const run = await meter.count(() => skills.curate(request));
  if (run.state === "early") return run;
  const { state, transitions, report, clusters } = run;
  log("info", "skills.curated", { bucket, state, transitions: transitions.length, report });
  if (suggest && report !== null && clusters.length > 0 && meter.hasTime)
    await noteSuggestions(parts, bucket, suggest, { report, clusters });
  return run;
}

async function noteSuggestions(
  { meter, clock, log, skills }: MaintenancePorts & { readonly meter: Meter },
  bucket: BucketKey,
  suggest: NonNullable<Curator["suggest"]>,
  { report, clusters }: { readonly report: string; readonly clusters: CuratorRun["clusters"] },
): Promise<void> {
  const begunAt = clock.now();
  try {
    const { text, usage, model } = await meter.count(() =>
      within(clock, SUGGEST_MS, "The model", (stop) => suggest(clusters, stop)),
    );
    log("info", "skills.suggested", { bucket, usage, model, ms: clock.now() - begunAt });
    if (text.trim() !== "") await meter.count(() => skills(bucket).noteSuggestions(report, text));
  } catch (error) {
    log("warn", "skills.suggestions_failed", { bucket, ...errorFacts(error) });
  }
}
