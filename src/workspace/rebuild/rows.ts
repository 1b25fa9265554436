import type { BucketKey } from "../../shared/bucket-key.ts";
import type { Metadata } from "../store/blob-store.ts";
import { factsOf } from "../store/metadata.ts";
import type { StoredFacts } from "../store/metadata.ts";
import { parentsOf } from "../layers/overlay.ts";
import type { WorkspacePath } from "../layers/path.ts";
import type { FileRow, SegmentRow, VersionRow, WhiteoutRow } from "../rows.ts";
import { parseStorageKey } from "../store/storage-key.ts";

/** A part of a log, as a listing shows it. */
export type FoundPart = {
  readonly path: WorkspacePath;
  readonly number: number;
  readonly facts: StoredFacts;
};

/** The row of a file that was settled under this key; `null` for anything else. Its text is in the store. */
export function fileOf(bucket: BucketKey, key: string, metadata: Metadata): FileRow | null {
  const stored = parseStorageKey(bucket, key);
  const facts = factsOf(metadata);
  if (stored?.kind !== "files" || !facts) return null;
  if (facts.type !== "text" && facts.type !== "blob") return null;
  const { lines: _lines, ...file } = facts;
  return { path: stored.path, ...file, body: null, dirty: null, tag: null, settled: null };
}

/**
 * That all parts of a log up to this version are being deleted, as a row that has the rest deleted, too; `null` for
 * anything else.
 */
export function deletionOf(bucket: BucketKey, key: string, metadata: Metadata): FileRow | null {
  const stored = parseStorageKey(bucket, key);
  const facts = factsOf(metadata);
  if (stored?.kind !== "files" || facts?.type !== "gone") return null;
  const { lines: _lines, at, ...file } = facts;
  const where = { body: null, dirty: at, tag: null, settled: null };
  return { path: stored.path, ...file, at, sha256: null, ...where };
}

/** The whiteout that was settled under this key; `null` for anything else. */
export function whiteoutOf(bucket: BucketKey, key: string, metadata: Metadata): WhiteoutRow | null {
  const stored = parseStorageKey(bucket, key);
  const facts = factsOf(metadata);
  if (stored?.kind !== "whiteouts" || !facts) return null;
  const { version, at, author } = facts;
  return { path: stored.path, version, at, author, present: true, dirty: null, settled: null };
}

/** The earlier version that was settled under this key; `null` for anything else. */
export function versionOf(bucket: BucketKey, key: string, metadata: Metadata): VersionRow | null {
  const stored = parseStorageKey(bucket, key);
  const facts = factsOf(metadata);
  if (stored?.kind !== "versions" || !facts || facts.version !== stored.number) return null;
  const { lines: _lines, ...version } = facts;
  const sha256 = facts.type === "gone" ? null : facts.sha256;
  return { path: stored.path, ...version, sha256, body: null };
}

export type FoundLog = { readonly file: FileRow; readonly segments: readonly SegmentRow[] };

/**
 * The logs that these parts make. The last part may have been open: it counts as sealed, and what comes begins a new
 * one. A part with an older version than the one before it, or than the `deletions` of its path, is a leftover of a log
 * that was deleted. Where parts are missing, one line of one byte stands for them, which cannot be read.
 */
export function logsOf(
  parts: readonly FoundPart[],
  deletions: ReadonlyMap<WorkspacePath, number>,
): FoundLog[] {
  const isLeft = ({ path, facts }: FoundPart) => facts.version > (deletions.get(path) ?? 0);
  const byPath = Map.groupBy(parts.filter(isLeft), ({ path }) => path);
  return [...byPath].flatMap(([path, unsorted]) => {
    const sorted = unsorted.toSorted((a, b) => a.number - b.number);
    const end = sorted.findIndex(
      ({ facts }, at) => facts.version < (sorted[at - 1]?.facts.version ?? 0),
    );
    const whole = end === -1 ? sorted : sorted.slice(0, end);
    const last = whole.at(-1);
    if (!last) return [];
    const segments = whole.flatMap(({ number, facts: { size, lines, sha256 } }, at) => {
      const next = (whole[at - 1]?.number ?? -1) + 1;
      const lost = { path, number: next, size: 1, lines: 1, sha256: LOST_PART };
      return [...(next < number ? [lost] : []), { path, number, size, lines, sha256 }];
    });
    const size = segments.reduce((sum, segment) => sum + segment.size, 0);
    const { version, at, author } = last.facts;
    const file = { path, version, at, author, size, type: "log", sha256: null } as const;
    const nowhere = { body: null, dirty: null, tag: null, settled: null };
    return [{ file: { ...file, executable: false, ...nowhere }, segments }];
  });
}

/** In place of the digest of a log's part that is missing: no bytes have it. */
export const LOST_PART = "";

/**
 * Those of `files` that can be beside one another. Where one is a directory to others, the side with the highest version
 * stays, and `leave` hears of the rest: a change that the store had taken in part only.
 */
export function withoutClashes<File extends { readonly file: FileRow }>(
  files: readonly File[],
  leave: (file: FileRow) => void,
): File[] {
  const taken = new Set<WorkspacePath>();
  const directories = new Set<WorkspacePath>();
  return files
    .toSorted((a, b) => b.file.version - a.file.version)
    .filter(({ file }) => {
      if (file.type === "gone") return true;
      const parents = parentsOf(file.path);
      if (directories.has(file.path) || parents.some((parent) => taken.has(parent))) {
        leave(file);
        return false;
      }
      taken.add(file.path);
      for (const parent of parents) directories.add(parent);
      return true;
    });
}
