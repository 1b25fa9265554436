import type { BucketKey } from "../../shared/bucket-key.ts";
import { memoryEntries, type MemoryEntry } from "../../shared/memory-entries.ts";
import { cutAt } from "../../shared/text.ts";
import type {
  SearchAnswer,
  SearchHit,
  SearchRequest,
  SearchSource,
} from "../../shared/workspace-api.ts";
import { dayOf, sourceOf } from "../../workspace/index/sources.ts";
import { workspacePath } from "../../workspace/layers/path.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { meaningId, type Meanings } from "./meanings.ts";

/** Finds what is remembered. Contract suite: `test/contracts/memory-search-contract.ts`. */
export type MemorySearch = Pick<Workspace, "search">;

const MAX_SNIPPET = 400;
/** Less alike than this is not about it. */
const LEAST = 0.35;
const DEFAULT_LIMIT = 10;

/**
 * Search by meaning over MEMORY.md and the ledgers of `bucket`, whose files are in `workspace`. A match counts only as
 * long as its entry stands in its file, and is shown as it stands there: what was changed or forgotten is never found.
 */
export function createSemanticSearch(
  workspace: Workspace,
  bucket: BucketKey,
  meanings: Meanings,
): MemorySearch {
  return {
    async search(request) {
      const limit = request.limit ?? DEFAULT_LIMIT;
      if (!/[\p{L}\p{N}]/u.test(request.query)) return { hits: [], isComplete: true, pending: 0 };
      const query = cutAt(request.query, 1_000);
      const matches = await meanings.find(bucket, query, Math.min(50, limit * 3));
      const near = matches.filter(({ score, path }) => score >= LEAST && isAsked(request, path));
      const files = await entriesOf(workspace, [...new Set(near.map(({ path }) => path))]);
      const hits = near.flatMap(({ id, path, score }) => {
        const entry = files.get(path)?.find((candidate) => meaningId(path, candidate.id) === id);
        const source = sourceOf(workspacePath(path));
        return entry && source ? [hitOf(path, source, entry, score)] : [];
      });
      return { hits: hits.slice(0, limit), isComplete: true, pending: 0 } satisfies SearchAnswer;
    },
  };
}

function isAsked({ sources, path: below }: SearchRequest, path: string): boolean {
  const source = sourceOf(workspacePath(path));
  if (source === null || (sources && !sources.includes(source))) return false;
  const place = workspacePath(below ?? "");
  return place === "" || path === place || path.startsWith(`${place}/`);
}

/** The entries of these files as they are now; of those that are gone, none. */
async function entriesOf(
  workspace: Workspace,
  paths: readonly string[],
): Promise<ReadonlyMap<string, readonly MemoryEntry[]>> {
  const found = new Map<string, readonly MemoryEntry[]>();
  for (let from = 0; from < paths.length;) {
    const { files } = await workspace.readMany({ paths: paths.slice(from), layer: "own" });
    if (files.length === 0) throw new Error("a bucket read none of the files that were asked for");
    for (const [at, file] of files.entries()) {
      const path = paths[from + at];
      if (path !== undefined && file && "text" in file.content)
        found.set(path, memoryEntries(file.content.text));
    }
    from += files.length;
  }
  return found;
}

function hitOf(
  path: string,
  source: SearchSource,
  { start, end, text }: MemoryEntry,
  score: number,
): SearchHit {
  const snippet = cutAt(text.replace(/\s+/g, " "), MAX_SNIPPET);
  return { path, line: start, endLine: end, source, snippet, score, at: dayOf(path) };
}
