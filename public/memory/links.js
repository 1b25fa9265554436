import { hrefOf } from "../address.js";
import { element } from "../dom.js";

/**
 * Where one can go from what is remembered. `leave`: a conversation is opened.
 * @typedef {{ openFile: (path: string) => void, leave: () => void }} Ways
 */

/**
 * Opens a file in the files panel.
 * @param {string} path
 * @param {string} label
 * @param {Pick<Ways, 'openFile'>} ways
 */
export const fileLink = (path, label, { openFile }) =>
  element(
    "button",
    { type: "button", class: "link", title: path, "data-key": path, onclick: () => openFile(path) },
    label,
  );

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

/**
 * Draws anew; the focus and what was unfolded stay where they were: at what has the same `data-key` in the same
 * `data-item`.
 * @param {HTMLElement} root
 * @param {() => void} draw
 * @param {() => void} lost Takes the focus when that is not there any more.
 */
export function redraw(root, draw, lost) {
  const focused = document.activeElement;
  const hadFocus = focused !== null && root.contains(focused);
  const place = hadFocus ? placeOf(focused) : null;
  const unfolded = new Set(
    [...root.querySelectorAll("details[open] > summary[data-key]")].map(placeOf),
  );
  draw();
  for (const summary of root.querySelectorAll("details > summary[data-key]"))
    if (unfolded.has(placeOf(summary))) summary.parentElement?.setAttribute("open", "");
  if (!hadFocus || focused === document.activeElement) return;
  const same = [...root.querySelectorAll("[data-key]")].find(
    (node) => place !== null && placeOf(node) === place,
  );
  if (same instanceof HTMLElement) same.focus();
  else lost();
}

/** @param {Element} node */
function placeOf(node) {
  const key = node.getAttribute("data-key");
  const item = node.closest("[data-item]")?.getAttribute("data-item") ?? "";
  return key === null ? null : `${item} ${key}`;
}
