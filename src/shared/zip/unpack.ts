import { Inflate } from "fflate";
import { createCrc32 } from "./format.ts";
import { quoted, refused, type ZipEntry } from "./reader.ts";

/** Of compressed bytes at once: they become at most 17 MB, however dense they are. */
const SLICE = 16 * 1024;

export type Unpack = (entry: ZipEntry) => Generator<Uint8Array, void, undefined>;

/**
 * Unpacks entries one by one, each in pieces, as they are asked for. Past an entry's announced size, and at its end
 * when size or checksum are not as announced, it throws `CarrelError('invalid')`. So work and memory are bounded by
 * what `readZip` let through, whatever is in the data.
 */
export function createUnpacker(): Unpack {
  const crc32 = createCrc32();
  return function* (entry) {
    let size = 0;
    let sum = 0;
    for (const piece of entry.isDeflated ? inflate(entry) : [entry.data]) {
      size += piece.length;
      if (size > entry.size) throw refused(`${quoted(entry.name)} is larger than it says.`);
      sum = crc32(piece, sum);
      yield piece;
    }
    if (size !== entry.size) throw refused(`${quoted(entry.name)} is smaller than it says.`);
    if (sum !== entry.crc) throw refused(`the checksum of ${quoted(entry.name)} is wrong.`);
  };
}

function* inflate({ name, data }: ZipEntry): Generator<Uint8Array, void, undefined> {
  const ready: Uint8Array[] = [];
  const inflater = new Inflate((piece) => ready.push(piece));
  for (let at = 0; at === 0 || at < data.length; at += SLICE) {
    try {
      inflater.push(data.subarray(at, at + SLICE), at + SLICE >= data.length);
    } catch {
      throw refused(`${quoted(name)} is not compressed as it says.`);
    }
    yield* ready.splice(0);
  }
}

/** The whole content of an entry. Throws as the unpacker does. */
export function unpackWhole(unpack: Unpack, entry: ZipEntry): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(entry.size);
  let at = 0;
  for (const piece of unpack(entry)) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
