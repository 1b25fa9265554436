import type { Sql } from "../../shared/sql.ts";
import type { FileRow, SegmentRow } from "../rows.ts";
import { segmentsOf } from "./segments.ts";

/** The most bytes of a log in one answer. */
export const PART_BYTES = 4 * 1024 * 1024;

type Range = { readonly from: number; readonly to: number };

/**
 * At most 4 MiB of a log from byte `from` on, as the log is at the call. Only the sealed parts that hold some of it
 * are read, one by one. Throws a plain `Error` when some of it is missing.
 */
export async function logPart(
  sql: Sql,
  row: FileRow,
  from: number,
  read: (segment: SegmentRow) => Promise<string>,
): Promise<Uint8Array> {
  const wanted = { from, to: Math.min(row.size, from + PART_BYTES) };
  const bytes = new Uint8Array(Math.max(0, wanted.to - from));
  const sealed = segmentsOf(sql, row.path);
  const begin = sealed.reduce((size, segment) => size + segment.size, 0);
  // At once: while the sealed parts are fetched, more of the open text may be sealed.
  const open = openBytes(sql, row, begin, { from: wanted.from - begin, to: wanted.to - begin });
  let at = 0;
  for (const segment of sealed) {
    const range = { from: wanted.from - at, to: wanted.to - at };
    if (range.from < segment.size && range.to > 0) {
      const part = slice(new TextEncoder().encode(await read(segment)), range);
      bytes.set(part, Math.max(0, -range.from));
    }
    at += segment.size;
  }
  bytes.set(open, bytes.length - open.length);
  return bytes;
}

/** What of the open text lies in the range. Of its rows only those that hold some are read whole. */
function openBytes(sql: Sql, row: FileRow, begin: number, range: Range): Uint8Array {
  const { path, body } = row;
  const sizes = sql.all<{ no: number; size: number }>(
    "SELECT no, octet_length(text) AS size FROM part WHERE body = ? ORDER BY no",
    body,
  );
  const end = sizes.reduce((sum, { size }) => sum + size, 0);
  if (sizes.length === 0 || begin + end < row.size)
    throw new Error(`the end of "${path}" is missing`);
  const bytes = new Uint8Array(Math.max(0, range.to - Math.max(0, range.from)));
  let at = 0;
  for (const { no, size } of sizes) {
    const inPart = { from: range.from - at, to: range.to - at };
    if (inPart.from < size && inPart.to > 0) {
      const [part] = sql.all<{ text: string }>(
        "SELECT text FROM part WHERE body = ? AND no = ?",
        body,
        no,
      );
      const found = slice(new TextEncoder().encode(part?.text ?? ""), inPart);
      bytes.set(found, Math.max(0, at - Math.max(0, range.from)));
    }
    at += size;
  }
  return bytes;
}

const slice = (bytes: Uint8Array, { from, to }: Range): Uint8Array =>
  bytes.subarray(Math.max(0, from), Math.max(0, to));
