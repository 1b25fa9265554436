import { Lexer } from "./inline-lexer.js";
import { safeHref } from "./link.js";

/**
 * Text with marks: code, emphasis, links, line breaks. HTML is text like any other. The `href` of a link is
 * always one that `safeHref` gave; an image is a link to it, never loaded.
 *
 * @typedef {{ type: 'text', text: string } | { type: 'code', text: string } | { type: 'break' }
 *   | { type: 'strong' | 'em' | 'del', children: Inline[] }
 *   | { type: 'link', href: string, isImage: boolean, children: Inline[] }} Inline
 *
 * An unfinished emphasis or link. `mark` is the text it was opened with.
 * @typedef {{ mark: string, link: import('./inline-lexer.js').OpenBracket | null, children: Inline[] }} Frame
 */

/** Deeper nesting is shown as written, so that no input makes a reader of the tree run out of stack. */
const MAX_DEPTH = 32;

/**
 * Reads one paragraph's text. Time and memory grow linearly with its length.
 * @param {string} text
 * @returns {Inline[]}
 */
export function parseInline(text) {
  /** @type {Frame} */
  const root = { mark: "", link: null, children: [] };
  const frames = [root];
  for (const token of new Lexer(text).read()) {
    if (token.kind === "node") append(top(frames), token.node);
    else if (token.kind === "mark") takeMarks(frames, token);
    else if (token.kind === "open") takeOpening(frames, token);
    else takeClosing(frames, token.of);
  }
  unwind(frames, 1);
  return root.children;
}

/** @param {Frame[]} frames */
const top = (frames) => /** @type {Frame} */ (frames.at(-1));

/**
 * Adjacent texts become one.
 * @param {Frame} frame
 * @param {Inline} node
 */
function append(frame, node) {
  const last = frame.children.at(-1);
  if (node.type === "text" && last?.type === "text") {
    frame.children[frame.children.length - 1] = { type: "text", text: last.text + node.text };
  } else frame.children.push(node);
}

/**
 * Ends the frames from index `from` on without a partner: what opened them is text.
 * @param {Frame[]} frames
 * @param {number} from
 */
function unwind(frames, from) {
  while (frames.length > from) {
    const frame = /** @type {Frame} */ (frames.pop());
    append(top(frames), { type: "text", text: frame.mark });
    for (const child of frame.children) append(top(frames), child);
  }
}

/**
 * A run of marks closes what it can, then opens.
 * @param {Frame[]} frames
 * @param {{ char: string, count: number, opens: boolean, closes: boolean }} run
 */
function takeMarks(frames, { char, count, opens, closes }) {
  let left = count;
  while (closes && left > 0) {
    const index = findPartner(frames, char, left);
    if (index < 0) break;
    unwind(frames, index + 1);
    const { mark, children } = /** @type {Frame} */ (frames.pop());
    append(top(frames), {
      type: char === "~" ? "del" : mark.length === 2 ? "strong" : "em",
      children,
    });
    left -= mark.length;
  }
  while (opens && left > 0 && frames.length < MAX_DEPTH) {
    const mark = left > 1 ? char + char : char;
    frames.push({ mark, link: null, children: [] });
    left -= mark.length;
  }
  append(top(frames), { type: "text", text: char.repeat(left) });
}

/**
 * The newest frame of this link that a run of `left` marks can close: one of two marks if possible, but
 * the inner one first when the run closes both.
 * @param {Frame[]} frames
 * @param {string} char
 * @param {number} left
 */
function findPartner(frames, char, left) {
  let single = -1;
  for (let index = frames.length - 1; index > 0; index--) {
    const { mark, link } = frames[index] ?? { mark: "", link: null };
    if (link) break;
    if (mark[0] !== char || mark.length > left) continue;
    if (mark.length === 2) return single > index && left % 2 === 1 ? single : index;
    if (single < 0) single = index;
  }
  return single;
}

/**
 * @param {Frame[]} frames
 * @param {import('./inline-lexer.js').OpenBracket} bracket
 */
function takeOpening(frames, bracket) {
  const mark = bracket.isImage ? "![" : "[";
  if (bracket.address !== null && frames.length < MAX_DEPTH)
    frames.push({ mark, link: bracket, children: [] });
  else append(top(frames), { type: "text", text: mark });
}

/**
 * An address that is not allowed leaves the link's text.
 * @param {Frame[]} frames
 * @param {import('./inline-lexer.js').OpenBracket} bracket
 */
function takeClosing(frames, bracket) {
  const index = frames.findLastIndex((frame) => frame.link === bracket);
  if (index < 0) return append(top(frames), { type: "text", text: `](${bracket.address})` });
  unwind(frames, index + 1);
  const { children } = /** @type {Frame} */ (frames.pop());
  const href = safeHref(bracket.address ?? "");
  const isInLink = frames.some((frame) => frame.link && !frame.link.isImage);
  const { isImage } = bracket;
  if (href && !isInLink)
    append(top(frames), { type: "link", href, isImage, children: children.flatMap(withoutLink) });
  else for (const child of children) append(top(frames), child);
}

/**
 * Links hold no links.
 * @param {Inline} node
 * @returns {Inline[]}
 */
function withoutLink(node) {
  if (node.type === "link") return node.children;
  if (!("children" in node)) return [node];
  return [{ ...node, children: node.children.flatMap(withoutLink) }];
}
