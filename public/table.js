import { parseInline } from "./inline.js";

/**
 * @typedef {import('./inline.js').Inline} Inline
 * @typedef {'left' | 'center' | 'right' | null} Align
 * @typedef {{ type: 'table', align: Align[], head: Inline[][], rows: Inline[][][] }} Table
 */

/** Every row gets as many cells as the head, so the head's width bounds what a short text can blow up to. */
const MAX_COLUMNS = 40;

const DELIMITER = /^[ \t|:-]+$/;

/**
 * A table is a line with bars over a line of dashes with as many cells.
 * @param {readonly string[]} lines
 * @param {number} at
 * @returns {{ block: Table, next: number } | null}
 */
export function readTable(lines, at) {
  const delimiter = lines[at + 1] ?? "";
  if (!(lines[at] ?? "").includes("|") || !delimiter.includes("-") || !DELIMITER.test(delimiter))
    return null;
  const head = cellsOf(lines[at] ?? "");
  const align = cellsOf(delimiter).map(alignOf);
  if (head.length !== align.length || head.length > MAX_COLUMNS) return null;
  const rows = [];
  let next = at + 2;
  for (; next < lines.length && (lines[next] ?? "").includes("|"); next++) {
    const cells = cellsOf(lines[next] ?? "");
    rows.push(head.map((_, column) => parseInline(cells[column] ?? "")));
  }
  return { block: { type: "table", align, head: head.map(parseInline), rows }, next };
}

/** Cuts at bars; a backslash before a bar makes it text, also in code. @param {string} line */
function cellsOf(line) {
  const cells = [];
  const text = line.trim();
  let cell = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "|") {
      cells.push(cell.trim());
      cell = "";
    } else if (char === "\\" && text[at + 1] === "|") cell += text[++at];
    else cell += char;
  }
  if (cell !== "") cells.push(cell.trim());
  return text.startsWith("|") ? cells.slice(1) : cells;
}

/**
 * @param {string} cell
 * @returns {Align}
 */
function alignOf(cell) {
  if (cell.endsWith(":")) return cell.startsWith(":") ? "center" : "right";
  return cell.startsWith(":") ? "left" : null;
}
