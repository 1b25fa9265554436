import { Gunzip } from "fflate";
import { spellSize } from "../../shared/text.ts";
import { quoted, refused } from "../../shared/zip/reader.ts";

export type TarFile = {
  /** As it was written. */
  readonly name: string;
  readonly executable: boolean;
  readonly bytes: Uint8Array;
};

/** What an archive may hold, before and after it is unpacked. */
export type TarLimits = {
  readonly entries: number;
  /** Of all files and what is said about them. */
  readonly totalBytes: number;
};

const BLOCK = 512;
/** Of compressed bytes at once: they become at most 17 MB, however dense they are. */
const SLICE = 16 * 1024;
/** The longest description of an entry that is read. */
const MAX_DESCRIPTION = 64 * 1024;

/**
 * The files of a gzipped tar archive, in its order: old, ustar, pax and GNU names. Links, devices and sparse files are
 * refused, and whatever two programs could read differently. Names are UTF-8 and otherwise as they are: whoever takes them
 * has to check them. Throws `CarrelError('invalid')`.
 */
export function readTarGz(bytes: Uint8Array, limits: TarLimits): readonly TarFile[] {
  const tar = gunzip(bytes, limits.totalBytes + (limits.entries * 4 + 40) * BLOCK, limits);
  const files: TarFile[] = [];
  let entries = 0;
  let total = 0;
  let described: Described = {};
  for (let at = 0; at + BLOCK <= tar.length;) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) {
      if (tar.subarray(at).some((byte) => byte !== 0)) throw refused("something follows its end.");
      return files;
    }
    entries += 1;
    if (entries > limits.entries * 2) throw refused(`it holds more than ${limits.entries} files.`);
    const entry = entryOf(header, described);
    total += entry.size;
    if (total > limits.totalBytes) throw tooLarge(limits);
    const start = at + BLOCK;
    const data = tar.subarray(start, start + entry.size);
    if (data.length < entry.size) throw refused("it ends in the middle of a file.");
    at = start + Math.ceil(entry.size / BLOCK) * BLOCK;
    if (entry.kind === "file") {
      const { name, executable } = entry;
      files.push({ name, executable, bytes: data });
    }
    described = entry.kind === "about next" ? { ...described, ...describe(entry, data) } : {};
  }
  throw refused("it is not a tar archive, or it has no end.");
}

const tooLarge = ({ totalBytes }: TarLimits) =>
  refused(`its files are larger than ${spellSize(totalBytes)} in all.`);

/** What an entry says about the one after it. */
type Described = { readonly name?: string; readonly size?: number };

type Entry = {
  readonly kind: "file" | "directory" | "about next" | "about all";
  readonly type: string;
  readonly name: string;
  readonly size: number;
  readonly executable: boolean;
};

const kinds: Readonly<Record<string, Entry["kind"]>> = {
  "0": "file",
  "\0": "file",
  "5": "directory",
  x: "about next",
  L: "about next",
  g: "about all",
};

function entryOf(header: Uint8Array, described: Described): Entry {
  const type = String.fromCharCode(header[156] ?? 0);
  const short = text(header, 0, 100);
  const prefix =
    text(header, 257, 5) === "ustar" && header[262] === 0 ? text(header, 345, 155) : "";
  const name = described.name ?? (prefix === "" ? short : `${prefix}/${short}`);
  checkSum(header);
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind === undefined)
    throw refused(`${quoted(name)} is a link, a device or something else that is not a file.`);
  const isAbout = kind === "about next" || kind === "about all";
  const size = isAbout ? octal(header, 124, 12) : (described.size ?? octal(header, 124, 12));
  if (isAbout && size > MAX_DESCRIPTION) throw refused("the description of a file is too long.");
  if (kind === "directory" && size > 0) throw refused(`the directory ${quoted(name)} has content.`);
  return { kind, type, name, size, executable: (octal(header, 100, 8) & 0o111) !== 0 };
}

/** Up to the first NUL. */
function text(bytes: Uint8Array, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return decode(end === -1 ? field : field.subarray(0, end));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refused("a name in it is not UTF-8.");
  }
}

function octal(header: Uint8Array, at: number, length: number): number {
  const digits = /^ *([0-7]*) *$/.exec(text(header, at, length))?.[1];
  if (digits === undefined) throw refused("a number in it cannot be read.");
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}

/** The sum of all bytes of a header, those of the sum itself taken for spaces. */
function checkSum(header: Uint8Array): void {
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte;
  if (sum !== octal(header, 148, 8)) throw refused("it is not a tar archive, or it is damaged.");
}

/** A GNU name, or the records of a pax header: each is its length, a space, `key=value` and a line end. */
function describe({ type }: Entry, data: Uint8Array): Described {
  if (type === "L") return { name: text(data, 0, data.length) };
  const described: { name?: string; size?: number } = {};
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(0x20, at);
    const length = Number(decode(data.subarray(at, Math.max(at, space))));
    const end = at + length;
    if (space === -1 || !Number.isInteger(length) || end <= space || end > data.length)
      throw refused("the description of a file cannot be read.");
    const record = decode(data.subarray(space + 1, end - 1));
    const [, key, value] = /^([^=]*)=([^]*)$/.exec(record) ?? [];
    if (key === "path" && value !== undefined) described.name = value;
    if (key === "size" && value !== undefined) described.size = sizeOf(value);
    if (key?.startsWith("GNU.sparse") || key === "linkpath")
      throw refused("a file in it is a link or has holes.");
    at = end;
  }
  return described;
}

function sizeOf(value: string): number {
  if (!/^\d{1,12}$/.test(value)) throw refused("a number in it cannot be read.");
  return Number(value);
}

/** All bytes, as long as they are at most `most`. */
function gunzip(packed: Uint8Array, most: number, limits: TarLimits): Uint8Array {
  const pieces: Uint8Array[] = [];
  let size = 0;
  let isWhole = false;
  const gunzipper = new Gunzip((piece, isLast) => {
    pieces.push(piece);
    size += piece.length;
    isWhole = isLast;
  });
  for (let at = 0; at < packed.length; at += SLICE) {
    try {
      gunzipper.push(packed.subarray(at, at + SLICE), at + SLICE >= packed.length);
    } catch {
      throw refused("it is not compressed as it says.");
    }
    if (size > most) throw tooLarge(limits);
  }
  if (!isWhole) throw refused("it is not compressed as it says.");
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
