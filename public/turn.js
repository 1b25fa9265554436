import { contentNodes } from "./content.js";
import { copyButton, element, icon, setState, setText } from "./dom.js";
import { partView } from "./part.js";
import { answerText, isUnfinished } from "./transcript.js";
import { isPending, partsOf } from "./turn-change.js";

/**
 * @typedef {import('./transcript.js').Turn} Turn
 * @typedef {import('./transcript.js').Part} Part
 *
 * `regenerate` is called when the person wants another answer.
 * @typedef {import('./tool.js').ToolActions & { regenerate: () => void }} TurnActions
 */

/** One question and its answer. */
export class TurnView {
  /** @type {Turn | null} */
  #turn = null;
  #isLast = false;
  /** @type {{ kind: Part['kind'], part: Part, isLive: boolean, view: import('./part.js').PartView }[]} */
  #parts = [];
  #asked = element("div", { class: "asked" });
  #began = element("p", { class: "began", hidden: true });
  #answer = element("div", { class: "answer" });
  #working = element("p", { class: "working" });
  #banner = element("div", { class: "banner", role: "group", "aria-label": "Error", hidden: true });
  #note = element("p", { class: "note", hidden: true });
  #foot;
  #meta = element("span", { class: "meta" });
  #again;
  #retry;
  #actions;

  /** @param {TurnActions} actions */
  constructor({ regenerate, ...actions }) {
    this.#actions = actions;
    const copy = copyButton("Copy", () => (this.#turn ? answerText(this.#turn) : ""));
    const label = element("span", {}, "Regenerate");
    this.#again = element(
      "button",
      { type: "button", class: "quiet", onclick: regenerate },
      icon("again"),
      label,
    );
    this.#retry = element(
      "button",
      { type: "button", class: "plain", onclick: regenerate },
      "Try again",
    );
    this.#foot = element(
      "div",
      { class: "turn-foot", hidden: true },
      copy,
      this.#again,
      this.#meta,
    );
    const heading = element("h2", { class: "unseen" }, "Answer");
    const rest = [this.#working, this.#banner, this.#note, this.#foot];
    this.node = element(
      "article",
      { class: "turn" },
      this.#began,
      this.#asked,
      heading,
      this.#answer,
      ...rest,
    );
  }

  /**
   * @param {Turn} turn
   * @param {boolean} isLast Only the newest answer can be given anew.
   */
  update(turn, isLast) {
    if (turn === this.#turn && isLast === this.#isLast) return;
    // Nobody has said anything where a turn began by itself.
    const isOwn = turn.content?.length === 0;
    if (turn.content !== this.#turn?.content)
      this.#asked.replaceChildren(...contentNodes(turn.content ?? []));
    setText(this.#began, isOwn ? "What went on in the background has ended." : "");
    this.#began.hidden = !isOwn;
    this.#turn = turn;
    this.#isLast = isLast;
    this.#asked.hidden = turn.content === null || isOwn;
    setState(this.node, turn.state);
    const parts = partsOf(turn);
    this.#updateParts(parts, isUnfinished(turn.state));
    this.#updateWorking(turn, parts.at(-1));
    this.#updateEnd(turn, isLast);
  }

  /**
   * @param {readonly Part[]} parts
   * @param {boolean} isLive
   */
  #updateParts(parts, isLive) {
    for (const [index, part] of parts.entries()) {
      let shown = this.#parts[index];
      if (shown?.part === part && shown.isLive === isLive) continue;
      if (shown?.kind !== part.kind) {
        this.#cut(index);
        shown = { kind: part.kind, part, isLive, view: partView(part.kind, this.#actions) };
        this.#parts.push(shown);
        this.#answer.append(shown.view.node);
      }
      shown.view.update(part, isLive);
      this.#parts[index] = { ...shown, part, isLive };
    }
    this.#cut(parts.length);
  }

  /** Takes away the parts from this index on. @param {number} index */
  #cut(index) {
    for (const { view } of this.#parts.splice(index)) view.node.remove();
  }

  /**
   * @param {Turn} turn
   * @param {Part | undefined} last
   */
  #updateWorking(turn, last) {
    const isOpen = last?.isOpen === true;
    const isSpeaking = isOpen && last.kind === "text" && last.text !== "";
    this.node.classList.toggle("speaking", isSpeaking && isUnfinished(turn.state));
    const saysSoItself = isSpeaking || (isOpen && last.kind === "reasoning");
    this.#working.hidden = !isUnfinished(turn.state) || saysSoItself;
    setState(this.#working, turn.state);
    setText(this.#working, workOf(turn));
  }

  /**
   * @param {Turn} turn
   * @param {boolean} isLast
   */
  #updateEnd(turn, isLast) {
    const hasEnded = !isUnfinished(turn.state);
    const text = answerText(turn);
    this.#banner.hidden = turn.state !== "failed";
    if (turn.state === "failed") {
      const message = turn.error?.message ?? "Something went wrong.";
      const code = turn.error ? element("code", {}, turn.error.code) : null;
      const title = element("strong", {}, "No answer: this turn failed.");
      if (text !== "") title.textContent = "The answer ends here: this turn failed.";
      this.#banner.replaceChildren(
        element("p", {}, title, " ", message, " ", code),
        isLast ? this.#retry : "",
      );
    }
    this.#note.hidden = turn.state !== "stopped";
    setText(this.#note, "Stopped.");
    this.#foot.hidden = !hasEnded || (text === "" && turn.state === "failed");
    this.#again.hidden = !isLast || turn.state === "failed";
    setText(this.#meta, metaOf(turn));
  }
}

/** What an unfinished turn does, or waits for. @param {Turn} turn */
function workOf(turn) {
  if (turn.state === "running") return "Working";
  if (turn.state === "waiting") {
    const whats = partsOf(turn).flatMap((part) => (isPending(part) ? [part.question.what] : []));
    if (whats.includes("approval")) return "Waits for you";
    return whats.includes("client") ? "Waits for the app that runs this tool" : "Waits";
  }
  if (turn.content === null) return "A message waits in line";
  return turn.whenBusy === "steer" ? "Will be taken in at the next step" : "Queued";
}

/** @param {Turn} turn */
function metaOf(turn) {
  const model = turn.steps.findLast((step) => step.model !== "")?.model ?? "";
  const tokens =
    turn.usage && turn.usage.output > 0 ? `${turn.usage.output.toLocaleString("en")} tokens` : "";
  return [model, tokens].filter((text) => text !== "").join(" · ");
}
