import type { Content } from "../shared/workspace-api.ts";
import type { FileRow, VersionRow } from "./rows.ts";

/** One page of a log's or a text's lines, with how many there are. */
export type Lines = { readonly lines: readonly string[]; readonly total: number };

/** The contents of a bucket's own files, wherever they lie. What cannot be read throws: it is never empty (promise W12). */
export type Contents = {
  /** At once when the text is here; a promise for blobs, sealed logs and what only the store has so far. */
  readonly read: (row: FileRow) => Content | Promise<Content>;
  /** The text when it is here whole; `null` when it must be fetched, or is no text. Throws when it is missing. */
  readonly textHere: (row: FileRow) => string | null;
  readonly readVersion: (row: VersionRow) => Content | Promise<Content>;
  /** Lines `offset` to `offset + limit`; of a log without reading the segments before them. */
  readonly lines: (row: FileRow, offset: number, limit: number) => Promise<Lines>;
  /** Puts bytes under their digest, confirmed by the store when this resolves; a second time costs nothing. */
  readonly putBlob: (bytes: Uint8Array) => Promise<string>;
};
