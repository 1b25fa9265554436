import { CarrelError, notFound } from "../../shared/errors.ts";
import { errorFacts } from "../../shared/log.ts";
import type { SkillUsage } from "../../shared/skill-facts.ts";
import type { LoadAnswer, LoadRequest } from "../../shared/skills-api.ts";
import type { Change } from "../../shared/workspace-changes.ts";
import { workspacePath } from "../../workspace/layers/path.ts";
import { auditChange } from "./audit.ts";
import { filesIn, readLive, skillDirectory } from "./directory.ts";
import { readRecords, recordChange } from "./record-file.ts";
import type { SkillParts } from "./skill-parts.ts";
import { unused, usageFile } from "./usage-records.ts";

/** Who counts use: no one but the harness. */
const BY = "job:skills";
const MOST_PATHS = 500;
const TRIES = 5;

/** What was read of a skill, and whether it was its SKILL.md. */
export type Loaded = { readonly answer: LoadAnswer; readonly isDocument: boolean };

/**
 * A file of a skill, and what else it has. A SKILL.md is found however its letters are written. Throws
 * `CarrelError('not_found')` where no skill can be, or where nothing is.
 */
export async function readSkillFile(
  parts: Pick<SkillParts, "files">,
  request: LoadRequest,
): Promise<Loaded> {
  const directory = skillDirectory(request.directory);
  const found = (await filesIn(parts, directory)).map(({ path }) =>
    path.slice(directory.length + 1),
  );
  if (found.length === 0) throw notFound(`The skill in ${JSON.stringify(directory)}`);
  const documents = found.filter(isDocument);
  const rest = found.filter((path) => !documents.includes(path));
  const paths = [...documents, ...rest].slice(0, MOST_PATHS);
  const wanted = pathIn(request.path);
  const path =
    found.find((each) => each === wanted) ??
    (wanted !== null && isDocument(wanted) ? documents[0] : undefined);
  const [read] =
    path === undefined
      ? []
      : (await parts.files.readMany({ paths: [`${directory}/${path}`] })).files;
  if (path === undefined || !read) return { answer: { file: null, paths }, isDocument: false };
  const { content, file } = read;
  const { size, executable } = file;
  return {
    answer: { file: { path, content, executable, size }, paths },
    isDocument: isDocument(path),
  };
}

/**
 * Counts that a skill was used, once an operation; one that was stale or archived is active again. What keeps it from being
 * counted, such as a full bucket, is in the log, and keeps nobody from the skill. Throws `gone`, and whatever is not expected.
 */
export async function countUse(
  parts: SkillParts,
  request: LoadRequest,
  isDocument: boolean,
): Promise<void> {
  try {
    await count(parts, request, isDocument);
  } catch (error) {
    if (!(error instanceof CarrelError) || error.code === "gone") throw error;
    parts.log("warn", "skills.use_not_counted", { skill: request.name, ...errorFacts(error) });
  }
}

async function count(parts: SkillParts, request: LoadRequest, isDocument: boolean): Promise<void> {
  const { name, op } = request;
  for (let tries = 1; ; tries++) {
    const usages = await readRecords(parts.files, usageFile);
    const before = usages.entries.get(name) ?? unused;
    const used = counted(before, parts.clock.now(), isDocument);
    const changes: Change[] = [recordChange(usageFile, usages, name, used)];
    if (before.state !== "active") changes.push(await reactivation(parts, request, before));
    try {
      await parts.files.change({ by: BY, op: `skill-load:${op}`, changes });
      return;
    } catch (error) {
      const isLate = error instanceof CarrelError && error.code === "conflict";
      if (!isLate || tries === TRIES) throw error;
    }
  }
}

function counted(before: SkillUsage, now: number, isDocument: boolean): SkillUsage {
  const active = { ...before, state: "active", archivedAt: null } as const;
  return isDocument
    ? { ...active, useCount: before.useCount + 1, lastUsedAt: now }
    : { ...active, viewCount: before.viewCount + 1, lastViewedAt: now };
}

async function reactivation(
  parts: SkillParts,
  { name, directory }: LoadRequest,
  before: SkillUsage,
): Promise<Change> {
  const hash = (await readLive(parts, { directory }))?.hash ?? null;
  return auditChange(parts, [
    {
      actor: BY,
      op: "curate",
      target: name,
      decision: "reactivated",
      scanVerdict: null,
      beforeHash: hash,
      afterHash: hash,
      reason: `It was ${before.state}, and is used.`,
      session: null,
    },
  ]);
}

const isDocument = (path: string): boolean => path.toLowerCase() === "skill.md";

/** `null` for what can be no file of a skill. */
function pathIn(raw: string): string | null {
  try {
    return workspacePath(raw) || null;
  } catch (error) {
    if (error instanceof CarrelError && error.code === "invalid") return null;
    throw error;
  }
}
