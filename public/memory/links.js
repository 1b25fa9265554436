import { hrefOf } from "../address.js";
import { element } from "../dom.js";

/**
 * Where one can go from what is remembered. `leave`: a conversation is opened.
 * @typedef {{ openFile: (path: string) => void, leave: () => void }} Ways
 */

/**
 * A conversation by its name, as a link where it can be opened.
 * @param {import('./sources.js').Named} conversation
 * @param {Pick<Ways, 'leave'>} ways
 * @returns {HTMLElement | string}
 */
export const conversationLink = ({ session, name }, { leave }) =>
  session === null
    ? name
    : element(
        "a",
        { class: "link", href: hrefOf(session), "data-key": session, onclick: leave },
        element("bdi", {}, name),
      );
