/**
 * The longest beginning of `text` that has at most `limit` UTF-16 units and does not split a surrogate pair.
 * The whole text when it fits; empty when `limit` is 0 or less.
 */
export function cutAt(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit <= 0) return "";
  const last = text.charCodeAt(limit - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? limit - 1 : limit);
}

/** Length in UTF-8 bytes, counted without encoding; a lone surrogate counts 3, as it encodes to U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    const next = code >= 0xd800 && code <= 0xdbff ? text.charCodeAt(i + 1) : 0;
    if (next >= 0xdc00 && next <= 0xdfff) i += 1;
  }
  return bytes;
}

/**
 * The lines of a file without their endings (LF, CRLF or CR). An ending at the end of the file starts no
 * further line, so an empty file has no lines. Prompt and tools count lines by this one rule.
 */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/**
 * A text whose further lines are indented, so that none of them passes for a line of what the text is put into. All that a
 * model may take for the end of a line ends one, and becomes LF.
 */
export const indentRest = (text: string): string =>
  text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/).join("\n  ");

const MIB = 1024 * 1024;

/** A size as people read it, rounded down to a tenth: `1.5 MiB`, below that `64 KiB`, below that `300 bytes`. */
export function spellSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [unit, size] = bytes < MIB ? (["KiB", 1024] as const) : (["MiB", MIB] as const);
  return `${Math.floor((bytes / size) * 10) / 10} ${unit}`;
}
