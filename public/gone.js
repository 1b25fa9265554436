import { AGENT_ID } from "./address.js";
import { visible } from "./arguments.js";
import { byId, setText } from "./dom.js";

/**
 * Why there is no conversation to show: it was deleted, the server knows none of that name, the address is none, or the
 * agent does not exist.
 * @typedef {'deleted' | 'missing' | 'nothing' | 'agent'} Absence
 */

/** @type {Record<Absence, { title: string, text: string, action: string }>} */
const TEXTS = {
  deleted: {
    title: "This conversation was deleted",
    text: "It is gone on all devices, with what belonged to it alone.",
    action: "Begin a new one",
  },
  missing: {
    title: "There is no conversation here",
    text: "It was never begun, or is not yours. What you write now begins it.",
    action: "Begin a new one",
  },
  nothing: {
    title: "This address leads to no conversation",
    text: "Perhaps a part of the link got lost.",
    action: "Begin a new one",
  },
  agent: {
    title: `There is no agent “${visible(AGENT_ID)}” here`,
    text: "The address asks for an agent that this deployment does not have.",
    action: "Go to the main desk",
  },
};

/** Stands in the place of a conversation that cannot be shown. */
export class GoneView {
  #node = byId("gone");
  /** @type {Absence | null} */
  #shown = null;

  /** @param {() => void} leave */
  constructor(leave) {
    byId("gone-new").addEventListener("click", () => {
      if (this.#shown === "agent") location.assign(location.pathname);
      else leave();
    });
  }

  /** @param {Absence | null} absence @param {boolean} hasText Whether a message was begun, which is taken along. */
  render(absence, hasText) {
    const isNew = absence !== this.#shown;
    this.#shown = absence;
    this.#node.hidden = absence === null;
    const isClosed = absence !== null && absence !== "missing";
    const hadFocus = byId("composer").contains(document.activeElement);
    byId("composer").hidden = isClosed;
    if (!absence) return;
    const { title, text, action } = TEXTS[absence];
    setText(byId("gone-title"), title);
    setText(byId("gone-text"), text);
    setText(byId("gone-new"), isClosed && hasText ? `${action} with what you wrote` : action);
    if (isNew && isClosed && (hadFocus || document.activeElement === document.body))
      byId("gone-title").focus();
  }
}
