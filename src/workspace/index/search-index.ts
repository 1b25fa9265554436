import { invalid } from "../../shared/errors.ts";
import { cutAt } from "../../shared/text.ts";
import type {
  SearchAnswer,
  SearchHit,
  SearchRequest,
  SearchSource,
} from "../../shared/workspace-api.ts";
import type { Contents } from "../contents/contents.ts";
import { addJob, type BucketJob } from "../jobs.ts";
import type { Layers } from "../layers/layers.ts";
import { isWithin } from "../layers/overlay.ts";
import { workspacePath, type WorkspacePath } from "../layers/path.ts";
import { liesWithin, numberIn } from "../read/file-info.ts";
import type { Rows } from "../rows.ts";
import { Best } from "./best.ts";
import { Held } from "./held.ts";
import { createIndexJob, type IndexJobParts } from "./index-job.ts";
import type { Span } from "./layout.ts";
import { weighed, type Ranked } from "./pick-hits.ts";
import { rank } from "./rank.ts";
import { snippetOf } from "./snippet.ts";
import { sessionOf, sourceOf } from "./sources.ts";
import { readExcerpt } from "./tables.ts";
import { Updater, type Progress } from "./update.ts";
import { queryWords, type QueryWords } from "./words.ts";

export type SearchIndexParts = IndexJobParts & {
  readonly layers: Layers;
  readonly contents: Pick<Contents, "lines">;
  /** Lets other calls run. */
  readonly breathe: () => Promise<void>;
};

/** Full-text search of one bucket. */
export type SearchIndex = {
  readonly search: (request: SearchRequest) => Promise<SearchAnswer>;
  /** Keeps the index up to date between searches. */
  readonly job: BucketJob;
};

/** What a search does for the index before it answers. */
const BOUNDS = { chars: 4 * 1024 * 1024, units: 2_000, fetches: 20 } as const;

/** Characters of a query that count. */
const QUERY_CHARS = 1_000;

/** How often a search looks again whether something has changed while it brought the index up to date. */
const LOOKS = 3;

const SOURCES: readonly SearchSource[] = ["memory", "ledger", "archive", "knowledge", "session"];

/**
 * The index is behind the files, and every search first brings it up to date: it sees every accepted change (promise
 * W3). What would take too long waits, and the answer says so.
 */
export function createSearchIndex(parts: SearchIndexParts): SearchIndex {
  const { rows, layers, clock } = parts;
  const held = new Held(rows);
  const updater = new Updater({ ...parts, held });

  const update = async (): Promise<Progress> => {
    for (let look = 1; ; look += 1) {
      const progress = await updater.run(BOUNDS);
      if (progress.overlay === layers.overlay() || look === LOOKS) {
        if (progress.hasMore)
          rows.commit("index-job", ({ sql }) => addJob(sql, "index", clock.now()));
        return progress;
      }
    }
  };

  return {
    job: createIndexJob(parts, updater),
    async search(request) {
      const limit = numberIn("limit", request.limit, 10, [1, 100]);
      const isMeant = meantBy(request);
      const query = queryWords(cutAt(request.query, QUERY_CHARS));
      const progress = await update();
      const pending = [...progress.pending].filter(isMeant).length;
      const state = { isComplete: pending === 0, pending };
      if (query.words.length + query.beginnings.length === 0) return { hits: [], ...state };
      const isShown = (path: WorkspacePath) => isMeant(path) && !progress.unsure.has(path);
      return { hits: hitsIn(rows, held, query, isShown, limit), ...state };
    },
  };
}

/** Throws `CarrelError('invalid')` for what is no path or no source. */
function meantBy({ path, sources, within }: SearchRequest): (path: WorkspacePath) => boolean {
  const base = workspacePath(path ?? "");
  const unknown = sources?.find((source) => !SOURCES.includes(source));
  if (unknown !== undefined) throw invalid(`A source must be one of: ${SOURCES.join(", ")}.`);
  const isAsked = (source: SearchSource | null) =>
    source !== null && (sources === undefined || sources.includes(source));
  return (it) => isWithin(base, it) && liesWithin(within, it) && isAsked(sourceOf(it));
}

/** Synchronous: what is ranked is what is read. */
function hitsIn(
  { sql }: Rows,
  held: Held,
  query: QueryWords,
  isShown: (path: WorkspacePath) => boolean,
  limit: number,
): SearchHit[] {
  const { layout } = held;
  const { scores, found, own } = rank(sql, layout, query);
  const shown = layout.spans.map(({ path }) => (isShown(path) ? sourceOf(path) : null));
  const best = new Best<Ranked & { readonly span: Span }>(limit);
  for (const unit of found) {
    const at = layout.spanOf[unit] ?? 0;
    const [span, source] = [layout.spans[at], shown[at]];
    if (!span || !source) continue;
    if (own[unit] === 0 && (!isTalk(source) || layout.alone.lengths[unit] === 0)) continue;
    const time = layout.times[unit] ?? Number.NaN;
    const { path } = span;
    const score = weighed(scores[unit] ?? 0, source);
    best.add({ path, source, score, at: Number.isNaN(time) ? null : time, line: unit, span });
  }
  return best.all().map(({ span, line, ...ranked }) => hitOf(sql, query, ranked, span, line));
}

/** What is told in a row: an answer may have none of the words of its question, so neighbours are hits, too. */
const isTalk = (source: SearchSource): boolean => source !== "memory" && source !== "knowledge";

function hitOf(
  sql: Rows["sql"],
  query: QueryWords,
  { path, source, score, at }: Pick<SearchHit, "path" | "source" | "score" | "at">,
  { no, start }: Span,
  unit: number,
): SearchHit {
  const { line, end, text, said } = readExcerpt(sql, no, unit - start);
  const hit = { path, line, endLine: end, source, snippet: snippetOf(text, query), score, at };
  return said === null ? hit : { ...hit, said: { ...said, session: sessionOf(path) } };
}
