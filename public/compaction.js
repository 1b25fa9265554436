import { element, setState, setText } from "./dom.js";

/**
 * The model's context was made shorter here; what the page shows of the conversation stays.
 * @typedef {Pick<Extract<import('../src/shared/events.ts').SessionEvent, { type: 'compacted' }>,
 *   'how' | 'before' | 'after' | 'why'>} Compaction
 */

/** What became of the agent's view of the conversation, for a person. @param {Compaction} compaction */
export function compactionText({ how, before, after, why }) {
  const reason = why === undefined || why === "" ? "" : `: ${why.replace(/[.\s]+$/, "")}`;
  const count = `${amount(before.messages)} → ${amount(after.messages)} messages`;
  const figures = `${count}, about ${rough(before.tokens)} → ${rough(after.tokens)} tokens`;
  switch (how) {
    case "summary":
      return `Earlier messages were summarised for the agent: ${figures}.`;
    case "cut":
      return `The agent no longer sees the earliest messages: ${figures}${reason === "" ? "." : ` (${reason.slice(2)}).`}`;
    case "failed":
      return `Earlier messages could not be summarised for the agent${reason}.`;
  }
}

/** A quiet line across the answer. */
export class CompactionView {
  #text = element("p", { dir: "auto" });
  node = element(
    "div",
    { class: "divider", role: "note", title: "You still see all of the conversation." },
    this.#text,
  );

  /** @param {Compaction} compaction */
  update(compaction) {
    setState(this.node, compaction.how);
    setText(this.#text, compactionText(compaction));
  }
}

/** @param {number} count */
const amount = (count) => count.toLocaleString("en");

/** @param {number} count */
const rough = (count) => (count < 1_000 ? amount(count) : `${amount(Math.round(count / 1_000))}k`);
