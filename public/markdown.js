import { parseInline } from "./inline.js";
import { readTable } from "./table.js";

/**
 * Markdown as a plain tree: headings, paragraphs, fenced code, lists, quotes, tables and rules. Indented code,
 * underlined headings, reference links and HTML are not read; they stay text.
 *
 * @typedef {import('./inline.js').Inline} Inline
 * @typedef {{ type: 'heading', level: number, children: Inline[] }
 *   | { type: 'paragraph', children: Inline[] }
 *   | { type: 'code', language: string, text: string }
 *   | { type: 'quote', blocks: Block[] }
 *   | { type: 'list', start: number | null, isTight: boolean, items: ListItem[] }
 *   | import('./table.js').Table
 *   | { type: 'rule' }} Block
 * @typedef {{ isDone: boolean | null, blocks: Block[] }} ListItem `isDone` is null unless it is a task.
 *
 * @typedef {{ block: Block, next: number }} Read A block and the index of the line after it.
 */

/** Quotes and lists nest this deep; deeper ones are paragraphs. Each level reads its lines once more. */
const MAX_DEPTH = 10;

const FENCE = /^ *(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const QUOTE = /^ {0,3}>/;
const ITEM = /^( *)([-*+]|(\d{1,9})[.)])(?:( +)|$)/;
const TASK = /^\[([ xX])\] /;

/**
 * The blocks of a text, each with the lines it was read from: the same lines always give the same block.
 * Time and memory grow linearly with the length of the text.
 * @param {string} text
 * @returns {{ source: string, block: Block }[]}
 */
export function parseMarkdown(text) {
  const lines = text.split(/\r\n|\n|\r/).map(expandTabs);
  return readBlocks(lines, 0).map(({ block, from, next }) => ({
    source: lines.slice(from, next).join("\n"),
    block,
  }));
}

/**
 * @param {readonly string[]} lines
 * @param {number} depth
 */
function readBlocks(lines, depth) {
  /** @type {(Read & { from: number })[]} */
  const blocks = [];
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at])) at++;
    else {
      const read = readBlock(lines, at, depth);
      blocks.push({ ...read, from: at });
      at = read.next;
    }
  }
  return blocks;
}

/**
 * @param {readonly string[]} lines
 * @param {number} depth
 */
const blocksOf = (lines, depth) => readBlocks(lines, depth).map(({ block }) => block);

/**
 * @param {readonly string[]} lines
 * @param {number} at
 * @param {number} depth
 * @returns {Read}
 */
function readBlock(lines, at, depth) {
  const line = lines[at] ?? "";
  const fence = fenceOf(line);
  if (fence) return readCode(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading) return { block: headingOf(line, heading[1]?.length ?? 1), next: at + 1 };
  if (isRule(line)) return { block: { type: "rule" }, next: at + 1 };
  if (depth < MAX_DEPTH && QUOTE.test(line)) return readQuote(lines, at, depth);
  if (depth < MAX_DEPTH && ITEM.test(line)) return readList(lines, at, depth);
  return readTable(lines, at) ?? readParagraph(lines, at, depth);
}

/** @param {string | undefined} line */
const isBlank = (line) => line === undefined || line.trim() === "";

/** @param {string} line */
function expandTabs(line) {
  return line.includes("\t")
    ? line.replace(/^[ \t]+/, (space) => space.replaceAll("\t", "    "))
    : line;
}

/** @param {string} line */
const indentOf = (line) => line.length - line.trimStart().length;

/** @param {string} line */
const isRule = (line) => /^(-{3,}|\*{3,}|_{3,})$/.test(line.replaceAll(" ", ""));

/** The marks that open code, or `null`. Backticks with a backtick after them are a code span. @param {string} line */
function fenceOf(line) {
  const fence = FENCE.exec(line)?.[1];
  if (fence === undefined) return null;
  return fence.startsWith("`") && line.includes("`", line.indexOf(fence) + fence.length)
    ? null
    : fence;
}

/**
 * Code lasts until its fence returns, or to the end while it is still being written.
 * @param {readonly string[]} lines
 * @param {number} at
 * @param {string} fence
 * @returns {Read}
 */
function readCode(lines, at, fence) {
  const indent = indentOf(lines[at] ?? "");
  const body = [];
  let next = at + 1;
  for (; next < lines.length; next++) {
    const line = lines[next] ?? "";
    const trimmed = line.trim();
    if (
      trimmed.length >= fence.length &&
      trimmed.startsWith(fence) &&
      isAll(trimmed, fence[0] ?? "")
    )
      break;
    body.push(line.slice(Math.min(indent, indentOf(line))));
  }
  const language = (lines[at] ?? "").trim().slice(fence.length).trim().split(/\s/, 1)[0] ?? "";
  return {
    block: { type: "code", language, text: body.join("\n") },
    next: Math.min(next + 1, lines.length),
  };
}

