import { CarrelError } from "../../../shared/errors.ts";
import type { CuratorRequest, CuratorRun } from "../../../shared/skill-upkeep.ts";
import type { Change } from "../../../shared/workspace-changes.ts";
import { auditChange } from "../audit.ts";
import { doneBefore, type Doing } from "../change-skills.ts";
import type { SkillParts } from "../skill-parts.ts";
import { auditEntryOf, changesFor, fitting, transitionOf, weigh } from "./changes.ts";
import { clustersOf } from "./clusters.ts";
import { after, judge, nextChange } from "./judge.ts";
import { withOwners } from "./owners.ts";
import { reportOf, summaryOf } from "./report.ts";
import { placeReport, reportPath } from "./reports.ts";
import {
  isCurable,
  readCuratorRecords,
  readStanding,
  type CuratorRecords,
  type Standing,
} from "./standing.ts";
import { readState, stateChange, type StoredState } from "./state.ts";

const TRIES = 3;
const DAY_MS = 86_400_000;

/** `changes` `null`: nothing is to be done. `isRun`: whether they are the operation that was asked for. */
type Plan =
  | { readonly run: CuratorRun; readonly changes: null }
  | { readonly run: CuratorRun; readonly changes: readonly Change[]; readonly isRun: boolean };

/** All that a plan goes by. */
type Scene = {
  readonly request: CuratorRequest;
  readonly state: StoredState;
  readonly records: CuratorRecords;
  readonly standing: Standing;
  readonly now: number;
};

/**
 * Looks at the skills that the agent made and at its drafts, and does what is due: see `CuratorRun`. The first call only
 * begins the waiting, and the first run after it only reports. All that a run does is one change; whatever goes wrong, nothing
 * of it is done. The same operation gets the same answer, and of two at once one has the run. A bucket in which there is
 * nothing to curate stays as it is. Throws `CarrelError`: `invalid` for a record that cannot be read, `conflict` when files
 * were changed again and again meanwhile.
 */
export async function curate(parts: SkillParts, request: CuratorRequest): Promise<CuratorRun> {
  for (let tries = 1; ; tries++) {
    try {
      const plan = await planRun(parts, request);
      if (plan.changes === null) return plan.run;
      const { by, op } = doingOf(request);
      const tidying = { by, changes: plan.changes, isTidying: true };
      await parts.files.change({ ...tidying, ...(plan.isRun ? { op } : {}) });
      return plan.run;
    } catch (error) {
      const isLate = error instanceof CarrelError && error.code === "conflict";
      if (!isLate || tries === TRIES) throw error;
    }
  }
}

const doingOf = ({ by, op }: CuratorRequest): Doing => ({ by, op: `skill-curate:${op}` });

async function planRun(parts: SkillParts, request: CuratorRequest): Promise<Plan> {
  const now = parts.clock.now();
  const state = await readState(parts);
  if (!request.dry && state.last?.op === request.op) return { run: state.last.run, changes: null };
  const records = await readCuratorRecords(parts);
  const isAsked = request.dry || request.now;
  if (!isAsked && !isCurable(records)) return { run: early(null), changes: null };
  const all = await readStanding(parts, records);
  const standing = await withOwners(parts, all, request.options, now);
  const scene = { request, state, records, standing, now };
  if (request.dry) return { run: await dryRun(parts, scene), changes: null };
  const isWaiting = whenToWait(scene);
  if (isWaiting) return isWaiting;
  if (await doneBefore(parts, doingOf(request)))
    return { run: early(lookAt(scene)), changes: null };
  return wholeRun(parts, scene);
}

const early = (at: number | null): CuratorRun => ({
  state: "early",
  transitions: [],
  clusters: [],
  report: null,
  lookAt: at,
});

/** `null`: it is time for a run. A time that is still to come is of a clock that was set back, and holds nothing up. */
function whenToWait(scene: Scene): Plan | null {
  const { request, state, now } = scene;
  if (request.now) return null;
  const isSeeded = state.lastRunAt !== null || (state.seededAt ?? Infinity) <= now;
  if (!isSeeded) {
    const seeded = { ...state, seededAt: now };
    const run = early(lookAt({ ...scene, state: seeded }));
    return { run, changes: [stateChange(seeded)], isRun: false };
  }
  const since = sinceOf(scene);
  const isEarly = since <= now && now < since + request.options.intervalMs;
  return isEarly ? { run: early(lookAt(scene)), changes: null } : null;
}

const sinceOf = ({ state, now }: Pick<Scene, "state" | "now">): number =>
  state.lastRunAt ?? state.seededAt ?? now;

/** When the next run has something to do: not before its interval is over, and the first one then has its report to write. */
function lookAt(scene: Pick<Scene, "request" | "state" | "standing" | "now">): number | null {
  const { request, state, standing, now } = scene;
  const { options } = request;
  const next = nextChange(standing, options, now);
  if (next === null) return null;
  const due = Math.min(sinceOf(scene), now) + options.intervalMs;
  return state.runs === 0 ? due : Math.max(due, next);
}

/** Whether somebody asks again before the first report is a day old: then there is time to read it. */
function isFirstAgain({ request, state, now }: Scene): boolean {
  const since = now - (state.lastRunAt ?? now);
  return request.now && state.runs === 1 && since >= 0 && since < DAY_MS;
}

async function dryRun(parts: SkillParts, scene: Scene): Promise<CuratorRun> {
  const { request, standing, now } = scene;
  const verdicts = fitting(judge(standing, request.options, now));
  return {
    state: "reported",
    transitions: (await weigh(parts, verdicts)).map(transitionOf),
    clusters: clustersOf(standing.skills),
    report: null,
    lookAt: lookAt(scene),
  };
}

async function wholeRun(parts: SkillParts, scene: Scene): Promise<Plan> {
  const { request, state, records, now } = scene;
  const { options, by, op } = request;
  const isRepeated = isFirstAgain(scene);
  const isFirst = state.runs === 0 || isRepeated;
  const all = judge(scene.standing, options, now);
  const verdicts = fitting(all);
  const weighed = await weigh(parts, verdicts);
  const transitions = weighed.map(transitionOf);
  const standing = isFirst ? scene.standing : after(scene.standing, verdicts);
  const clusters = clustersOf(standing.skills);
  const { report, surplus } = await placeReport(parts);
  const more = all.length - verdicts.length;
  const told = { at: now, isFirst, options, transitions, more, standing, clusters };
  const ran = {
    ...state,
    seededAt: state.seededAt ?? now,
    lastRunAt: isRepeated ? state.lastRunAt : now,
    runs: isRepeated ? state.runs : state.runs + 1,
    lastSummary: summaryOf(told),
    lastReport: report,
  };
  const run: CuratorRun = {
    state: isFirst ? "reported" : "done",
    transitions,
    clusters,
    report,
    lookAt: lookAt({ request, state: ran, standing, now }),
  };
  const isDone = !isFirst && weighed.length > 0;
  const changes: Change[] = [
    ...(isDone ? await changesFor(parts, records, weighed) : []),
    stateChange({ ...ran, last: { op, run } }),
    write(reportPath(report) ?? "", reportOf(told)),
    ...surplus,
    ...(isDone
      ? [
          await auditChange(
            parts,
            weighed.map((one) => auditEntryOf(one, by)),
          ),
        ]
      : []),
  ];
  return { run, changes, isRun: true };
}

const write = (path: string, text: string): Change => ({
  kind: "write",
  path,
  content: { text },
  expect: "absent",
});
