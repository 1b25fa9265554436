/** The marks and fixed sizes of the records of a zip archive (APPNOTE.TXT 4.3), without the variable parts. */
export const zip = {
  localHeader: { signature: 0x04034b50, size: 30 },
  centralHeader: { signature: 0x02014b50, size: 46 },
  end: { signature: 0x06054b50, size: 22 },
  descriptor: { signature: 0x08074b50 },
  zip64Locator: { signature: 0x07064b50, size: 20 },
  stored: 0,
  deflated: 8,
  /** Flag bit 3: checksum and sizes are behind the data. */
  sizesBehind: 0x0008,
  /** Flag bit 11: names are UTF-8. */
  utf8: 0x0800,
  /** The highest value of a 16-bit field; also how an archive says that the true one is in a zip64 record. */
  max16: 0xffff,
  max32: 0xffffffff,
} as const;

/** The unix part of a file's attributes: its kind in the upper four bits, its permissions below. */
export const unixMode = {
  kind: 0xf000,
  file: 0x8000,
  directory: 0x4000,
  executable: 0o111,
  plain: 0o100644,
  program: 0o100755,
} as const;

/** Whole numbers, each in so many bytes, little end first. */
export function record(...fields: readonly (readonly [bytes: 2 | 4, value: number])[]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((size, [width]) => size + width, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return bytes;
}

/** CRC-32 as zip has it: call it with each piece and the sum so far, 0 at first. Makes its table once. */
export function createCrc32(): (bytes: Uint8Array, sum?: number) => number {
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
    return rest;
  });
  return (bytes, sum = 0) => {
    let rest = ~sum;
    for (let at = 0; at < bytes.length; at++)
      rest = (rest >>> 8) ^ (table[(rest ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
    return ~rest >>> 0;
  };
}
