import { byId } from "./dom.js";
import { isBusy } from "./transcript.js";
import { TurnView } from "./turn.js";

/** This near to the end, in pixels, a person counts as reading along. */
const NEAR = 80;

/** The turns of one session on the page, scrolled along while they grow unless the person looks elsewhere. */
export class Conversation {
  #scroller = byId("scroller");
  #list = byId("turns");
  #jump = byId("jump");
  #older = byId("older");
  #announcer = byId("announcer");
  #regenerate;
  /** @type {Map<string, TurnView>} */
  #views = new Map();
  #follows = true;
  #top = 0;
  #wasBusy = false;

  /** @param {{ regenerate: () => void, loadOlder: () => void }} actions */
  constructor({ regenerate, loadOlder }) {
    this.#regenerate = regenerate;
    this.#older.addEventListener("click", loadOlder);
    this.#jump.addEventListener("click", () => this.follow());
    this.#scroller.addEventListener("scroll", () => this.#noteScroll(), { passive: true });
    new ResizeObserver(() => this.#keepUp()).observe(this.#list);
    new ResizeObserver(() => this.#keepUp()).observe(this.#scroller);
  }

  /** Goes to the end and stays there. */
  follow() {
    this.#follows = true;
    this.#keepUp();
  }

  /** Forgets the session that was shown. */
  clear() {
    this.#views.clear();
    this.#list.replaceChildren();
    this.#follows = true;
    this.#wasBusy = false;
    this.#announcer.textContent = "";
  }

  /** @param {import('./transcript.js').Transcript} transcript */
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
      const view = this.#views.get(turn.id) ?? new TurnView(this.#regenerate);
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
    this.#keepUp();
    this.#announce(transcript);
  }

  #keepUp() {
    if (this.#follows) this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#noteScroll();
  }

  /** Only a person scrolls up, so only that ends following; growth below does not. */
  #noteScroll() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    const isNear = scrollHeight - scrollTop - clientHeight < NEAR;
    if (isNear) this.#follows = true;
    else if (scrollTop < this.#top) this.#follows = false;
    this.#top = scrollTop;
    this.#jump.hidden = this.#follows || isNear;
  }

  /** A screen reader hears that an answer begins and ends, not each word. @param {import('./transcript.js').Transcript} transcript */
  #announce(transcript) {
    const busy = isBusy(transcript);
    if (busy === this.#wasBusy) return;
    this.#wasBusy = busy;
    const last = transcript.turns.at(-1);
    if (busy) this.#announcer.textContent = "The answer is being written.";
    else if (last?.state === "failed")
      this.#announcer.textContent = `The turn failed. ${last.error?.message ?? ""}`;
    else
      this.#announcer.textContent =
        last?.state === "stopped" ? "Stopped." : "The answer is complete.";
  }
}
