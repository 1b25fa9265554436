import { inflateSync } from "node:zlib";
import { CarrelError } from "../../../shared/errors.ts";
import { spellSize } from "../../../shared/text.ts";

/** What a pack may become. */
export type PackBounds = {
  readonly objects: number;
  /** Of one object, unpacked, and of all of them. */
  readonly objectBytes: number;
  readonly totalBytes: number;
};

const MIB = 1024 * 1024;

export const packBounds: PackBounds = {
  objects: 50_000,
  objectBytes: 24 * MIB,
  totalBytes: 200 * MIB,
};

const TRAILER = 20;
const OFFSET_DELTA = 6;
const NAMED_DELTA = 7;

/**
 * Walks a pack (gitformat-pack) before anything is made of it: a small one can unpack to gigabytes. Throws `CarrelError`:
 * `too_large` beyond the bounds, `malformed` when it is not whole.
 */
export function checkPack(pack: Uint8Array, where: string, bounds: PackBounds = packBounds): void {
  const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
  const end = pack.length - TRAILER;
  if (end < 12 || view.getUint32(0) !== 0x5041_434b || view.getUint32(4) !== 2) throw broken(where);
  const count = view.getUint32(8);
  if (count > bounds.objects)
    throw tooMuch(where, `${count} files and directories; ${bounds.objects} are read at most`);
  let at = 12;
  let total = 0;
  for (let object = 0; object < count; object += 1) {
    const head = headAt(pack, at, where);
    if (head.size > bounds.objectBytes) throw tooLarge(where, head.size, bounds.objectBytes);
    const { bytes, used } = unpack(pack.subarray(head.at, end), head.size, where);
    at = head.at + used;
    const becomes = head.isDelta ? deltaSizes(bytes, where) : [];
    for (const size of becomes)
      if (size > bounds.objectBytes) throw tooLarge(where, size, bounds.objectBytes);
    total = becomes.reduce((sum, size) => sum + size, total + head.size);
    if (total > bounds.totalBytes)
      throw tooMuch(where, `more than ${spellSize(bounds.totalBytes)}, unpacked`);
  }
  if (at !== end) throw broken(where);
}

type Head = { readonly at: number; readonly size: number; readonly isDelta: boolean };

/** What stands before the packed bytes of an object, and where those begin. */
function headAt(pack: Uint8Array, start: number, where: string): Head {
  const first = pack[start] ?? 0;
  const type = (first >> 4) & 7;
  let at = start + 1;
  let size = first & 15;
  for (let scale = 16, byte = first; byte & 0x80; scale *= 128) {
    byte = pack[at++] ?? 0;
    size += (byte & 0x7f) * scale;
  }
  if (type === OFFSET_DELTA) while ((pack[at++] ?? 0) & 0x80);
  else if (type === NAMED_DELTA) at += 20;
  else if (type === 0 || type === 5) throw broken(where);
  return { at, size, isDelta: type === OFFSET_DELTA || type === NAMED_DELTA };
}

/** The sizes of what a delta is made from and of what it makes. */
function deltaSizes(delta: Uint8Array, where: string): number[] {
  let at = 0;
  return [0, 1].map(() => {
    let size = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = delta[at++];
      if (byte === undefined) throw broken(where);
      size += (byte & 0x7f) * scale;
      if ((byte & 0x80) === 0) return size;
    }
  });
}

/** Never more than `size` bytes, and how many bytes of `packed` they are from. */
function unpack(
  packed: Uint8Array,
  size: number,
  where: string,
): { readonly bytes: Uint8Array; readonly used: number } {
  // Nothing packs to more than twice its size, and what is not passed on need not be copied.
  const input = packed.subarray(0, 2 * size + 1024);
  const unpacked = inflate(input, Math.max(1, size));
  if (unpacked === null || unpacked.bytes.length !== size) throw broken(where);
  return unpacked;
}

function inflate(input: Uint8Array, maxOutputLength: number) {
  let made: unknown;
  try {
    made = inflateSync(input, { maxOutputLength, info: true });
  } catch {
    // Of what is no zlib stream, ends too early or is too long.
    return null;
  }
  if (typeof made !== "object" || made === null || !("buffer" in made) || !("engine" in made))
    return null;
  const { buffer, engine } = made;
  if (!(buffer instanceof Uint8Array) || typeof engine !== "object" || engine === null) return null;
  const used = "bytesWritten" in engine ? engine.bytesWritten : null;
  return typeof used === "number" ? { bytes: buffer, used } : null;
}

const broken = (where: string) =>
  new CarrelError("malformed", `What the Git server at ${where} sent is not whole.`);

const tooMuch = (where: string, what: string) =>
  new CarrelError(
    "too_large",
    `The repository at ${where} holds too much: ${what}. Keep the skills in a repository of their own.`,
  );

const tooLarge = (where: string, size: number, most: number) =>
  tooMuch(where, `a file of ${spellSize(size)}; ${spellSize(most)} is the most`);
