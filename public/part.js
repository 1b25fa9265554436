import { copyButton, element, setState, setText } from "./dom.js";
import { contentNodes } from "./content.js";
import { MarkdownView } from "./render.js";

/**
 * @typedef {import('./transcript.js').Part} Part
 * @typedef {import('./transcript.js').SpokenPart} SpokenPart
 * @typedef {import('./transcript.js').ToolPart} ToolPart
 * @typedef {{ node: HTMLElement, update(part: Part, isLive: boolean): void }} PartView `isLive`: its turn goes on.
 */

/**
 * The view of one part of an answer. It shows parts of the kind it was made for.
 * @param {Part} part
 * @returns {PartView}
 */
export function partView(part) {
  if (part.kind === "tool") return toolView();
  return part.kind === "text" ? textView() : reasoningView();
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

const STATUS = {
  writing: "preparing",
  running: "running",
  success: "done",
  error: "failed",
  denied: "denied",
  interrupted: "interrupted",
  unknown: "outcome unknown",
  none: "not run",
};

/** @returns {PartView} */
function toolView() {
  const name = element("code", { class: "name" });
  const status = element("span", { class: "status" });
  const input = element("pre", { class: "input", tabindex: 0, "aria-label": "Arguments" });
  const output = element("details", { class: "result", hidden: true });
  const head = element("div", { class: "tool-head" }, name, status);
  const node = element(
    "section",
    { class: "tool", "aria-label": "Tool call" },
    head,
    input,
    output,
  );
  /** @type {ToolPart['result']} */
  let shown = null;
  return {
    node,
    update(part, isLive) {
      const { name: tool, input: json, result } = /** @type {ToolPart} */ (part);
      const state = statusOf(/** @type {ToolPart} */ (part), isLive);
      setState(node, state);
      setText(name, tool);
      setText(status, state in STATUS ? STATUS[/** @type {keyof typeof STATUS} */ (state)] : state);
      setText(input, pretty(json));
      input.hidden = json.trim() === "" || json.trim() === "{}";
      if (!result || result === shown) return;
      shown = result;
      output.hidden = false;
      output.replaceChildren(...resultNodes(result));
    },
  };
}

/**
 * @param {ToolPart} part
 * @param {boolean} isLive
 */
function statusOf(part, isLive) {
  if (part.result) return part.result.status;
  if (!isLive) return "none";
  return part.isOpen ? "writing" : "running";
}

/** Arguments as a person reads them, on one line if that is short; as they are while they are no whole JSON. @param {string} json */
function pretty(json) {
  try {
    const lines = JSON.stringify(JSON.parse(json), null, 2);
    const line = lines.replaceAll(/\n */g, " ");
    return line.length <= 64 ? line : lines;
  } catch {
    return json;
  }
}

/** @param {NonNullable<ToolPart['result']>} result */
function resultNodes({ content }) {
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const lines = text === "" ? 0 : text.trimEnd().split("\n").length;
  const size = lines > 1 ? element("span", { class: "size" }, `${lines} lines`) : null;
  const body = element("div", { class: "output", tabindex: 0 }, ...contentNodes(content));
  return [
    element("summary", {}, "Result", size),
    element(
      "div",
      { class: "output-frame" },
      body,
      text === "" ? null : copyButton("Copy", () => text),
    ),
  ];
}
