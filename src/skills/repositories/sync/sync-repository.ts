import { CarrelError } from "../../../shared/errors.ts";
import type { Listed } from "../../../shared/workspace-api.ts";
import type { Change } from "../../../shared/workspace-changes.ts";
import { stagingOf, type RepositoryIndex } from "../index-file.ts";
import type { SkillRepository } from "../repository.ts";
import { collectGarbage, hasGarbage, retiredAfter } from "./collect.ts";
import { fetchRepository, type FetchOutcome } from "./fetch-repository.ts";
import { filesBelow, indexChange, isConflict, readIndexes, type KeptIndex } from "./kept-files.ts";
import { BY, type SyncParts } from "./parts.ts";
import { stageSkills } from "./stage-skills.ts";

/** That nothing has changed is only written so often. */
const CHECK_MS = 600_000;
/** Somebody else may be at it each time. */
const ATTEMPTS = 5;

/** `overtaken`: somebody else has brought something newer meanwhile. `written`: files. */
export type SyncReport = {
  readonly label: string;
  readonly outcome: "synced" | "unchanged" | "failed" | "overtaken";
  readonly written: number;
};

/**
 * Brings what is kept of one repository up to date: fetched, held to the limits, scanned and written, and only then named
 * by the index, all at once. Should it fail, what was there stays, and the index says since when and why. Syncs of one
 * repository may run at once: the one that was begun last counts. Throws what the workspace throws, and what `signal` says
 * when nobody waits any more.
 */
export async function syncRepository(
  repository: SkillRepository,
  parts: SyncParts,
  signal: AbortSignal,
): Promise<SyncReport> {
  const begun = parts.clock.now();
  const known = await indexOf(parts, repository);
  const asked = known.index?.revision ?? null;
  const outcome = await fetchRepository(repository, asked, parts, signal);
  const run: Run = { repository, parts, begun, asked, outcome, written: 0, hasMadeRoom: false };
  for (let before = known, left = ATTEMPTS; left > 0; left -= 1) {
    if (before !== known && isOvertaken(run, before.index)) return reportOf(run, "overtaken");
    try {
      return await keep(run, before);
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    before = await indexOf(parts, repository);
  }
  throw new CarrelError(
    "conflict",
    "The skills of this repository are being changed again and again. Try again in a moment.",
  );
}

type Run = {
  readonly repository: SkillRepository;
  readonly parts: SyncParts;
  readonly begun: number;
  /** What it was asked whether it has something else. */
  readonly asked: string | null;
  readonly outcome: FetchOutcome;
  written: number;
  /** Whether what nobody needs any more went, because the bucket was full. */
  hasMadeRoom: boolean;
};

const reportOf = ({ repository, written }: Run, outcome: SyncReport["outcome"]): SyncReport => ({
  label: repository.label,
  outcome,
  written,
});

async function indexOf(parts: SyncParts, repository: SkillRepository): Promise<KeptIndex> {
  const [kept] = await readIndexes(parts, [repository]);
  if (!kept) throw new Error("a read of one index gave none");
  return kept;
}

/** Whether somebody who began later has written an answer; one who began at the same time counts over a failure. */
function isOvertaken({ outcome, begun }: Run, index: RepositoryIndex | null): boolean {
  if (!index || index.failure !== null || index.checkedAt === null) return false;
  return index.checkedAt > begun || (index.checkedAt === begun && outcome.kind === "failed");
}

/** Over what was read. Throws `conflict` where it is not there any more. */
async function keep(run: Run, before: KeptIndex): Promise<SyncReport> {
  const { outcome, parts, repository, begun } = run;
  if (outcome.kind === "failed") return keepFailure(run, outcome.why, before);
  if (outcome.kind === "unchanged") return keepUnchanged(run, before);
  const { revision, judged } = outcome;
  const there = await filesBelow(parts, stagingOf(repository));
  try {
    run.written += await stageSkills(parts, judged.skills, there);
  } catch (error) {
    if (!(error instanceof CarrelError) || isConflict(error)) throw error;
    return withoutRoom(run, before, there, error);
  }
  const skills = judged.skills.map(({ skill }) => skill);
  const index: RepositoryIndex = {
    at: begun,
    checkedAt: begun,
    revision,
    failure: null,
    problems: judged.problems,
    skills,
    retired: retiredAfter(before.index, { skills }, begun),
  };
  const etag = await write(run, index, before.etag);
  await collectGarbage(parts, repository, { index, etag });
  return reportOf(run, "synced");
}

/**
 * What was fetched cannot be written. Where the bucket is full, what is not needed any more makes room, once; then the reason
 * is noted, and what this sync has written goes again.
 */
async function withoutRoom(
  run: Run,
  before: KeptIndex,
  there: readonly Listed[],
  error: CarrelError,
): Promise<SyncReport> {
  const { parts, repository } = run;
  if (error.code === "quota_exceeded" && !run.hasMadeRoom && before.index) {
    run.hasMadeRoom = true;
    const { index, etag } = before;
    await collectGarbage(parts, repository, { index, etag }, { isUrgent: true });
    return keep(run, await indexOf(parts, repository));
  }
  const old = new Set(there.map(directoryOf));
  const now = await filesBelow(parts, stagingOf(repository));
  const added = new Set(now.map(directoryOf).filter((directory) => !old.has(directory)));
  const deletes = [...added].map((path) => ({ kind: "delete", path }) as const);
  return keepFailure(run, error.message, before, deletes);
}

/** `.skills-cache/<namespace>/<hash>` of a file in it, and of one beside those its own path. */
const directoryOf = ({ path }: Pick<Listed, "path">): string => path.split("/", 3).join("/");

async function keepUnchanged(run: Run, before: KeptIndex): Promise<SyncReport> {
  const { parts, repository, begun, asked } = run;
  const { index } = before;
  if (!index || index.revision !== asked) return reportOf(run, "overtaken");
  const isOld = begun - (index.checkedAt ?? 0) >= CHECK_MS;
  if (index.failure === null && !isOld) return reportOf(run, "unchanged");
  const checked = { ...index, checkedAt: begun, failure: null };
  const etag = await write(run, checked, before.etag);
  if (hasGarbage(checked, begun)) await collectGarbage(parts, repository, { index: checked, etag });
  return reportOf(run, "unchanged");
}

const nothing: RepositoryIndex = {
  at: null,
  checkedAt: null,
  revision: null,
  failure: null,
  problems: [],
  skills: [],
  retired: [],
};

/** What cannot be read is left as it is: it may be of another version of this code. */
async function keepFailure(
  run: Run,
  why: string,
  before: KeptIndex,
  deletes: readonly Change[] = [],
): Promise<SyncReport> {
  if (before.isBroken) return reportOf(run, "failed");
  const index = before.index ?? nothing;
  const times = (index.failure?.times ?? 0) + 1;
  await write(run, { ...index, failure: { at: run.begun, why, times } }, before.etag, deletes);
  return reportOf(run, "failed");
}

async function write(
  run: Run,
  index: RepositoryIndex,
  expect: string,
  deletes: readonly Change[] = [],
): Promise<string> {
  const changes = [indexChange(run.repository, index, expect), ...deletes];
  const [changed] = await run.parts.workspace.change({ by: BY, changes });
  return changed?.file?.etag ?? "absent";
}