/**
 * @param {string} text
 * @param {string} char
 */
const isAll = (text, char) => text === char.repeat(text.length);

/**
 * @param {string} line
 * @param {number} level
 * @returns {Block}
 */
function headingOf(line, level) {
  const text = line.trim().slice(level).trim();
  let end = text.length;
  while (text[end - 1] === "#") end--;
  const isClosed = end === 0 || text[end - 1] === " ";
  return {
    type: "heading",
    level,
    children: parseInline(isClosed ? text.slice(0, end).trim() : text),
  };
}

/**
 * @param {readonly string[]} lines
 * @param {number} at
 * @param {number} depth
 * @returns {Read}
 */
function readQuote(lines, at, depth) {
  const inside = [];
  let next = at;
  for (; next < lines.length; next++) {
    const line = lines[next] ?? "";
    if (QUOTE.test(line)) inside.push(line.replace(/^ {0,3}> ?/, ""));
    else if (isBlank(line) || isBlank(inside.at(-1)) || startsBlock(line, depth)) break;
    else inside.push(line);
  }
  return { block: { type: "quote", blocks: blocksOf(inside, depth + 1) }, next };
}

/**
 * A list is forgiving about indentation: two spaces put a line into an item, whatever the width of its marker.
 * @param {readonly string[]} lines
 * @param {number} at
 * @param {number} depth
 * @returns {Read}
 */
function readList(lines, at, depth) {
  const base = indentOf(lines[at] ?? "");
  const first = ITEM.exec(lines[at] ?? "")?.[3];
  /** @type {string[][]} */
  const items = [];
  let width = 0;
  let blanks = 0;
  let isTight = true;
  let next = at;
  for (let line = at; line < lines.length; line++) {
    const text = lines[line] ?? "";
    if (isBlank(text)) {
      blanks++;
      continue;
    }
    const indent = indentOf(text);
    const item = indent < base + 2 && !isRule(text) ? ITEM.exec(text) : null;
    if (item) {
      if ((item[3] === undefined) !== (first === undefined)) break;
      width = contentIndent(item);
      items.push([text.slice(width)]);
    } else if (indent >= base + 2) {
      for (; blanks > 0; blanks--, isTight = false) items.at(-1)?.push("");
      items.at(-1)?.push(text.slice(Math.min(indent, width)));
    } else if (blanks > 0 || startsBlock(text, depth)) break;
    else items.at(-1)?.push(text);
    if (blanks > 0) isTight = false;
    blanks = 0;
    next = line + 1;
  }
  const start = first === undefined ? null : Number(first);
  return {
    block: { type: "list", start, isTight, items: items.map((item) => itemOf(item, depth)) },
    next,
  };
}

/** Where an item's own text begins. @param {RegExpExecArray} item */
function contentIndent([, indent = "", marker = "", , space = ""]) {
  return indent.length + marker.length + (space.length > 4 ? 1 : space.length);
}

/**
 * @param {readonly string[]} lines
 * @param {number} depth
 * @returns {ListItem}
 */
function itemOf(lines, depth) {
  const [head = "", ...rest] = lines;
  const task = TASK.exec(head);
  const blocks = blocksOf(task ? [head.slice(task[0].length), ...rest] : lines, depth + 1);
  return { isDone: task ? task[1] !== " " : null, blocks };
}

/**
 * Whether this line ends a paragraph before it. A number only does when a list can start with it.
 * @param {string} line
 * @param {number} depth
 */
function startsBlock(line, depth) {
  if (fenceOf(line) || HEADING.test(line) || isRule(line)) return true;
  if (depth >= MAX_DEPTH) return false;
  const item = ITEM.exec(line);
  return (
    QUOTE.test(line) ||
    (item !== null && item[4] !== undefined && (item[3] === undefined || item[3] === "1"))
  );
}

/**
 * @param {readonly string[]} lines
 * @param {number} at
 * @param {number} depth
 * @returns {Read}
 */
function readParagraph(lines, at, depth) {
  const text = [(lines[at] ?? "").trimStart()];
  let next = at + 1;
  for (; next < lines.length; next++) {
    const line = lines[next] ?? "";
    if (isBlank(line) || startsBlock(line, depth) || readTable(lines, next)) break;
    text.push(line.trimStart());
  }
  return { block: { type: "paragraph", children: parseInline(text.join("\n").trimEnd()) }, next };
}
