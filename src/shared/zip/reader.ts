import { invalid } from "../errors.ts";
import { cutAt, spellSize } from "../text.ts";
import { unixMode, zip } from "./format.ts";

/** A file or directory in an archive, as its headers describe it. */
export type ZipEntry = {
  /** As it was written; a directory's ends with a slash. */
  readonly name: string;
  readonly executable: boolean;
  readonly isDeflated: boolean;
  readonly crc: number;
  readonly size: number;
  /** The bytes in the archive. */
  readonly data: Uint8Array;
};

export type ZipArchive = { readonly entries: readonly ZipEntry[]; readonly comment: Uint8Array };

/** What an archive may announce, before anything of it is unpacked. */
export type ZipLimits = {
  readonly entries: number;
  /** Of all files, unpacked. */
  readonly totalBytes: number;
};

/** Deflate never does better than 1,032 to 1 (zlib's technical notes). */
const MAX_RATIO = 1_032;

/** Flags that change nothing about how to read: how hard it was compressed, sizes behind the data, UTF-8 names. */
const HARMLESS_FLAGS = 0x0006 | zip.sizesBehind | zip.utf8;
const REPARSE_POINT = 0x0400;

/** `CarrelError('invalid')` for an archive that is not taken. */
export const refused = (why: string) =>
  invalid(`The archive is refused, and nothing of it was stored: ${why}`);

/** A name as a refusal shows it, whatever is in it. */
export const quoted = (name: string): string => JSON.stringify(cutAt(name, 200));

/**
 * The entries of a zip archive, in the order of its directory. Whatever two programs could read differently is
 * refused: bytes after the end, a second end, zip64, parts, encryption, headers that contradict one another, entries
 * that overlap, links and devices, sizes that cannot be true. Names are UTF-8 and otherwise as they are: whoever takes
 * them has to check them. Throws `CarrelError('invalid')`; unpacks nothing.
 */
export function readZip(bytes: Uint8Array, limits: ZipLimits): ZipArchive {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(bytes, view);
  const read = createHeaderReader(bytes, view, end.directory);
  const entries: ZipEntry[] = [];
  if (end.entries > limits.entries)
    throw refused(`it holds more than ${limits.entries} entries. Import it in parts.`);
  let at = end.directory;
  let total = 0;
  const extents: Extent[] = [];
  for (let index = 0; index < end.entries; index++) {
    const { entry, next, extent } = read(at, end.at);
    at = next;
    total += entry.size;
    if (total > limits.totalBytes)
      throw refused(`its files are larger than ${spellSize(limits.totalBytes)} in all.`);
    entries.push(entry);
    extents.push(extent);
  }
  if (at !== end.at) throw refused("its directory is longer than its entries.");
  checkOverlap(extents);
  return { entries, comment: bytes.subarray(end.at + zip.end.size) };
}

type End = { readonly at: number; readonly entries: number; readonly directory: number };

/** The one record that ends the archive: its comment reaches to the last byte, and no other record could be it. */
function findEnd(bytes: Uint8Array, view: DataView): End {
  const found: number[] = [];
  const last = bytes.length - zip.end.size;
  for (let at = last; at >= Math.max(0, last - zip.max16); at--) {
    if (view.getUint32(at, true) !== zip.end.signature) continue;
    if (at + zip.end.size + view.getUint16(at + 20, true) === bytes.length) found.push(at);
  }
  const [at, other] = found;
  if (at === undefined) throw refused("it is not a zip archive, or something follows its end.");
  if (other !== undefined) throw refused("it has more than one end.");
  const [disk, firstDisk, here, entries] = [4, 6, 8, 10].map((n) => view.getUint16(at + n, true));
  const size = view.getUint32(at + 12, true);
  const directory = view.getUint32(at + 16, true);
  const locator = at - zip.zip64Locator.size;
  const isZip64 =
    entries === zip.max16 ||
    size === zip.max32 ||
    directory === zip.max32 ||
    (locator >= 0 && view.getUint32(locator, true) === zip.zip64Locator.signature);
  if (isZip64)
    throw refused("it is in the zip64 format, which an archive of this size does not need.");
  if (disk !== 0 || firstDisk !== 0 || here !== entries || entries === undefined)
    throw refused("it is one part of several.");
  if (directory + size !== at) throw refused("its directory is not where it says.");
  return { at, entries, directory };
}

