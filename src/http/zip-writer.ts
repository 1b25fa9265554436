import { Deflate, deflateSync } from "fflate";
import { createCrc32, record, unixMode, zip } from "../shared/zip/format.ts";

/** What an archive says about a file. */
export type ZipHead = {
  readonly path: string;
  readonly executable: boolean;
  /** Milliseconds since the epoch; `null`: unknown, written as 1980-01-01. */
  readonly at: number | null;
};

/** A file as it goes into an archive. */
export type ZipFile = ZipHead & {
  readonly bytes: Uint8Array;
  /** Whether it is worth a try; what does not get smaller is stored as it is. */
  readonly compress: boolean;
};

/** A third faster than the usual 6, for a few hundredths of the size. */
const LEVEL = 3;

const VERSION = 20;
const MADE_BY_UNIX = (3 << 8) | VERSION;

/**
 * Writes a zip archive file by file: the caller sends on what it is given and keeps nothing; only the directory, some
 * hundred bytes a file, stays here until the end. The same files give the same bytes. Throws `RangeError` past what
 * fits without zip64: 65,534 files or 4 GiB.
 */
export class ZipWriter {
  readonly #crc32 = createCrc32();
  readonly #directory: Uint8Array[] = [];
  #files = 0;
  #offset = 0;

  /** The file's bytes in the archive. */
  add(file: ZipFile): readonly Uint8Array[] {
    const packed = file.compress ? deflateSync(file.bytes, { level: LEVEL }) : file.bytes;
    const isSmaller = packed.length < file.bytes.length;
    const data = isSmaller ? packed : file.bytes;
    const facts = {
      flags: zip.utf8,
      method: isSmaller ? zip.deflated : zip.stored,
      crc: this.#crc32(file.bytes),
      packed: data.length,
      size: file.bytes.length,
    };
    const start = this.#offset;
    const chunks = this.#written([...localHeader(file, facts), data]);
    this.#list(file, facts, start);
    return chunks;
  }

  /** A file that comes in pieces, and goes out as they come: its sizes and checksum are behind its bytes. */
  async *addLong(
    head: ZipHead,
    pieces: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const [start, flags, method] = [this.#offset, zip.utf8 | zip.sizesBehind, zip.deflated];
    yield* this.#written(localHeader(head, { flags, method, crc: 0, packed: 0, size: 0 }));
    const begin = this.#offset;
    const ready: Uint8Array[] = [];
    const deflate = new Deflate({ level: LEVEL }, (piece) => ready.push(piece));
    let [crc, size] = [0, 0];
    for await (const piece of pieces) {
      crc = this.#crc32(piece, crc);
      size += piece.length;
      deflate.push(piece);
      yield* this.#written(ready.splice(0));
    }
    deflate.push(new Uint8Array(), true);
    yield* this.#written(ready.splice(0));
    const packed = this.#offset - begin;
    const { signature } = zip.descriptor;
    yield* this.#written([record([4, signature], [4, crc], [4, packed], [4, size])]);
    this.#list(head, { flags, method, crc, packed, size }, start);
  }

  /** The directory, which ends the archive; `comment` has at most 65,535 bytes. */
  end(comment: Uint8Array): readonly Uint8Array[] {
    const start = this.#offset;
    this.#written(this.#directory);
    const end = record(
      [4, zip.end.signature],
      [2, 0],
      [2, 0],
      [2, this.#files],
      [2, this.#files],
      [4, this.#offset - start],
      [4, start],
      [2, comment.length],
    );
    return [...this.#directory, end, comment];
  }

  #list(head: ZipHead, facts: ZipFacts, offset: number): void {
    const { fields, name } = commonOf(head, facts);
    const mode = head.executable ? unixMode.program : unixMode.plain;
    const central = record(
      [4, zip.centralHeader.signature],
      [2, MADE_BY_UNIX],
      ...fields,
      [2, 0],
      [2, 0],
      [2, 0],
      [4, (mode << 16) >>> 0],
      [4, offset],
    );
    this.#directory.push(central, name);
    this.#files += 1;
  }

  #written(chunks: readonly Uint8Array[]): readonly Uint8Array[] {
    this.#offset += chunks.reduce((size, chunk) => size + chunk.length, 0);
    if (this.#offset >= zip.max32 || this.#files >= zip.max16)
      throw new RangeError("an archive without zip64 holds at most 65,534 files and 4 GiB");
    return chunks;
  }
}

type ZipFacts = {
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
};

/** What both headers of a file say. */
function commonOf({ path, at }: ZipHead, { flags, method, crc, packed, size }: ZipFacts) {
  const name = new TextEncoder().encode(path);
  const [time, date] = dosTime(at);
  const fields = [
    [2, VERSION],
    [2, flags],
    [2, method],
    [2, time],
    [2, date],
    [4, crc],
    [4, packed],
    [4, size],
    [2, name.length],
    [2, 0],
  ] as const;
  return { name, fields };
}

function localHeader(head: ZipHead, facts: ZipFacts): readonly Uint8Array[] {
  const { fields, name } = commonOf(head, facts);
  return [record([4, zip.localHeader.signature], ...fields), name];
}

/** MS-DOS time and date, in UTC, of two seconds' precision, from 1980 to 2107. */
function dosTime(at: number | null): readonly [time: number, date: number] {
  const when = new Date(at ?? 0);
  const year = when.getUTCFullYear();
  if (year < 1980 || year > 2107) return [0, (1 << 5) | 1];
  const time =
    (when.getUTCHours() << 11) | (when.getUTCMinutes() << 5) | (when.getUTCSeconds() >> 1);
  return [time, ((year - 1980) << 9) | ((when.getUTCMonth() + 1) << 5) | when.getUTCDate()];
}
