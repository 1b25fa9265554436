import type { SnapshotRequest, Snapshot } from "./workspace-snapshot.ts";
import type { Failure } from "./errors.ts";
import type { Changed, ChangeRequest, ImportPage } from "./workspace-changes.ts";
import type { Content, FileInfo, FileVersion, LayerName, Manifest } from "./workspace-files.ts";

/** One line of a listing: a directory has no `file`; its layer is the highest with a file below it. */
export type Listed = {
  readonly path: string;
  readonly layer: LayerName;
  readonly file: FileInfo | null;
};

/** Only what lies below these names of the root, or everything but that; default everything. */
export type Within = readonly string[] | { readonly not: readonly string[] };

export type TreeRequest = {
  /** Any spelling; default the root. */
  readonly directory?: string;
  /** Files of all levels instead of one level; default false. */
  readonly recursive?: boolean;
  /** Only what this layer itself holds. */
  readonly layer?: LayerName;
  readonly within?: Within;
  /** Entries after this path, for the next page. */
  readonly after?: string;
  /** 1 to 2,000; default 1,000. */
  readonly limit?: number;
};

/** `cut`: there are more entries after the last one. `total` counts all pages. */
export type TreeAnswer = {
  readonly entries: readonly Listed[];
  readonly total: number;
  readonly cut: boolean;
};

export type ReadRequest = {
  readonly path: string;
  /** That layer's own file, even where a higher layer hides it. */
  readonly layer?: LayerName;
  /** An earlier version, as `history` lists them. */
  readonly version?: number;
  /** Of a log, at most 4 MiB from this byte on. Any other file comes whole, from 0 only. Default: the whole file. */
  readonly from?: number;
};

/** `next`: asked with `from`, the first byte after `content`; `null` when there is no more. A part of a log is bytes. */
export type ReadAnswer = {
  readonly file: FileInfo;
  readonly content: Content;
  readonly next: number | null;
};

export type ReadManyRequest = {
  /** 1 to 2,000. */
  readonly paths: readonly string[];
  readonly layer?: LayerName;
};

/**
 * What a read with `from: 0` gives, for one path after the other: as many as fit into about 8 MiB, one at least; the
 * rest takes further calls. `null`: no file is there.
 */
export type ReadManyAnswer = { readonly files: readonly (ReadAnswer | null)[] };

/** Lines `offset` … `offset + limit`, by `splitLines`; at most about 100,000 bytes. Of a log, too, however long. */
export type PageRequest = {
  readonly path: string;
  readonly offset: number;
  readonly limit: number;
};

export type PageAnswer = {
  readonly file: FileInfo;
  /** `null`: not text, so it has no lines. */
  readonly lines: readonly string[] | null;
  /** Lines of the whole file. */
  readonly total: number;
  /** Whether the last line is given in part only, because no page could hold it. */
  readonly lineCut: boolean;
};

export type GlobRequest = {
  readonly pattern: string;
  /** A directory to search below; patterns stay relative to it. Default the root. */
  readonly path?: string;
  /** 1 to 2,000; default 500. */
  readonly limit?: number;
  readonly within?: Within;
};

export type GlobAnswer = {
  readonly files: readonly FileInfo[];
  readonly total: number;
  readonly cut: boolean;
};

export type GrepRequest = {
  /** Literal text, or with `regex` an expression of RE2's syntax, matched in linear time. */
  readonly pattern: string;
  readonly regex?: boolean;
  /** Default true. */
  readonly caseSensitive?: boolean;
  /** A file, or a directory to search below; default the root. */
  readonly path?: string;
  /** Only files that match. */
  readonly glob?: string;
  /** Lines shown before and after each hit, 0 to 10; default 0. */
  readonly context?: number;
  /** Hits, 1 to 1,000; default 200. */
  readonly limit?: number;
  /** Files after this path only, to go on from `next`. */
  readonly from?: string;
  readonly within?: Within;
};

/** `line` counts from 1. A long line is shown around the hit, with `…` where it was cut. */
export type GrepHit = {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
};

export type GrepAnswer = {
  /** Sorted by path, then by line. */
  readonly hits: readonly GrepHit[];
  /** Text files that were searched whole. */
  readonly searched: number;
  /** Why there may be more: too many hits, too much text for one call, or `null` when there is no more. */
  readonly cut: "hits" | "bytes" | null;
  /** With `bytes`: pass as `from` to search the rest. Never inside a file. */
  readonly next: string | null;
  /** Files left out because they are not text. */
  readonly skipped: number;
  /** Lines that are too long for an expression, which was looked for in their beginning only: 64 Ki UTF-16 units, for a large one less. */
  readonly longLines: number;
};

/** What kind of text a hit is from. */
export type SearchSource = "memory" | "ledger" | "archive" | "knowledge" | "session";

