import type { Content, FileInfo } from "./workspace-files.ts";

/** Compare-and-set: the etag that the visible file must have, or `absent`. */
export type Expected = string;

/**
 * The files that must show below a directory, by their paths below it, with their etags, and no others: what was looked at is
 * what is moved or deleted. Checked as `expect` is.
 */
export type Holding = Readonly<Record<string, string>>;

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
  /**
   * Adds text at the end; a file that does not exist begins. Costs the same however long the file is. One with an `op`
   * that was done before, in whatever request, is skipped and touches nothing; an import does not look at it. No text with
   * an `expect` changes nothing: it binds the request to what is there.
   */
  | {
      readonly kind: "append";
      readonly path: string;
      readonly text: string;
      readonly op?: string;
      readonly expect?: Expected;
    }
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
      readonly holds?: Holding;
    }
  /** A file or a directory with all below it; where lower layers have it, they are hidden. */
  | {
      readonly kind: "delete";
      readonly path: string;
      readonly expect?: Expected;
      readonly holds?: Holding;
    }
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
  /**
   * Files whose earlier versions are dropped for good in the same commit, whatever they hold: paths, or directories that
   * end in a slash. What is there after the changes stays. Nobody can have it back.
   */
  readonly purge?: readonly string[];
  /**
   * Our own records of something that makes room: these may go past the limits of the bucket by 64 files and 4 MiB, so that a
   * full bucket can be tidied. Default false.
   */
  readonly isTidying?: boolean;
};

/** What came of one change. `file`: what shows at its path (`to` for a move) now. */
export type Changed = {
  readonly file: FileInfo | null;
  /** Whether no file showed there before this change. */
  readonly created: boolean;
  /** Occurrences replaced, for an edit, one number an edit. */
  readonly replaced?: readonly number[];
  /** Line of the first replacement in the new text, from 1; for an edit. */
  readonly line?: number;
  /** Files that the change touched: of a directory, or of a skill that was copied up. */
  readonly touched: number;
};

/** One page of an import: nothing is visible before `commitImport`. `no` counts from 0; the same page again replaces it. */
export type ImportPage = {
  readonly no: number;
  readonly changes: readonly Change[];
  readonly whiteouts?: readonly string[];
};
