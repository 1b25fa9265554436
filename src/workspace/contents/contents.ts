import type { BucketKey } from "../../shared/bucket-key.ts";
import { CarrelError, tooLargeToRead } from "../../shared/errors.ts";
import { errorFacts, type Log } from "../../shared/log.ts";
import { sha256Hex } from "../../shared/sha256.ts";
import { splitLines } from "../../shared/text.ts";
import type { Content } from "../../shared/workspace-files.ts";
import type { BlobStore } from "../store/blob-store.ts";
import { decodeText, fetchChecked, fetchStored, putBlob } from "./blobs.ts";
import { sameBeginning, type LogPiece } from "../import/log-beginning.ts";
import { logPart } from "./log-part.ts";
import { OpenLines } from "./open-lines.ts";
import type { FileRow, Rows, SegmentRow, VersionRow } from "../rows.ts";
import { readSegment, segmentLines, segmentsOf, type Lines } from "./segments.ts";
import { storageKey } from "../store/storage-key.ts";

/** The contents of a bucket's own files, wherever they lie. What cannot be read throws: it is never empty (promise W12). */
export type Contents = {
  /** At once when the text is here; a promise for blobs, sealed logs and what only the store has so far. */
  readonly read: (row: FileRow) => Content | Promise<Content>;
  /** The text when it is here whole; `null` when it must be fetched, or is no text. Throws when it is missing. */
  readonly textHere: (row: FileRow) => string | null;
  readonly readVersion: (row: VersionRow) => Content | Promise<Content>;
  /** At most 4 MiB of a log from byte `from` on, however long it is. */
  readonly logPart: (row: FileRow, from: number) => Content | Promise<Content>;
  /** Lines `offset` to `offset + limit`; of a log without reading the segments before them. */
  readonly lines: (row: FileRow, offset: number, limit: number) => Promise<Lines>;
  /** How many bytes a log begins with that are also those of these pieces: see `sameBeginning`. */
  readonly sameBeginning: (row: FileRow, pieces: readonly LogPiece[]) => Promise<number>;
  /** Puts bytes under their digest, confirmed by the store when this resolves; a second time costs nothing. */
  readonly putBlob: (bytes: Uint8Array) => Promise<string>;
};

/** Where a bucket's contents are: `store` may repeat calls that fail (`retrying-store.ts`). */
export type ContentPlaces = {
  readonly rows: Rows;
  readonly store: BlobStore;
  readonly bucket: BucketKey;
  readonly log: Log;
};

/** What one answer can carry; longer logs come in parts or pages. */
const LOG_BYTES = 25 * 1024 * 1024;

/**
 * Reads what the rows refer to. What is missing or has other bytes than were written throws a plain `Error` and is
 * logged; a store that fails throws `CarrelError('overloaded')`; a log of more than 25 MiB, read whole, `too_large`.
 */
export function createContents(places: ContentPlaces): Contents {
  const { rows, store, bucket, log } = places;
  const openLines = new OpenLines(rows.sql);
  /** A row that a caller has kept may not know yet where the text is now. */
  const newest = (row: FileRow): FileRow => {
    const now = rows.files.get(row.path);
    return now?.version === row.version ? now : row;
  };
  const read = (row: FileRow) => readFile(places, newest(row));

  return {
    read: told(log, read),
    textHere(given) {
      const row = newest(given);
      if (row.type === "log" && segmentsOf(rows.sql, row.path).length > 0) return null;
      return row.type === "text" || row.type === "log" ? textHere(rows, row) : null;
    },
    readVersion: told(log, (row: VersionRow) => readVersion(places, row)),
    logPart: (row, from) => told(log, (it: FileRow) => readPart(places, newest(it), from))(row),
    async lines(row, offset, limit) {
      if (row.type === "log") {
        const now = newest(row);
        const sealed = segmentsOf(rows.sql, now.path);
        const before = sealed.reduce((sum, segment) => sum + segment.lines, 0);
        const open = (from: number, to: number) => openLines.read(now, before, from, to);
        return segmentLines(sealed, open, [offset, limit], (it) => readSegment(store, bucket, it));
      }
      const content = await read(row);
      if (!("text" in content)) throw new Error(`"${row.path}" is not a text`);
      const lines = splitLines(content.text);
      return { lines: lines.slice(offset, offset + limit), total: lines.length };
    },
    sameBeginning: (row, pieces) =>
      sameBeginning(row, segmentsOf(rows.sql, row.path), pieces, async (from) => {
        const part = await readPart(places, newest(row), from);
        return "bytes" in part ? part.bytes : new TextEncoder().encode(part.text);
      }),
    putBlob: (bytes) => putBlob(rows, store, bucket, bytes),
  };
}

type Answer = Content | Promise<Content>;

function readFile(places: ContentPlaces, row: FileRow): Answer {
  if (row.type === "gone") throw new Error(`"${row.path}" is gone`);
  if (row.type === "log") return readLog(places, row);
  if (row.type === "blob") return fetchBlob(places, row);
  const text = textHere(places.rows, row);
  return text === null ? fetchFile(places, row) : { text };
}