export type SearchRequest = {
  /** Words in any order, in any language; at most 1,000 characters count. */
  readonly query: string;
  /** Default: memory, ledgers (archived ones, too), knowledge and session logs. */
  readonly sources?: readonly SearchSource[];
  /** Only below this directory, or this file. */
  readonly path?: string;
  /** 1 to 100; default 10. */
  readonly limit?: number;
  readonly within?: Within;
};

/** An entry that was found: a bullet or paragraph of a file, or a message of a session's log. */
export type SearchHit = {
  readonly path: string;
  /** Its lines in the file, from 1, both included. */
  readonly line: number;
  readonly endLine: number;
  readonly source: SearchSource;
  /** What it says, around the words, at most 400 characters; without marks. */
  readonly snippet: string;
  /** From 0 to 1; comparable among the hits of one query, also from several buckets. */
  readonly score: number;
  /** When it was written (ms): of a ledger its day, of a message its own time; `null` when unknown. */
  readonly at: number | null;
  /** Of a message: who spoke, and in which session and turn. */
  readonly said?: { readonly role: string; readonly session: string; readonly turn: string };
};

/** `isComplete`: whether all text that should be searched was. `pending`: how many files were not yet. */
export type SearchAnswer = {
  readonly hits: readonly SearchHit[];
  readonly isComplete: boolean;
  readonly pending: number;
};

/** What a rescan found: paths taken in from outside, deletions taken in, and what was left as it was and why. */
export type RescanReport = {
  readonly taken: readonly string[];
  readonly removed: readonly string[];
  readonly refused: readonly { readonly key: string; readonly why: string }[];
};

export type Usage = {
  /** Files and their bytes, logs apart. */
  readonly files: number;
  /** Files and skills of lower layers that are hidden: they count as files where those are limited. */
  readonly whiteouts: number;
  readonly bytes: number;
  readonly logs: number;
  readonly logBytes: number;
  /** Files whose newest version the store has not confirmed yet. */
  readonly unsettled: number;
};

type Answer<Result> = Promise<({ readonly ok: true } & Result) | Failure>;

/**
 * What the object of a bucket answers to, over RPC. `bucket` is the key that the caller derived; every method first
 * checks that it is the object's own. Paths come in any spelling and are parsed here, once. All reads see every
 * accepted change. Expected failures are data.
 */
export interface WorkspaceApi {
  /** The files of the prompt; `unchanged` when the caller has them. */
  snapshot(
    bucket: string,
    request: SnapshotRequest,
  ): Answer<{ readonly snapshot: Snapshot | "unchanged" }>;
  tree(bucket: string, request: TreeRequest): Answer<TreeAnswer>;
  read(bucket: string, request: ReadRequest): Answer<ReadAnswer>;
  readMany(bucket: string, request: ReadManyRequest): Answer<ReadManyAnswer>;
  page(bucket: string, request: PageRequest): Answer<PageAnswer>;
  glob(bucket: string, request: GlobRequest): Answer<GlobAnswer>;
  grep(bucket: string, request: GrepRequest): Answer<GrepAnswer>;
  /** Committed when it answers. All changes or none. */
  change(bucket: string, request: ChangeRequest): Answer<{ readonly changed: readonly Changed[] }>;
  /** Ranked full-text search, the best first. Sees every accepted change. */
  search(bucket: string, request: SearchRequest): Answer<SearchAnswer>;
  /** Versions of one path, newest first, the present one included. */
  history(bucket: string, path: string): Answer<{ readonly versions: readonly FileVersion[] }>;
  /** The bucket's own files and whiteouts, for the layer above; `unchanged` when `known` is their version. */
  manifest(
    bucket: string,
    known: number | null,
  ): Answer<{ readonly manifest: Manifest | "unchanged" }>;
  /** Takes in what was changed in the store by other hands. */
  rescan(bucket: string): Answer<{ readonly report: RescanReport }>;
  usage(bucket: string): Answer<{ readonly usage: Usage }>;
  /** Adds a page to an import that is not visible yet; one that is not committed within a day is dropped. */
  stageImport(bucket: string, id: string, page: ImportPage): Answer<object>;
  /** Whether `commitImport` would go through now. Writes nothing. */
  checkImport(bucket: string, id: string, by: string): Answer<{ readonly files: number }>;
  /** Applies all pages in one transaction, or nothing. Safe to repeat. */
  commitImport(bucket: string, id: string, by: string): Answer<{ readonly files: number }>;
  /** Lets go of an import that was given up. Safe to repeat. */
  dropImport(bucket: string, id: string): Answer<object>;
  /**
   * Deletes the bucket for ever: every other method answers `gone` from now on. `isEmpty`: whether the store holds
   * nothing of it any more; if not, a job goes on. Safe to repeat.
   */
  erase(bucket: string): Answer<{ readonly isEmpty: boolean }>;
}
