import type { Failure } from "./session-api.ts";

/** Where a file comes from: the bucket itself, the agent's shared bucket, the bundled template. */
export type LayerName = "own" | "shared" | "template";

/** `text`: UTF-8 of at most 1 MiB; `blob`: any other bytes; `log`: text that only grows, in segments. */
export type FileType = "text" | "blob" | "log";

/** A file as callers see it. `path` is canonical: any spelling that shows it can be sent back. */
export type FileInfo = {
  readonly path: string;
  readonly layer: LayerName;
  readonly type: FileType;
  /** In bytes. */
  readonly size: number;
  readonly executable: boolean;
  /** Names what is stored now, for compare-and-set. Different layers never share one. */
  readonly etag: string;
  /** Milliseconds since the epoch; `null` for a file of the template. */
  readonly at: number | null;
  /** Who wrote it: `user:ann`, `agent:main/s1`, `job:…`, `outside`; `null` for a file of the template. */
  readonly by: string | null;
};

export type Content = { readonly text: string } | { readonly bytes: Uint8Array };

/** One line of a listing: a directory has no `file`; its layer is the highest with a file below it. */
export type Listed = {
  readonly path: string;
  readonly layer: LayerName;
  readonly file: FileInfo | null;
};

/** Only what lies below these names of the root; default everything. */
export type Within = readonly string[];

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
};

export type ReadAnswer = { readonly file: FileInfo; readonly content: Content };

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
};

/** Compare-and-set: the etag that the visible file must have, or `absent`. */
export type Expected = string;

export type TextEdit = {
  readonly oldText: string;
  readonly newText: string;
  /** Default false: the match must be unique. */
  readonly replaceAll?: boolean;
};

/** One change; `expect` is checked against what shows at `path` before any change of the same request. */
export type Change =
  | {
      readonly kind: "write";
      readonly path: string;
      readonly content: Content;
      readonly expect?: Expected;
      /** Default: as it was, or false. */
      readonly executable?: boolean;
    }
  /** Adds text at the end; a file that does not exist begins. Costs the same however long the file is. */
  | { readonly kind: "append"; readonly path: string; readonly text: string }
  /** A JSON merge patch (RFC 7396) on a JSON object; a file that does not exist begins as `{}`. */
  | { readonly kind: "merge"; readonly path: string; readonly patch: unknown }
  | {
      readonly kind: "edit";
      readonly path: string;
      readonly edits: readonly TextEdit[];
      readonly expect?: Expected;
    }
  /** A file or a directory; the target must not exist unless `overwrite`. */
  | {
      readonly kind: "move";
      readonly path: string;
      readonly to: string;
      readonly overwrite?: boolean;
      readonly expect?: Expected;
    }
  /** A file or a directory with all below it; where lower layers have it, they are hidden. */
  | { readonly kind: "delete"; readonly path: string; readonly expect?: Expected }
  /** Own overrides and whiteouts at and below `path` go; lower layers show again. */
  | { readonly kind: "reset"; readonly path: string }
  /** What version `version` held (default: the one before the present one) becomes the newest version. */
  | { readonly kind: "undo"; readonly path: string; readonly version?: number };

export type ChangeRequest = {
  /** Who does it, as `FileInfo.by` shows it. From the principal or the job, never from a body. */
  readonly by: string;
  /** All changes or none, in order. */
  readonly changes: readonly Change[];
  /** A request with an id that was done before is not done again: it gets the first answer. */
  readonly op?: string;
};

/** What came of one change. `file`: what shows at its path (`to` for a move) now. */
export type Changed = {
  readonly file: FileInfo | null;
  /** Occurrences replaced, for an edit, one number an edit. */
  readonly replaced?: readonly number[];
  /** Line of the first replacement in the new text, from 1; for an edit. */
  readonly line?: number;
  /** Files that the change touched: of a directory, or of a skill that was copied up. */
  readonly touched: number;
};

export type FileVersion = {
  readonly version: number;
  readonly etag: string;
  /** `deleted`: the file was gone then. */
  readonly type: FileType | "deleted";
  readonly size: number;
  readonly at: number;
  readonly by: string;
};

export type SnapshotRequest = {
  /** The version of the snapshot that the caller has. */
  readonly known: string | null;
  /** Files whose text is wanted. */
  readonly files: readonly string[];
  /** Directories whose files, of all levels, are wanted as paths; at most `limit` of each. */
  readonly lists: readonly { readonly directory: string; readonly limit: number }[];
};

export type SnapshotFile = {
  readonly path: string;
  readonly layer: LayerName;
  readonly size: number;
  /** `null` when the file is not text. */
  readonly text: string | null;
};

/** What the prompt needs, as of one moment. `version` is the same exactly while nothing asked for has changed. */
export type Snapshot = {
  readonly version: string;
  /** Those that exist, in the order asked for. */
  readonly files: readonly SnapshotFile[];
  /** In the order asked for. */
  readonly lists: readonly {
    readonly directory: string;
    readonly paths: readonly string[];
    readonly total: number;
  }[];
};

export type ManifestFile = Omit<FileInfo, "layer"> & { readonly version: number };

/** What a shared layer holds, for the buckets over it. */
export type Manifest = {
  readonly version: number;
  readonly files: readonly ManifestFile[];
  readonly whiteouts: readonly string[];
};

/** What a rescan found: paths taken in from outside, deletions taken in, and what was left as it was and why. */
export type RescanReport = {
  readonly taken: readonly string[];
  readonly removed: readonly string[];
  readonly refused: readonly { readonly key: string; readonly why: string }[];
};

export type Usage = {
  readonly files: number;
  readonly bytes: number;
  readonly logBytes: number;
  /** Files whose newest version the store has not confirmed yet. */
  readonly unsettled: number;
};

/** One page of an import: nothing is visible before `commitImport`. `no` counts from 0; the same page again replaces it. */
export type ImportPage = {
  readonly no: number;
  readonly changes: readonly Change[];
  readonly whiteouts?: readonly string[];
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
  page(bucket: string, request: PageRequest): Answer<PageAnswer>;
  glob(bucket: string, request: GlobRequest): Answer<GlobAnswer>;
  grep(bucket: string, request: GrepRequest): Answer<GrepAnswer>;
  /** Committed when it answers. All changes or none. */
  change(bucket: string, request: ChangeRequest): Answer<{ readonly changed: readonly Changed[] }>;
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
  /** Applies all pages in one transaction, or nothing. Safe to repeat. */
  commitImport(bucket: string, id: string, by: string): Answer<{ readonly files: number }>;
}