function readVersion(places: ContentPlaces, row: VersionRow): Answer {
  if (row.type === "gone") throw new Error(`"${row.path}" was gone in version ${row.version}`);
  if (row.type === "blob") return fetchBlob(places, row);
  const text = textHere(places.rows, row);
  if (text !== null) return { text };
  return fetchText(places, row, "versions").then((found) => ({ text: found.text }));
}

function readLog({ rows, store, bucket }: ContentPlaces, row: FileRow): Answer {
  if (row.size > LOG_BYTES) throw tooLargeToRead("This log", "25 MiB", "Read it in pages.");
  const open = openText(rows, row);
  const sealed = segmentsOf(rows.sql, row.path);
  if (sealed.length === 0) return { text: open };
  const parts = sealed.map((segment) => () => readSegment(store, bucket, segment));
  return joined(parts, open);
}

async function readPart(
  { rows, store, bucket }: ContentPlaces,
  row: FileRow,
  from: number,
): Promise<Content> {
  const read = (segment: SegmentRow) => readSegment(store, bucket, segment);
  return { bytes: await logPart(rows.sql, row, from, read) };
}

function textHere(rows: Rows, { path, body }: FileRow | VersionRow): string | null {
  const text = body === null ? null : rows.text(body);
  if (body !== null && text === null) throw new Error(`the text of "${path}" is missing`);
  return text;
}

function openText(rows: Rows, row: FileRow): string {
  const open = textHere(rows, row);
  if (open === null) throw new Error(`the end of "${row.path}" is missing`);
  return open;
}

async function fetchBlob(places: ContentPlaces, row: FileRow | VersionRow): Promise<Content> {
  const { store, bucket } = places;
  const { sha256, path } = row;
  if (sha256 === null) throw new Error(`the digest of "${path}" is missing`);
  const key = storageKey(bucket, { kind: "blobs", sha256 });
  try {
    return { bytes: (await fetchChecked(store, key, sha256)).bytes };
  } catch (error) {
    const found = error instanceof CarrelError ? null : await fetchCopy(places, row);
    if (!found) throw error;
    return found;
  }
}

/** A blob as it was settled under its readable key, and put where it belongs; `null` when it is not there, either. */
async function fetchCopy(
  { rows, store, bucket, log }: ContentPlaces,
  { path, sha256 }: FileRow | VersionRow,
): Promise<Content | null> {
  const found = await fetchStored(store, storageKey(bucket, { kind: "files", path }));
  if (!found || (await sha256Hex(found.bytes)) !== sha256) return null;
  try {
    await putBlob(rows, store, bucket, found.bytes);
    log("info", "workspace.blob_restored", { path });
  } catch (error) {
    log("warn", "workspace.blob_not_restored", { path, ...errorFacts(error) });
  }
  return { bytes: found.bytes };
}

async function fetchText(
  { store, bucket }: ContentPlaces,
  { path, version, sha256 }: FileRow | VersionRow,
  kind: "files" | "versions",
): Promise<{ readonly text: string; readonly tag: string }> {
  const stored = kind === "files" ? { kind, path } : { kind, path, number: version };
  const { bytes, tag } = await fetchChecked(store, storageKey(bucket, stored), sha256);
  const text = decodeText(bytes);
  if (text === null) throw new Error(`the text of "${path}" is no UTF-8`);
  return { text, tag };
}

async function fetchFile(places: ContentPlaces, row: FileRow): Promise<Content> {
  const { text, tag } = await fetchText(places, row, "files");
  keep(places.rows, row, text, tag);
  return { text };
}

/** Damage is somebody's to know, also when nobody asks why a read failed. */
function told<Row extends FileRow | VersionRow>(
  log: Log,
  read: (row: Row) => Answer,
): (row: Row) => Answer {
  const tell = ({ path, version }: Row, error: unknown): never => {
    if (!(error instanceof CarrelError))
      log("error", "workspace.damaged", { path, version, ...errorFacts(error) });
    throw error;
  };
  return (row) => {
    try {
      const answer = read(row);
      if (!(answer instanceof Promise)) return answer;
      return answer.catch((error: unknown) => tell(row, error));
    } catch (error) {
      return tell(row, error);
    }
  };
}

async function joined(parts: readonly (() => Promise<string>)[], end: string): Promise<Content> {
  const texts: string[] = [];
  for (const part of parts) texts.push(await part());
  return { text: texts.join("") + end };
}

/** Keeps a text that only the store had, unless the file changed or was fetched meanwhile. */
function keep(rows: Rows, { path, version }: FileRow, text: string, tag: string): void {
  const isStill = (row: FileRow | undefined): row is FileRow =>
    row?.version === version && row.type === "text" && row.body === null;
  if (!isStill(rows.files.get(path))) return;
  rows.commit("fetch", (tx) => {
    const row = rows.files.get(path);
    if (isStill(row)) tx.putFile({ ...row, body: tx.newBody(text), tag });
  });
}
