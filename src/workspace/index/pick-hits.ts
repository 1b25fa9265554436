import type { SearchHit } from "../../shared/workspace-api.ts";

/** What hits are put in order by. */
export type Ranked = Pick<SearchHit, "score" | "at" | "path" | "line" | "source">;

/** What is said in passing weighs less than what was kept; what was put away, less than what is at hand. */
const WEIGHTS: Readonly<Record<SearchHit["source"], number>> = {
  memory: 1,
  ledger: 0.95,
  knowledge: 0.95,
  archive: 0.93,
  session: 0.75,
};

/** The score of a hit from this source, with the three digits that count: among equal ones the newer comes first. */
export const weighed = (score: number, source: SearchHit["source"]): number =>
  Math.round(score * WEIGHTS[source] * 1_000) / 1_000;

/** The order of hits: the best first, of equal ones the newest, then by place. */
export function compareHits(a: Ranked, b: Ranked): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.at !== b.at) return (b.at ?? -Infinity) - (a.at ?? -Infinity);
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line;
}

/**
 * The best `limit` hits, in order. Session logs have at most half of the places as long as other sources have hits for
 * them: they repeat what memory says, at more length.
 */
export function pickHits<Hit extends Ranked>(hits: readonly Hit[], limit: number): Hit[] {
  const sorted = hits.toSorted(compareHits);
  const said = sorted.filter(({ source }) => source === "session");
  const others = sorted.filter(({ source }) => source !== "session").slice(0, limit);
  const room = Math.max(Math.floor(limit / 2), limit - others.length);
  return [...others, ...said.slice(0, room)].toSorted(compareHits).slice(0, limit);
}
