import type { Sql } from "../../shared/sql.ts";
import { cutAt, splitLines } from "../../shared/text.ts";
import { decodeText, fetchChecked } from "./blobs.ts";
import type { BlobStore } from "../store/blob-store.ts";
import type { BucketKey } from "../../shared/bucket-key.ts";
import type { WorkspacePath } from "../layers/path.ts";
import type { RowsTx, SegmentRow } from "../rows.ts";
import { storageKey } from "../store/storage-key.ts";

/** From this length on (UTF-16 units) the open part of a log is sealed at the end of a line. */
export const SEAL_LENGTH = 256 * 1024;
/** A sealed part is not longer than this, unless one line is. */
const SEGMENT_LENGTH = 1024 * 1024;
/** A longer line is sealed at this length, and shows in pages as two. */
const LINE_LENGTH = 4 * 1024 * 1024;

/** Some lines of a log or a text, and how many it has. */
export type Lines = { readonly lines: readonly string[]; readonly total: number };

/** The sealed parts of a log, in order. */
export const segmentsOf = (sql: Sql, path: WorkspacePath): SegmentRow[] =>
  sql.all<SegmentRow>(
    "SELECT path, number, size, lines, sha256 FROM segment WHERE path = ? ORDER BY number",
    path,
  );

/** The number of a log's open part. */
export function openNumber(sql: Sql, path: WorkspacePath): number {
  const [row] = sql.all<{ last: number | null }>(
    "SELECT max(number) AS last FROM segment WHERE path = ?",
    path,
  );
  return (row?.last ?? -1) + 1;
}

/** The open text of a log, or of a longer one a beginning of at least `least` units; `null` when it is missing. */
export function openText(sql: Sql, body: number, least: number): string | null {
  const texts: string[] = [];
  let length = 0;
  const parts = "SELECT text FROM part WHERE body = ? ORDER BY no";
  for (const { text } of sql.each<{ text: string }>(parts, body)) {
    texts.push(text);
    length += text.length;
    if (length >= least) break;
  }
  return texts.length === 0 ? null : texts.join("");
}

/** What is to become the next part of a log, found without reading more of it than needed; `null`: it is missing. */
export function nextOf(sql: Sql, body: number): ReturnType<typeof nextSegment> | null {
  for (const least of [SEGMENT_LENGTH, LINE_LENGTH + 1]) {
    const text = openText(sql, body, least);
    if (text === null) return null;
    const next = nextSegment(text);
    if (next.isSealed || text.length < least) return next;
  }
  throw new Error("a text this long is always sealed");
}

/** The text that the log's next part has: all of it while it stays open, or what is to be sealed. */
export function nextSegment(text: string): { readonly text: string; readonly isSealed: boolean } {
  let end = text.lastIndexOf("\n", SEGMENT_LENGTH - 1) + 1;
  if (end < SEAL_LENGTH) end = text.indexOf("\n", SEAL_LENGTH) + 1;
  if (end > LINE_LENGTH || (end === 0 && text.length > LINE_LENGTH))
    end = cutAt(text, LINE_LENGTH).length;
  return end === 0 ? { text, isSealed: false } : { text: text.slice(0, end), isSealed: true };
}

/** Takes the first `length` units off a body; what was added meanwhile stays, and the body never vanishes. */
export function trimBody(tx: RowsTx, body: number, length: number): void {
  type Part = { readonly no: number; readonly text: string };
  let left = length;
  let last = -1;
  let cut: Part | null = null;
  const parts = "SELECT no, text FROM part WHERE body = ? ORDER BY no";
  for (const part of tx.sql.each<Part>(parts, body)) {
    if (part.text.length > left) {
      cut = part;
      break;
    }
    left -= part.text.length;
    last = part.no;
  }
  if (cut && left > 0) {
    const update = "UPDATE part SET text = ? WHERE body = ? AND no = ?";
    tx.sql.run(update, cut.text.slice(left), body, cut.no);
  }
  if (!cut && last >= 0) tx.appendPart(body, "");
  if (last >= 0) tx.dropBody(body, last);
}

/** A sealed part's text. One that is missing or damaged throws. */
export async function readSegment(
  store: Pick<BlobStore, "get">,
  bucket: BucketKey,
  { path, number, sha256 }: SegmentRow,
): Promise<string> {
  const key = storageKey(bucket, { kind: "segments", path, number });
  const text = decodeText((await fetchChecked(store, key, sha256)).bytes);
  if (text === null) throw new Error(`a part of a log is not a text: ${key}`);
  return text;
}

/**
 * Lines of a log; of its sealed parts only those are read, one by one, that hold some of them. Its open text is asked for
 * its lines `from` to `to` at once, since more of it may be sealed meanwhile.
 */
export async function segmentLines(
  sealed: readonly SegmentRow[],
  open: (from: number, to: number) => Lines,
  [offset, limit]: readonly [number, number],
  read: (segment: SegmentRow) => Promise<string>,
): Promise<Lines> {
  const end = offset + limit;
  const before = sealed.reduce((sum, segment) => sum + segment.lines, 0);
  const rest = open(Math.max(0, offset - before), Math.max(0, end - before));
  const lines: string[] = [];
  let first = 0;
  for (const segment of sealed) {
    const isShown = Math.max(first, offset) < Math.min(first + segment.lines, end);
    if (isShown) {
      const found = splitLines(await read(segment));
      lines.push(...found.slice(Math.max(0, offset - first), Math.max(0, end - first)));
    }
    first += segment.lines;
  }
  return { lines: [...lines, ...rest.lines], total: before + rest.total };
}
