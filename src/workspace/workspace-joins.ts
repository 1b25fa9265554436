import { pickHits } from "./index/pick-hits.ts";
import type { GlobAnswer, GrepAnswer, SearchAnswer, TreeAnswer } from "../shared/workspace-api.ts";

const byPath = (a: { readonly path: string }, b: { readonly path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

/** One listing of at most `limit` entries from those of several buckets. */
export function joinTrees(
  answers: readonly [TreeAnswer, ...TreeAnswer[]],
  limit: number,
): TreeAnswer {
  if (answers.length === 1) return answers[0];
  const entries = answers.flatMap((answer) => answer.entries).toSorted(byPath);
  const cut = entries.length > limit || answers.some((answer) => answer.cut);
  return { entries: entries.slice(0, limit), total: sum(answers, (answer) => answer.total), cut };
}

/** At most `limit` files from those of several buckets. */
export function joinGlobs(
  answers: readonly [GlobAnswer, ...GlobAnswer[]],
  limit: number,
): GlobAnswer {
  if (answers.length === 1) return answers[0];
  const files = answers.flatMap((answer) => answer.files).toSorted(byPath);
  const cut = files.length > limit || answers.some((answer) => answer.cut);
  return { files: files.slice(0, limit), total: sum(answers, (answer) => answer.total), cut };
}

/**
 * At most `limit` hits from those of several buckets. Where one was cut, hits after that place in the others would
 * leave a gap: they wait for the next call.
 */
export function joinGreps(
  answers: readonly [GrepAnswer, ...GrepAnswer[]],
  limit: number,
): GrepAnswer {
  if (answers.length === 1) return answers[0];
  const [first] = answers
    .flatMap((answer) => endOf(answer) ?? [])
    .toSorted((a, b) => byPath(a, b) || (a.cut === "hits" ? -1 : 1));
  const hits = answers
    .flatMap((answer) => answer.hits)
    .filter((hit) => first === undefined || hit.path <= first.path)
    .toSorted(byPath);
  const isFull = hits.length > limit || first?.cut === "hits";
  return {
    hits: hits.slice(0, limit),
    searched: sum(answers, (answer) => answer.searched),
    skipped: sum(answers, (answer) => answer.skipped),
    longLines: sum(answers, (answer) => answer.longLines),
    cut: isFull ? "hits" : (first?.cut ?? null),
    next: isFull ? null : (first?.path ?? null),
  };
}

/** The last path that an answer knows of when it was cut there; `null` when it was not. */
function endOf({ cut, next, hits }: GrepAnswer): { path: string; cut: "hits" | "bytes" } | null {
  if (cut === "bytes") return { path: next ?? "", cut };
  return cut === "hits" ? { path: hits.at(-1)?.path ?? "", cut } : null;
}

/** The best of all, by the rule that each bucket goes by: session logs do not drown the rest. */
export function joinSearches(
  answers: readonly [SearchAnswer, ...SearchAnswer[]],
  limit: number,
): SearchAnswer {
  if (answers.length === 1) return answers[0];
  return {
    hits: pickHits(
      answers.flatMap((answer) => answer.hits),
      limit,
    ),
    isComplete: answers.every((answer) => answer.isComplete),
    pending: sum(answers, (answer) => answer.pending),
  };
}