type Extent = { readonly name: string; readonly start: number; readonly end: number };
type Read = { readonly entry: ZipEntry; readonly next: number; readonly extent: Extent };

/** Reads the directory's header at a place together with the local header that it points to. */
function createHeaderReader(bytes: Uint8Array, view: DataView, directory: number) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const u16 = (at: number) => view.getUint16(at, true);
  const u32 = (at: number) => view.getUint32(at, true);
  const nameAt = (at: number, length: number): string => {
    try {
      return decoder.decode(bytes.subarray(at, at + length));
    } catch {
      throw refused("a name in it is not UTF-8.");
    }
  };

  return (at: number, limit: number): Read => {
    const start = at + zip.centralHeader.size;
    if (start > limit || u32(at) !== zip.centralHeader.signature)
      throw refused("its directory is broken.");
    const next = start + u16(at + 28) + u16(at + 30) + u16(at + 32);
    if (next > limit) throw refused("its directory is broken.");
    const name = nameAt(start, u16(at + 28));
    const header = {
      flags: u16(at + 8),
      method: u16(at + 10),
      crc: u32(at + 16),
      packed: u32(at + 20),
      size: u32(at + 24),
      nameLength: u16(at + 28),
    };
    if (u16(at + 34) !== 0) throw refused("it is one part of several.");
    const executable = checkAttributes(name, u32(at + 38));
    checkHeader(name, header);

    const local = u32(at + 42);
    if (local + zip.localHeader.size > directory || u32(local) !== zip.localHeader.signature)
      throw refused(`${quoted(name)} is not where its directory says.`);
    const nameStart = local + zip.localHeader.size;
    const dataStart = nameStart + u16(local + 26) + u16(local + 28);
    const dataEnd = dataStart + header.packed;
    if (dataEnd > directory) throw refused(`${quoted(name)} is not where its directory says.`);
    const isBehind = (header.flags & zip.sizesBehind) !== 0;
    const agrees = (offset: number, value: number) =>
      u32(local + offset) === value || (isBehind && u32(local + offset) === 0);
    const isSame =
      u16(local + 6) === header.flags &&
      u16(local + 8) === header.method &&
      u16(local + 26) === header.nameLength &&
      nameAt(nameStart, header.nameLength) === name &&
      agrees(14, header.crc) &&
      agrees(18, header.packed) &&
      agrees(22, header.size);
    if (!isSame) throw refused(`what it says about ${quoted(name)} contradicts itself.`);

    const isDeflated = header.method === zip.deflated;
    const data = bytes.subarray(dataStart, dataEnd);
    const entry = { name, executable, isDeflated, crc: header.crc, size: header.size, data };
    return { entry, next, extent: { name, start: local, end: dataEnd } };
  };
}

type Header = {
  readonly flags: number;
  readonly method: number;
  readonly packed: number;
  readonly size: number;
};

function checkHeader(name: string, { flags, method, packed, size }: Header): void {
  if ((flags & 1) !== 0) throw refused(`${quoted(name)} is encrypted.`);
  if ((flags & ~HARMLESS_FLAGS) !== 0)
    throw refused(`${quoted(name)} has flags that are not known.`);
  if (method !== zip.stored && method !== zip.deflated)
    throw refused(`${quoted(name)} is compressed in a way that is not known. Use deflate.`);
  if (packed === zip.max32 || size === zip.max32)
    throw refused("it is in the zip64 format, which an archive of this size does not need.");
  if (method === zip.stored ? packed !== size : size > packed * MAX_RATIO)
    throw refused(`the size of ${quoted(name)} cannot be true.`);
}

/** Whether it may be run. Only files and directories are taken, and a directory's name ends with a slash. */
function checkAttributes(name: string, attributes: number): boolean {
  const mode = attributes >>> 16;
  const kind = mode & unixMode.kind;
  const isDirectory = name.endsWith("/");
  const isExpected = kind === 0 || kind === (isDirectory ? unixMode.directory : unixMode.file);
  if (!isExpected || (attributes & REPARSE_POINT) !== 0)
    throw refused(`${quoted(name)} is a link, a device or something else that is not a file.`);
  return !isDirectory && (mode & unixMode.executable) !== 0;
}

function checkOverlap(extents: readonly Extent[]): void {
  let end = 0;
  for (const extent of extents.toSorted((a, b) => a.start - b.start)) {
    if (extent.start < end) throw refused(`${quoted(extent.name)} overlaps another entry.`);
    end = extent.end;
  }
}
