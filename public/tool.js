import { isConflict } from "./api.js";
import { ApprovalCard } from "./approval.js";
import { ArgumentsView, visible } from "./arguments.js";
import { contentNodes } from "./content.js";
import { copyButton, element, setState, setText } from "./dom.js";

/**
 * @typedef {import('./transcript.js').ToolPart} ToolPart
 * @typedef {import('./transcript.js').Answer} Answer
 *
 * What a person can do with a call. `openFile` shows a file of the workspace; `readPlan` gives what is to be approved.
 * @typedef {{
 *   decide: import('./approval.js').Decide, openFile: (path: string) => void, readPlan: () => Promise<string | null>,
 * }} ToolActions
 */

const STATUS = {
  writing: "preparing",
  asked: "waits for you",
  client: "waits for the app",
  running: "running",
  success: "done",
  error: "failed",
  denied: "denied",
  interrupted: "interrupted",
  unknown: "outcome unknown",
  none: "not run",
};

/** One call of a tool: what it is called with, the question whether it may run, and what came of it. */
export class ToolView {
  #name = element("code", { class: "name" });
  #status = element("span", { class: "status" });
  #arguments = new ArgumentsView();
  #verdict = element("p", { class: "verdict", tabindex: -1, hidden: true });
  #output = element("details", { class: "result", hidden: true });
  #whole = element("p", { class: "whole-result", hidden: true });
  #openFile;
  #card;
  /** @type {ToolPart['result']} */
  #shown = null;
  /** @type {Answer | null} */
  #answer = null;
  /** Whether somebody else was faster than a click here. */
  #wasElsewhere = false;
  node;

  /** @param {ToolActions} actions */
  constructor({ decide, openFile, readPlan }) {
    this.#openFile = openFile;
    this.#card = new ApprovalCard(async (question, decision) => {
      try {
        await decide(question, decision);
      } catch (error) {
        this.#wasElsewhere ||= isConflict(error);
        this.#showVerdict();
        throw error;
      }
    }, readPlan);
    const head = element("div", { class: "tool-head" }, this.#name, this.#status);
    const rest = [this.#arguments.node, this.#card.node, this.#verdict, this.#output, this.#whole];
    this.node = element("section", { class: "tool", "aria-label": "Tool call" }, head, ...rest);
  }

  /**
   * @param {ToolPart} part
   * @param {boolean} isLive Its turn goes on.
   */
  update(part, isLive) {
    const state = stateOf(part, isLive);
    setState(this.node, state);
    setText(this.#name, visible(part.name));
    setText(
      this.#status,
      state in STATUS ? STATUS[/** @type {keyof typeof STATUS} */ (state)] : state,
    );
    this.#arguments.update(part.question?.input ?? part.answer?.input ?? part.input);
    this.#updateQuestion(part, isLive);
    if (!part.result || part.result === this.#shown) return;
    this.#shown = part.result;
    this.#output.hidden = false;
    this.#output.replaceChildren(...resultNodes(part.result));
    this.#showWhole(part.result.evicted);
  }

  /** Where all of a result is that was too long. @param {import('./transcript.js').Evicted | undefined} evicted */
  #showWhole(evicted) {
    this.#whole.hidden = !evicted;
    if (!evicted) return this.#whole.replaceChildren();
    const { path, chars } = evicted;
    const open = () => this.#openFile(path);
    this.#whole.replaceChildren(
      `The whole result (${chars.toLocaleString("en")} characters) is in `,
      element("button", { type: "button", class: "link", onclick: open }, visible(path)),
    );
  }

  /** Who decided here goes on where there is more to decide. @param {ToolPart} part @param {boolean} isLive */
  #updateQuestion({ question, answer }, isLive) {
    const hadFocus = this.#card.node.contains(document.activeElement);
    this.#card.update(isLive && question?.what === "approval" ? question : null);
    this.#answer = answer;
    this.#showVerdict(question?.what === "client" && isLive);
    if (!hadFocus || !this.#card.node.hidden) return;
    const next = document.querySelector(".approval:not([hidden]) button");
    if (next instanceof HTMLElement) next.focus();
    else this.#verdict.focus();
  }

  #showVerdict(isForClient = false) {
    const text = isForClient ? CLIENT_RUNS : verdictOf(this.#answer);
    const isElsewhere = this.#wasElsewhere && this.#answer !== null;
    this.#verdict.hidden = text === "";
    setText(this.#verdict, isElsewhere ? `${text} (answered elsewhere first)` : text);
  }
}

const CLIENT_RUNS = "Waits for the app that runs this tool.";

/**
 * How a call was answered, for a person.
 * @param {Answer | null} answer
 */
export function verdictOf(answer) {
  if (!answer) return "";
  const { answer: outcome, by, reason = "", input } = answer;
  const who = by.startsWith("user:") ? " by you" : "";
  const why = reason === "" ? "." : `: ${visible(reason)}`;
  switch (outcome) {
    case "approved":
      return `Approved${who}${input === undefined ? "" : ", with changed arguments"}.`;
    case "denied":
      return `Denied${who}${why}`;
    case "expired":
      return "Expired: nobody answered in time, so it did not run.";
    case "result":
      return "Run by the app.";
  }
}

/**
 * @param {ToolPart} part
 * @param {boolean} isLive
 */
function stateOf({ result, question, isOpen }, isLive) {
  if (result) return result.status;
  if (!isLive) return "none";
  if (question) return question.what === "client" ? "client" : "asked";
  return isOpen ? "writing" : "running";
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
