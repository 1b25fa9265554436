import { Inflate } from "fflate";
import { CarrelError } from "../shared/errors.ts";
import { createCrc32 } from "./zip-format.ts";
import { quoted, refused, type ZipEntry } from "./zip-reader.ts";

/** Of compressed bytes at once: they become at most 17 MB, however dense they are. */
const SLICE = 16 * 1024;

export type Unpack = (entry: ZipEntry, take: (piece: Uint8Array) => void) => void;

/**
 * Unpacks entries one by one. The pieces of an entry go to `take` as they come; past its announced size, and at the end
 * when size or checksum are not as announced, it throws `CarrelError('invalid')`. So work and memory are bounded by
 * what `readZip` let through, whatever is in the data.
 */
export function createUnpacker(): Unpack {
  const crc32 = createCrc32();
  return (entry, take) => {
    let size = 0;
    let sum = 0;
    const pass = (piece: Uint8Array) => {
      size += piece.length;
      if (size > entry.size) throw refused(`${quoted(entry.name)} is larger than it says.`);
      sum = crc32(piece, sum);
      take(piece);
    };
    if (entry.isDeflated) inflate(entry, pass);
    else pass(entry.data);
    if (size !== entry.size) throw refused(`${quoted(entry.name)} is smaller than it says.`);
    if (sum !== entry.crc) throw refused(`the checksum of ${quoted(entry.name)} is wrong.`);
  };
}

function inflate({ name, data }: ZipEntry, take: (piece: Uint8Array) => void): void {
  const inflater = new Inflate(take);
  for (let at = 0; at === 0 || at < data.length; at += SLICE) {
    try {
      inflater.push(data.subarray(at, at + SLICE), at + SLICE >= data.length);
    } catch (error) {
      if (error instanceof CarrelError) throw error;
      throw refused(`${quoted(name)} is not compressed as it says.`);
    }
  }
}

/** The whole content of an entry. Throws as the unpacker does. */
export function unpackWhole(unpack: Unpack, entry: ZipEntry): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(entry.size);
  let at = 0;
  unpack(entry, (piece) => {
    bytes.set(piece, at);
    at += piece.length;
  });
  return bytes;
}
