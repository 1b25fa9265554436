import { CompactionView } from "./compaction.js";
import { contentNodes } from "./content.js";
import { element, setState, setText } from "./dom.js";
import { MarkdownView } from "./render.js";
import { ToolView } from "./tool.js";

/**
 * @typedef {import('./transcript.js').Part} Part
 * @typedef {import('./transcript.js').SpokenPart} SpokenPart
 * @typedef {import('./transcript.js').SteeredPart} SteeredPart
 * @typedef {import('./transcript.js').CompactedPart} CompactedPart
 * @typedef {import('./transcript.js').ToolPart} ToolPart
 * @typedef {{ node: HTMLElement, update(part: Part, isLive: boolean): void }} PartView `isLive`: its turn goes on.
 */

/**
 * The view of one part of an answer. It shows parts of the kind it was made for.
 * @param {Part['kind']} kind
 * @param {import('./tool.js').ToolActions} actions
 * @returns {PartView}
 */
export function partView(kind, actions) {
  switch (kind) {
    case "tool":
      return toolView(actions);
    case "compacted":
      return compactionView();
    case "steered":
      return steeredView();
    case "text":
      return textView();
    case "reasoning":
      return reasoningView();
  }
}

/** @param {import('./tool.js').ToolActions} actions @returns {PartView} */
function toolView(actions) {
  const view = new ToolView(actions);
  return {
    node: view.node,
    update: (part, isLive) => view.update(/** @type {ToolPart} */ (part), isLive),
  };
}

/** @returns {PartView} */
function compactionView() {
  const view = new CompactionView();
  return {
    node: view.node,
    update: (part) => view.update(/** @type {CompactedPart} */ (part)),
  };
}

/** @returns {PartView} */
function steeredView() {
  const body = element("div", { class: "steered-body" });
  const label = element("p", { class: "steered-label" }, "You, meanwhile:");
  /** @type {SteeredPart['content'] | null} */
  let shown = null;
  return {
    node: element("section", { class: "steered", "aria-label": "Your message" }, label, body),
    update(part) {
      const { content } = /** @type {SteeredPart} */ (part);
      if (content !== shown) body.replaceChildren(...contentNodes(content));
      shown = content;
    },
  };
}

/** @returns {PartView} */
function textView() {
  const view = new MarkdownView();
  return { node: view.node, update: (part) => view.update(/** @type {SpokenPart} */ (part).text) };
}

/** @returns {PartView} */
function reasoningView() {
  const view = new MarkdownView();
  const title = element("summary");
  const node = element("details", { class: "reasoning" }, title, view.node);
  return {
    node,
    update(part, isLive) {
      const isThinking = part.isOpen && isLive;
      setState(node, isThinking ? "running" : "done");
      setText(title, isThinking ? "Thinking" : "Reasoning");
      view.update(/** @type {SpokenPart} */ (part).text);
    },
  };
}
