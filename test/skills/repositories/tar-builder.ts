import { gzipSync } from "node:zlib";

/** A file for a tar archive, and what its header shall say that is not so. */
export type TarPart = {
  readonly name: string;
  readonly content?: Uint8Array;
  readonly mode?: number;
  readonly type?: string;
  readonly link?: string;
  readonly prefix?: string;
  /** In place of the truth, as it is written. */
  readonly size?: string;
  readonly sum?: number;
};

const BLOCK = 512;

function header({
  name,
  mode = 0o644,
  type = "0",
  link = "",
  prefix = "",
  ...said
}: TarPart): Buffer {
  const block = Buffer.alloc(BLOCK);
  const size = said.size ?? (said.content?.length ?? 0).toString(8).padStart(11, "0");
  block.write(name, 0, 100);
  block.write(mode.toString(8).padStart(7, "0"), 100);
  block.write(size, 124, 12);
  block.write(" ".repeat(8), 148);
  block.write(type, 156);
  block.write(link, 157, 100);
  block.write("ustar\x0000", 257);
  block.write(prefix, 345, 155);
  const sum = said.sum ?? block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

const padded = (data: Uint8Array): Buffer =>
  Buffer.concat([data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)]);

/** The records of a pax header. */
export function pax(records: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest + String(rest).length;
    if (String(length).length !== String(rest).length) length += 1;
    return `${length} ${key}=${value}\n`;
  });
  return Buffer.from(lines.join(""));
}

/** A tar archive, sound unless parts say otherwise. Names that are too long for a header get a pax header. */
export function buildTar(parts: readonly TarPart[], end = Buffer.alloc(2 * BLOCK)): Buffer {
  const blocks = parts.flatMap((part) => {
    const data = padded(part.content ?? Buffer.of());
    if (Buffer.byteLength(part.name) <= 100) return [header(part), data];
    const content = pax({ path: part.name });
    const about = { name: "pax", type: "x", content };
    return [header(about), padded(content), header({ ...part, name: "long" }), data];
  });
  return Buffer.concat([...blocks, end]);
}

export const buildTarGz = (parts: readonly TarPart[], end?: Buffer<ArrayBuffer>): Uint8Array =>
  gzipSync(buildTar(parts, end));
