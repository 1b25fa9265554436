import { copyButton, element } from "./dom.js";
import { parseMarkdown } from "./markdown.js";

/**
 * @typedef {import('./inline.js').Inline} Inline
 * @typedef {import('./markdown.js').Block} Block
 */

/** Longer texts are shown as they are: reading them anew with every word that comes would stall the page. */
const MAX_LENGTH = 100_000;

/** Shows a Markdown text that may still grow. Blocks whose lines stay the same keep their nodes. */
export class MarkdownView {
  node = element("div", { class: "prose", dir: "auto" });
  /** @type {string[]} */
  #sources = [];

  /** @param {string} text */
  update(text) {
    if (text.length > MAX_LENGTH) {
      this.#sources = [];
      this.node.replaceChildren(element("pre", { class: "plain" }, text));
      return;
    }
    const blocks = parseMarkdown(text);
    let same = 0;
    while (same < blocks.length && blocks[same]?.source === this.#sources[same]) same++;
    while (this.node.childNodes.length > same) this.node.lastChild?.remove();
    this.node.append(...blocks.slice(same).map(({ block }) => blockNode(block)));
    this.#sources = blocks.map(({ source }) => source);
  }
}

/** @param {Block} block @returns {HTMLElement} */
function blockNode(block) {
  switch (block.type) {
    case "heading":
      // The page has one h1 and each turn an h2.
      return element(
        `h${Math.min(block.level + 2, 6)}`,
        { class: `h${block.level}` },
        ...inlineNodes(block.children),
      );
    case "paragraph":
      return element("p", {}, ...inlineNodes(block.children));
    case "code":
      return codeNode(block.language, block.text);
    case "quote":
      return element("blockquote", {}, ...block.blocks.map(blockNode));
    case "list":
      return listNode(block);
    case "table":
      return tableNode(block);
    case "rule":
      return element("hr");
  }
}

/**
 * @param {string} language
 * @param {string} text
 */
function codeNode(language, text) {
  const head = element(
    "figcaption",
    {},
    element("span", {}, language || "text"),
    copyButton("Copy", () => text),
  );
  return element(
    "figure",
    { class: "code" },
    head,
    element("pre", { tabindex: 0 }, element("code", {}, text)),
  );
}

/** @param {Extract<Block, { type: 'list' }>} list @returns {HTMLElement} */
function listNode({ start, isTight, items }) {
  const nodes = items.map(({ isDone, blocks }) => {
    const content = blocks.flatMap((block) =>
      isTight && block.type === "paragraph" ? inlineNodes(block.children) : [blockNode(block)],
    );
    if (isDone === null) return element("li", {}, ...content);
    const box = element(
      "span",
      { class: "box", role: "img", "aria-label": isDone ? "done" : "open" },
      isDone ? "☑" : "☐",
    );
    return element("li", { class: "task" }, box, " ", ...content);
  });
  return start === null
    ? element("ul", {}, ...nodes)
    : element("ol", { start: start === 1 ? null : start }, ...nodes);
}

/** @param {Extract<Block, { type: 'table' }>} table */
function tableNode({ align, head, rows }) {
  const cell =
    (/** @type {string} */ tag) =>
    (/** @type {Inline[]} */ content, /** @type {number} */ column) =>
      element(
        tag,
        { class: align[column] ?? null, scope: tag === "th" ? "col" : null },
        ...inlineNodes(content),
      );
  const body = rows.map((row) => element("tr", {}, ...row.map(cell("td"))));
  const top = element("thead", {}, element("tr", {}, ...head.map(cell("th"))));
  const table = element("table", {}, top, element("tbody", {}, ...body));
  return element(
    "div",
    { class: "wide", role: "region", "aria-label": "Table", tabindex: 0 },
    table,
  );
}

/**
 * @param {Inline[]} nodes
 * @returns {(Node | string)[]}
 */
function inlineNodes(nodes) {
  return nodes.map((node) => {
    switch (node.type) {
      case "text":
        return node.text;
      case "break":
        return element("br");
      case "code":
        return element("code", {}, node.text);
      case "link":
        return linkNode(node);
      default:
        return element(node.type, {}, ...inlineNodes(node.children));
    }
  });
}

/** A remote image is only ever a link to it. @param {Extract<Inline, { type: 'link' }>} link */
function linkNode({ href, isImage, children }) {
  const label = children.length > 0 ? inlineNodes(children) : [href];
  const attributes = {
    href,
    title: href,
    target: "_blank",
    rel: "noopener noreferrer",
    class: isImage ? "image" : null,
  };
  return element("a", attributes, ...label);
}
