import { errorFacts, type Log } from "../../shared/log.ts";
import type { SearchAnswer, SearchHit } from "../../shared/workspace-api.ts";
import type { MemorySearch } from "./semantic-search.ts";

/** How fast a place in a list loses its weight: reciprocal rank fusion, with the constant of its inventors. */
const RANK_CONSTANT = 60;

/**
 * One search of two: what both find comes first. Should the second one fail, the first one's answer stands, and the log
 * says so.
 */
export function fuseSearches(first: MemorySearch, second: MemorySearch, log: Log): MemorySearch {
  return {
    async search(request) {
      const [found, more] = await Promise.all([
        first.search(request),
        second.search(request).catch((error: unknown) => {
          log("warn", "memory.semantic_search_failed", errorFacts(error));
          return null;
        }),
      ]);
      return more ? fused(found, more, request.limit ?? 10) : found;
    },
  };
}

function fused(found: SearchAnswer, more: SearchAnswer, limit: number): SearchAnswer {
  const best = new Map<string, { hit: SearchHit; score: number }>();
  for (const { hits } of [found, more]) {
    for (const [rank, hit] of hits.entries()) {
      const place = `${hit.path}#${hit.line}`;
      const known = best.get(place);
      const score = (known?.score ?? 0) + 1 / (RANK_CONSTANT + rank + 1);
      best.set(place, { hit: known?.hit ?? hit, score });
    }
  }
  const most = 2 / (RANK_CONSTANT + 1);
  const hits = [...best.values()]
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ hit, score }) => ({ ...hit, score: score / most }));
  return { hits, isComplete: found.isComplete, pending: found.pending };
}
