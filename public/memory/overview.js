import { byId, setText } from "../dom.js";
import { entryNodes } from "./entries.js";
import { redraw } from "../redraw.js";
import { noteNodes, runNodes } from "./runs.js";
import { countOf, figuresOf, fullnessOf, pendingText } from "./words.js";

/** @typedef {import('./api.js').MemoryOverview} MemoryOverview */

/** What is remembered and how full that is, the last runs of the upkeep, and the notes of each day. */
export class MemoryOverviewView {
  #actions;

  /** @param {import('./entries.js').EntryActions & { undoRun: (run: import('./api.js').Run) => void }} actions */
  constructor(actions) {
    this.#actions = actions;
  }

  /** @param {MemoryOverview} overview @param {import('./sources.js').Conversations} conversations */
  render(overview, conversations) {
    redraw(
      byId("memory-overview"),
      () => this.#draw(overview, conversations),
      () => byId("memory-title").focus(),
    );
  }

  /** @param {MemoryOverview} overview @param {import('./sources.js').Conversations} conversations */
  #draw(overview, conversations) {
    const now = Date.now();
    const { entries, runs, ledgers, pending, forgotten } = overview;
    const isEmpty = entries.length === 0;
    byId("memory-empty").hidden = !isEmpty;
    byId("memory-fullness").hidden = isEmpty && pending === 0;
    const meter = /** @type {HTMLProgressElement} */ (byId("memory-meter"));
    meter.max = Math.max(1, overview.maxTokens);
    meter.value = Math.min(meter.max, overview.tokens);
    meter.classList.toggle("over", overview.tokens > overview.maxTokens);
    setText(byId("memory-figures"), `${fullnessOf(overview)} · ${figuresOf(overview)}`);
    setText(byId("memory-pending"), pendingText(pending));
    const known = { conversations, runs, now };
    byId("memory-entries").replaceChildren(...entryNodes(entries, known, this.#actions));
    byId("memory-runs").hidden = runs.length === 0;
    byId("memory-runs").replaceChildren(...runNodes(runs, now, this.#actions));
    byId("memory-notes").hidden = ledgers.length === 0;
    setText(byId("memory-notes-title"), `Notes of ${countOf(ledgers.length, "day")}`);
    byId("memory-notes-list").replaceChildren(...noteNodes(ledgers, now, this.#actions));
    const words = `${countOf(forgotten, "entry was", "entries were")} forgotten so far.`;
    setText(byId("memory-forgotten"), forgotten > 0 ? words : "");
  }
}
