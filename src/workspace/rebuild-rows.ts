import type { BucketKey } from "../shared/bucket-key.ts";
import type { Metadata } from "./blob-store.ts";
import { factsOf } from "./metadata.ts";
import type { StoredFacts } from "./metadata.ts";
import type { WorkspacePath } from "./path.ts";
import type { FileRow, SegmentRow, VersionRow, WhiteoutRow } from "./rows.ts";
import { parseStorageKey } from "./storage-key.ts";

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
  return { path: stored.path, ...file, body: null, dirty: null, tag: null };
}

/** The whiteout that was settled under this key; `null` for anything else. */
export function whiteoutOf(bucket: BucketKey, key: string, metadata: Metadata): WhiteoutRow | null {
  const stored = parseStorageKey(bucket, key);
  const facts = factsOf(metadata);
  if (stored?.kind !== "whiteouts" || !facts) return null;
  const { version, at, author } = facts;
  return { path: stored.path, version, at, author, present: true, dirty: null };
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

/**
 * The logs that these parts make. The last part may have been open: it counts as sealed, and what comes begins a new
 * one. A part with an older version than the one before it is a leftover of a log that was deleted.
 */
export function logsOf(
  parts: readonly FoundPart[],
): { readonly file: FileRow; readonly segments: readonly SegmentRow[] }[] {
  const byPath = Map.groupBy(parts, ({ path }) => path);
  return [...byPath].flatMap(([path, unsorted]) => {
    const sorted = unsorted.toSorted((a, b) => a.number - b.number);
    const end = sorted.findIndex(
      ({ facts }, at) => facts.version < (sorted[at - 1]?.facts.version ?? 0),
    );
    const whole = end === -1 ? sorted : sorted.slice(0, end);
    const last = whole.at(-1);
    if (!last) return [];
    const segments = whole.map(({ number, facts: { size, lines, sha256 } }) => ({
      path,
      number,
      size,
      lines,
      sha256,
    }));
    const size = segments.reduce((sum, segment) => sum + segment.size, 0);
    const { version, at, author } = last.facts;
    const file = { path, version, at, author, size, type: "log", sha256: null } as const;
    return [{ file: { ...file, executable: false, body: null, dirty: null, tag: null }, segments }];
  });
}
