import { CarrelError } from "../../shared/errors.ts";
import { sha256Hex } from "../../shared/sha256.ts";
import type { FileRow, SegmentRow } from "../rows.ts";

/** A part of a log that is not stored yet. */
export type LogPiece = { readonly load: () => string };

/**
 * How many bytes a log and these pieces have in common, from the first one on: exact unless both go on differently,
 * then perhaps less. Sealed parts are known by their digests, so that at most one of them is fetched. `read` gives some
 * of the log from a byte on. Throws `CarrelError('conflict')` when the log changed meanwhile.
 */
export async function sameBeginning(
  row: FileRow,
  sealed: readonly SegmentRow[],
  pieces: readonly LogPiece[],
  read: (from: number) => Promise<Uint8Array>,
): Promise<number> {
  const given = new Reader(pieces);
  let at = 0;
  for (const { size, sha256 } of sealed) {
    const bytes = given.take(size);
    if (bytes.length < size) return at + (await sameBytes(bytes, at, read, row));
    if ((await sha256Hex(bytes)) !== sha256) return at;
    at += size;
  }
  while (at < row.size) {
    const bytes = given.take(Math.min(PIECE, row.size - at));
    const same = await sameBytes(bytes, at, read, row);
    at += same;
    if (bytes.length === 0 || same < bytes.length) return at;
  }
  return at;
}

const PIECE = 1024 * 1024;

async function sameBytes(
  bytes: Uint8Array,
  from: number,
  read: (from: number) => Promise<Uint8Array>,
  { path }: FileRow,
): Promise<number> {
  let at = 0;
  while (at < bytes.length) {
    const there = await read(from + at);
    // A log of the same name that was begun anew is shorter.
    if (there.length === 0)
      throw new CarrelError("conflict", `"${path}" was changed while it was read. Try again.`);
    const end = Math.min(bytes.length, at + there.length);
    for (let begin = at; at < end; at += 1) if (bytes[at] !== there[at - begin]) return at;
  }
  return at;
}

/** The bytes of the pieces, one after the other. */
class Reader {
  readonly #pieces: Iterator<LogPiece>;
  #rest: Uint8Array = new Uint8Array();

  constructor(pieces: readonly LogPiece[]) {
    this.#pieces = pieces.values();
  }

  /** The next `size` bytes, or as many as there are. */
  take(size: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size;) {
      if (this.#rest.length === 0 && !this.#next()) return bytes.subarray(0, at);
      const part = this.#rest.subarray(0, size - at);
      bytes.set(part, at);
      at += part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return bytes;
  }

  #next(): boolean {
    for (let { value, done } = this.#pieces.next(); !done; { value, done } = this.#pieces.next()) {
      this.#rest = new TextEncoder().encode(value.load());
      if (this.#rest.length > 0) return true;
    }
    return false;
  }
}
