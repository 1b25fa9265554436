import { deflateRawSync } from "node:zlib";
import { crc32 } from "node:zlib";

/** A file for an archive, and what its headers shall say that is not so. */
export type Part = {
  readonly name: string | Uint8Array;
  readonly content?: string | Uint8Array;
  readonly deflate?: boolean;
  /** Upper half of the attributes; default none. */
  readonly mode?: number;
  /** In both headers, in place of the truth. */
  readonly both?: Partial<Fields>;
  /** In the directory only. */
  readonly central?: Partial<Fields> & { readonly offset?: number; readonly disk?: number };
  readonly local?: Partial<Fields> & { readonly name?: string };
};

type Fields = {
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
};

export type Ending = {
  readonly comment?: string | Uint8Array;
  readonly entries?: number;
  readonly entriesHere?: number;
  readonly directory?: number;
  readonly directorySize?: number;
  readonly disk?: number;
  /** After the local entries, and before the end. */
  readonly beforeDirectory?: Uint8Array;
  readonly beforeEnd?: Uint8Array;
  readonly afterEnd?: Uint8Array;
};

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === "string" ? Buffer.from(content) : content;

const fields = (...values: readonly (readonly [2 | 4, number])[]): Buffer =>
  Buffer.concat(
    values.map(([width, value]) => {
      const bytes = Buffer.alloc(width);
      bytes.writeUIntLE(value, 0, width);
      return bytes;
    }),
  );

/** A zip archive, sound unless parts or ending say otherwise. */
export function buildZip(parts: readonly Part[], ending: Ending = {}): Uint8Array<ArrayBuffer> {
  const locals: Uint8Array[] = [];
  const centrals: Uint8Array[] = [];
  let offset = 0;
  for (const part of parts) {
    const content = bytesOf(part.content ?? "");
    const data = part.deflate === true ? deflateRawSync(content) : content;
    const truth: Fields = {
      flags: 0x0800,
      method: part.deflate === true ? 8 : 0,
      crc: crc32(content),
      packed: data.length,
      size: content.length,
      ...part.both,
    };
    const common = (name: Uint8Array, said: Fields) =>
      fields(
        [2, said.flags],
        [2, said.method],
        [4, 0],
        [4, said.crc],
        [4, said.packed],
        [4, said.size],
        [2, name.length],
        [2, 0],
      );
    const name = bytesOf(part.name);
    const localName = bytesOf(part.local?.name ?? name);
    const local = { ...truth, ...part.local };
    const central = { ...truth, offset, disk: 0, ...part.central };
    locals.push(fields([4, 0x04034b50], [2, 20]), common(localName, local), localName, data);
    centrals.push(
      fields([4, 0x02014b50], [2, 0x0314], [2, 20]),
      common(name, central),
      fields([2, 0], [2, central.disk], [2, 0], [4, ((part.mode ?? 0) << 16) >>> 0]),
      fields([4, central.offset]),
      name,
    );
    offset += 30 + localName.length + data.length;
  }
  return endZip(locals, centrals, parts.length, ending);
}

function endZip(
  locals: readonly Uint8Array[],
  centrals: readonly Uint8Array[],
  count: number,
  ending: Ending,
): Uint8Array<ArrayBuffer> {
  const before = Buffer.concat([...locals, ending.beforeDirectory ?? new Uint8Array()]);
  const directory = Buffer.concat(centrals);
  const comment = bytesOf(ending.comment ?? "");
  const end = fields(
    [4, 0x06054b50],
    [2, ending.disk ?? 0],
    [2, 0],
    [2, ending.entriesHere ?? ending.entries ?? count],
    [2, ending.entries ?? count],
    [4, ending.directorySize ?? directory.length],
    [4, ending.directory ?? before.length],
    [2, comment.length],
  );
  const rest = [ending.beforeEnd ?? new Uint8Array(), end, comment];
  const all = [before, directory, ...rest, ending.afterEnd ?? new Uint8Array()];
  return Uint8Array.from(Buffer.concat(all));
}
