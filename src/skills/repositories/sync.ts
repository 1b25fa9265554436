import { errorFacts } from "../../shared/log.ts";
import { indexPath, namespaceOf } from "./index-file.ts";
import type { SkillRepository } from "./repository.ts";
import { statusOf, type RepositoryStatus } from "./status.ts";
import { claim, claimedUntil, claimPath } from "./sync/claim.ts";
import { CLAIM_MS, dueAt } from "./sync/due.ts";
import { indexIn, readIndexes, readTexts } from "./sync/kept-files.ts";
import type { SyncParts } from "./sync/parts.ts";
import { syncRepository } from "./sync/sync-repository.ts";

export type SyncOptions = SyncParts & { readonly repositories: readonly SkillRepository[] };

/** Keeps the repositories of an agent up to date. One that fails takes nothing from the others. */
export type Sync = {
  /**
   * Asks those that nobody has asked for `maxAgeMs` (default an hour), or ever, and those that bring something else now;
   * others are at it where they have begun in the last five minutes. Costs one read at most where there is nothing to do.
   */
  readonly syncIfDue: (maxAgeMs?: number) => Promise<void>;
  /** Asks all of them now. Throws only what `signal` says when nobody waits any more. */
  readonly syncNow: (signal: AbortSignal) => Promise<void>;
  readonly overview: () => Promise<readonly RepositoryStatus[]>;
};

const HOUR_MS = 3_600_000;
/** Each may hold some ten megabytes while it is looked at. */
const AT_ONCE = 2;

/** Makes no call. */
export function createSync(options: SyncOptions): Sync {
  const { repositories, clock } = options;
  /** Until when there is nothing to do for a repository, by its namespace. */
  const quiet = new Map<string, number>();
  const isLoud = (repository: SkillRepository) =>
    (quiet.get(namespaceOf(repository)) ?? 0) <= clock.now();

  return {
    async syncIfDue(maxAgeMs = HOUR_MS) {
      const looked = repositories.filter(isLoud);
      if (looked.length === 0) return;
      const texts = await readTexts(
        options,
        looked.flatMap((repository) => [indexPath(repository), claimPath(repository)]),
      );
      const due = looked.flatMap((repository, at) => {
        const [index, claimed] = [texts[2 * at], texts[2 * at + 1]];
        if (!index || !claimed) throw new Error("a read of an index gave none");
        const now = clock.now();
        const next = Math.max(
          dueAt(repository, indexIn(index).index, maxAgeMs),
          claimedUntil(claimed, now),
        );
        quiet.set(namespaceOf(repository), Math.min(next, now + CLAIM_MS));
        return next <= now ? [{ repository, claimed }] : [];
      });
      const { signal } = new AbortController();
      await each(options, due, signal, async ({ repository, claimed }) => {
        if (await claim(options, repository, claimed))
          await syncRepository(repository, options, signal);
      });
    },
    async syncNow(signal) {
      const all = repositories.map((repository) => ({ repository }));
      await each(options, all, signal, ({ repository }) =>
        syncRepository(repository, options, signal),
      );
    },
    async overview() {
      const kept = await readIndexes(options, repositories);
      const now = clock.now();
      return repositories.flatMap((repository, at) => {
        const known = kept[at];
        return known ? [statusOf(repository, known, now)] : [];
      });
    },
  };
}

/** A few at once; what one throws is in the log, and the others go on. */
async function each<Item extends { readonly repository: SkillRepository }>(
  { log }: Pick<SyncParts, "log">,
  items: readonly Item[],
  signal: AbortSignal,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const waiting = [...items];
  const one = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) {
      try {
        await work(item);
      } catch (error) {
        signal.throwIfAborted();
        log("error", "skills.sync_failed", {
          label: item.repository.label,
          ...errorFacts(error),
        });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}
