import { visible } from "./arguments.js";
import { byId, icon } from "./dom.js";
import { TasksBar } from "./tasks.js";
import { EMPTY, isBusy, questionsOf, waitingTurn } from "./transcript.js";
import { TurnView } from "./turn.js";

/** @typedef {import('./transcript.js').Transcript} Transcript */

/** This near to the end, in pixels, a person counts as reading along. */
const NEAR = 80;

/** Of a question, this much of what is above it stays in sight, in pixels. */
const ABOVE = 72;

/**
 * The turns of one session on the page, scrolled along while they grow unless the person looks elsewhere. While they
 * wait for the person, the first question is in sight instead of the end.
 */
export class Conversation {
  #scroller = byId("scroller");
  #list = byId("turns");
  #jump = byId("jump");
  #older = byId("older");
  #announcer = byId("announcer");
  #actions;
  /** @type {Map<string, TurnView>} */
  #views = new Map();
  /** What is kept in sight. @type {'end' | 'question' | 'nothing'} */
  #follows = "end";
  #top = 0;
  /** @type {string | null} */
  #asked = null;
  #said = "";

  #tasks;

  /**
   * @param {import('./turn.js').TurnActions
   *   & { loadOlder: () => void, stopTask: (task: string) => Promise<void> }} actions
   */
  constructor({ loadOlder, stopTask, ...actions }) {
    this.#actions = actions;
    this.#tasks = new TasksBar({ ...actions, stop: stopTask });
    this.#older.addEventListener("click", loadOlder);
    this.#jump.append(icon("down"));
    this.#jump.addEventListener("click", () => this.follow());
    this.#scroller.addEventListener("scroll", () => this.#noteScroll(), { passive: true });
    new ResizeObserver(() => this.#keepUp()).observe(this.#list);
    new ResizeObserver(() => this.#keepUp()).observe(this.#scroller);
  }

  /** Goes to the end and stays there; to the first question if there is one. */
  follow() {
    this.#follows = "end";
    if (this.#asked !== null) this.#showQuestion();
    this.#keepUp();
  }

  /** Forgets the session that was shown. */
  clear() {
    this.#views.clear();
    this.#list.replaceChildren();
    this.#tasks.render(EMPTY);
    this.#follows = "end";
    this.#asked = null;
    this.#said = "";
    this.#announcer.textContent = "";
  }

  /** @param {Transcript} transcript */
  render(transcript) {
    const fromEnd = this.#scroller.scrollHeight - this.#scroller.scrollTop;
    const firstBefore = this.#list.firstElementChild;
    const ids = new Set(transcript.turns.map((turn) => turn.id));
    for (const [id, view] of this.#views) {
      if (ids.has(id)) continue;
      view.node.remove();
      this.#views.delete(id);
    }
    for (const [index, turn] of transcript.turns.entries()) {
      const view = this.#views.get(turn.id) ?? new TurnView(this.#actions);
      this.#views.set(turn.id, view);
      if (this.#list.children[index] !== view.node)
        this.#list.insertBefore(view.node, this.#list.children[index] ?? null);
      view.update(turn, index === transcript.turns.length - 1);
    }
    this.#older.hidden = transcript.before === null;
    const isOlderLoaded =
      firstBefore !== null &&
      firstBefore.isConnected &&
      this.#list.firstElementChild !== firstBefore;
    if (isOlderLoaded) this.#scroller.scrollTop = this.#scroller.scrollHeight - fromEnd;
    this.#tasks.render(transcript);
    this.#noteQuestion(transcript);
    this.#keepUp();
    this.#announce(transcript);
  }

  /** A new question comes into sight, unless the person looks elsewhere; afterwards the end does. @param {Transcript} transcript */
  #noteQuestion(transcript) {
    const first = questionsOf(transcript).find(({ what }) => what === "approval");
    const asked = first ? `${first.call} ${first.digest}` : null;
    if (asked === this.#asked) return;
    this.#asked = asked;
    if (this.#follows === "nothing") return;
    if (asked === null) this.#follows = "end";
    else this.#showQuestion();
  }

  #showQuestion() {
    const tool = this.#list.querySelector(".tool:has(.approval:not([hidden]))");
    if (!tool) return;
    this.#follows = "question";
    const { top } = tool.getBoundingClientRect();
    this.#scroller.scrollTop += top - this.#scroller.getBoundingClientRect().top - ABOVE;
    this.#top = this.#scroller.scrollTop;
  }

  #keepUp() {
    if (this.#follows === "end") this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#noteScroll();
  }

  /** Only a person scrolls up, so only that ends following; growth below does not. */
  #noteScroll() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    const isNear = scrollHeight - scrollTop - clientHeight < NEAR;
    if (isNear && this.#follows === "nothing") this.#follows = "end";
    else if (!isNear && scrollTop < this.#top) this.#follows = "nothing";
    this.#top = scrollTop;
    this.#jump.hidden = this.#follows !== "nothing" || isNear;
  }

  /** A screen reader hears that an answer begins, asks and ends, not each word. @param {Transcript} transcript */
  #announce(transcript) {
    const text =
      isBusy(transcript) || transcript.asked.length > 0
        ? busyText(transcript)
        : endText(transcript.turns.at(-1));
    if (
      text === this.#said ||
      (this.#said === "" && !isBusy(transcript) && transcript.asked.length === 0)
    )
      return;
    this.#said = text;
    this.#announcer.textContent = text;
  }
}

/** @param {Transcript} transcript */
function busyText(transcript) {
  const questions = [...questionsOf(transcript), ...transcript.asked];
  const approvals = questions.filter(({ what }) => what === "approval");
  if (approvals.length > 0)
    return `Your agent asks: may ${approvals.map(({ name }) => visible(name)).join(", ")} run?`;
  if (waitingTurn(transcript)) return "The turn waits for the app that runs its tool.";
  return "The answer is being written.";
}

/** @param {import('./transcript.js').Turn | undefined} last */
function endText(last) {
  if (last?.state === "failed") return `The turn failed. ${last.error?.message ?? ""}`;
  return last?.state === "stopped" ? "Stopped." : "The answer is complete.";
}
