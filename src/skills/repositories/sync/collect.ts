import { errorFacts } from "../../../shared/log.ts";
import type { Listed } from "../../../shared/workspace-api.ts";
import { stagingOf, type RepositoryIndex, type Retired } from "../index-file.ts";
import type { SkillRepository } from "../repository.ts";
import { filesBelow, indexChange } from "./kept-files.ts";
import { BY, type SyncParts } from "./parts.ts";

const DAY_MS = 86_400_000;
/** Past that the oldest ones go sooner, so that a repository that changes every hour does not fill the bucket. */
const MAX_RETIRED = 100;
/** Nobody begins with an index that is so old, and whoever did has loaded what was needed. */
const IN_USE_MS = 600_000;

/** The directories that an index shows. */
const usedBy = ({ skills }: Pick<RepositoryIndex, "skills">): ReadonlySet<string> =>
  new Set(skills.flatMap((skill) => (skill.quarantined === null ? [skill.directory] : [])));

/** Directories that the newer index does not name any more, the newest first, with those that were so before. */
export function retiredAfter(
  before: RepositoryIndex | null,
  after: Pick<RepositoryIndex, "skills">,
  now: number,
): readonly Retired[] {
  if (!before) return [];
  const used = usedBy(after);
  const known = new Set(before.retired.map(({ directory }) => directory));
  const fresh = [...usedBy(before)].filter((directory) => !known.has(directory));
  const all = [...fresh.map((directory) => ({ directory, at: now })), ...before.retired];
  return all.filter(({ directory }) => !used.has(directory));
}

export const hasGarbage = ({ retired }: RepositoryIndex, now: number): boolean =>
  retired.some(({ at }, no) => now - at > (no < MAX_RETIRED ? DAY_MS : IN_USE_MS));

/**
 * Deletes what nobody needs any more of what a repository has brought: directories that have not been named by its index
 * for a day, and such as never were; where `isUrgent`, for ten minutes. `index` is what is there under `etag`; where another one came meanwhile, nothing is
 * deleted. What fails is logged, and left to the next time.
 */
export async function collectGarbage(
  parts: Pick<SyncParts, "workspace" | "log" | "clock">,
  repository: SkillRepository,
  { index, etag }: { readonly index: RepositoryIndex; readonly etag: string },
  { isUrgent = false }: { readonly isUrgent?: boolean } = {},
): Promise<void> {
  const now = parts.clock.now();
  try {
    const there = newestOf(await filesBelow(parts, stagingOf(repository)), stagingOf(repository));
    const used = usedBy(index);
    const retired = new Map(index.retired.map(({ directory, at }) => [directory, at]));
    const beyond = new Set(index.retired.slice(MAX_RETIRED).map(({ directory }) => directory));
    const isGarbage = (directory: string, newest: number) => {
      const age = now - (retired.get(directory) ?? newest);
      return !used.has(directory) && age > (isUrgent || beyond.has(directory) ? IN_USE_MS : DAY_MS);
    };
    const gone = [...there].filter(([directory, newest]) => isGarbage(directory, newest));
    const isKept = ({ directory }: Retired) =>
      there.has(directory) && !gone.some(([name]) => name === directory);
    const kept = { ...index, retired: index.retired.filter(isKept) };
    if (gone.length === 0 && kept.retired.length === index.retired.length) return;
    const deletes = gone.map(([path]) => ({ kind: "delete", path }) as const);
    const changes = [indexChange(repository, kept, etag), ...deletes];
    await parts.workspace.change({ by: BY, changes });
  } catch (error) {
    parts.log("warn", "skills.cache_not_tidied", {
      label: repository.label,
      ...errorFacts(error),
    });
  }
}

/** The directories of skills, with the time of the newest file in each. */
function newestOf(files: readonly Listed[], staging: string): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const { path, file } of files) {
    const [name, below] = path.slice(staging.length + 1).split("/", 2);
    if (below === undefined) continue;
    const directory = `${staging}/${name}`;
    newest.set(directory, Math.max(newest.get(directory) ?? 0, file?.at ?? 0));
  }
  return newest;
}
