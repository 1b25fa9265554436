import { timeNode } from "../dates.js";
import { element } from "../dom.js";
import { makerText, VERDICTS, wishText } from "./words.js";

/** @typedef {import('./api.js').Draft} Draft */

/**
 * The drafts: first those that wait for a decision, then those that were put off.
 * @param {readonly Draft[]} drafts
 * @param {number} now
 * @param {Pick<import('./list.js').Actions, 'review'>} actions
 */
export function draftNodes(drafts, now, actions) {
  if (drafts.length === 0) return [];
  const isLater = (/** @type {Draft} */ { deferredUntil }) => (deferredUntil ?? 0) > now;
  const ordered = [...drafts.filter((one) => !isLater(one)), ...drafts.filter(isLater)];
  return [
    element(
      "section",
      { class: "skills-section waiting", "aria-label": "Waiting for you" },
      element("h3", {}, "Waiting for you"),
      element("ul", {}, ...ordered.map((draft) => draftNode(draft, now, actions))),
    ),
  ];
}

/** @param {Draft} draft @param {number} now @param {Pick<import('./list.js').Actions, 'review'>} actions */
function draftNode(draft, now, { review }) {
  const { name, description, verdict, changedAt, deferredUntil, deferredWhy } = draft;
  const isLater = deferredUntil !== null && deferredUntil > now;
  return element(
    "li",
    { class: "skill", "data-item": `draft ${name}`, "data-state": isLater ? "later" : "now" },
    element(
      "div",
      { class: "draft-head" },
      element(
        "p",
        { class: "skill-name" },
        element("bdi", {}, name),
        element("span", { class: "tag", "data-state": verdict }, VERDICTS[verdict]),
      ),
      element(
        "button",
        {
          type: "button",
          class: isLater ? "quiet" : "solid small",
          "aria-label": `Review: ${name}`,
          "data-key": "review",
          onclick: () => review(name),
        },
        "Review",
      ),
    ),
    element("p", { class: "skill-says", dir: "auto" }, description),
    element(
      "p",
      { class: "origin" },
      `${wishText(draft)}, ${makerText(draft)}, `,
      timeNode(changedAt, now),
      ...(isLater ? [" · put off until ", timeNode(deferredUntil, now)] : []),
      isLater && deferredWhy !== null ? `: ${deferredWhy}` : "",
    ),
  );
}
