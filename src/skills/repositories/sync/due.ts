import type { RepositoryIndex } from "../index-file.ts";
import type { SkillRepository } from "../repository.ts";

/** Nobody asks a repository twice within so long, unless a person wants it. */
export const CLAIM_MS = 300_000;

/** When a repository is to be asked again (ms), now or long ago: at once. `index` `null`: there is none that can be read. */
export function dueAt(
  { revision }: Pick<SkillRepository, "revision">,
  index: RepositoryIndex | null,
  maxAgeMs: number,
): number {
  if (!index) return 0;
  if (index.failure) {
    const { at, times } = index.failure;
    return at + Math.max(CLAIM_MS, Math.min(maxAgeMs, CLAIM_MS * 2 ** Math.min(times - 1, 20)));
  }
  if (revision === undefined) return (index.checkedAt ?? 0) + maxAgeMs;
  return revision === index.revision ? Infinity : 0;
}
