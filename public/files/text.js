/**
 * A text as an editor holds it, which knows "\n" only, and what its lines ended with in the file. `mixed`: not
 * all with the same, so that saving makes all of them "\n".
 * @typedef {{ text: string, ending: '\n' | '\r\n' | 'mixed' }} EditableText
 */

/**
 * The text of a file with its byte order mark, or `null` when the bytes are no UTF-8.
 * @param {BufferSource} bytes
 * @returns {EditableText | null}
 */
export function readText(bytes) {
  try {
    const raw = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const ends = new Set(raw.match(/\r\n|\r|\n/g));
    const text = raw.replaceAll(/\r\n?/g, "\n");
    if (ends.size === 0 || (ends.size === 1 && ends.has("\n"))) return { text, ending: "\n" };
    return { text, ending: ends.size === 1 && ends.has("\r\n") ? "\r\n" : "mixed" };
  } catch {
    return null;
  }
}

/** What is stored for it. @param {EditableText} edited */
export const writeText = ({ text, ending }) =>
  ending === "\r\n" ? text.replaceAll("\n", "\r\n") : text;

/**
 * What Tab does to a text: the lines of a selection move in or out, and a bare caret gets an indent.
 * @param {string} text
 * @param {{ start: number, end: number, isOut: boolean }} selection
 * @returns {{ from: number, to: number, insert: string, start: number, end: number }} What to put in place of
 *   `from` to `to`, and the selection afterwards.
 */
export function indent(text, { start, end, isOut }) {
  const unit = /^\t/m.test(text) ? "\t" : "  ";
  if (start === end && !isOut)
    return {
      from: start,
      to: end,
      insert: unit,
      start: start + unit.length,
      end: end + unit.length,
    };
  const from = text.lastIndexOf("\n", start - 1) + 1;
  // A selection that ends at the start of a line does not mean that line.
  const last = end > start && text[end - 1] === "\n" ? end - 1 : end;
  const stop = text.indexOf("\n", last);
  const to = stop < 0 ? text.length : stop;
  const lines = text.slice(from, to).split("\n");
  const moved = lines.map((line) => (isOut ? line.replace(/^(\t| {1,2})/, "") : unit + line));
  const insert = moved.join("\n");
  const first = (moved[0] ?? "").length - (lines[0] ?? "").length;
  return {
    from,
    to,
    insert,
    start: Math.max(from, start + first),
    end: Math.max(from, end + insert.length - (to - from)),
  };
}
