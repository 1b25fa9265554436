import { timeNode } from "../dates.js";
import { element } from "../dom.js";
import { fileNode, removedNode } from "./diff.js";
import { countOf, makerText, sizeText, VERDICTS, wishText } from "./words.js";

/**
 * @typedef {import('./api.js').Candidate} Candidate
 * @typedef {{ back: () => void, decide: (decision: import('./api.js').Decision) => void }} ReviewActions
 */

/** So many changed files are open at once. */
const OPEN = 5;
const LATER_DAYS = 7;

/**
 * A draft as it is decided about: every file, what it would change, and what the scan found.
 * @param {Candidate} candidate
 * @param {number} now
 * @param {ReviewActions} actions
 */
export function reviewNodes(candidate, now, actions) {
  const { draft, files, removed } = candidate;
  const { name, description, hash, changedAt, bytes } = draft;
  return [
    element(
      "button",
      { type: "button", class: "quiet", "data-key": "back", onclick: actions.back },
      "← All skills",
    ),
    element("h3", { id: "review-title", tabindex: -1 }, element("bdi", {}, name)),
    element("p", { class: "skill-says", dir: "auto" }, description),
    element(
      "p",
      { class: "origin" },
      `${wishText(draft)}, ${makerText(draft)}, `,
      timeNode(changedAt, now),
      ` · ${countOf(draft.files, "file")}, ${sizeText(bytes)} · `,
      element("span", { title: hash }, `#${hash.slice(0, 8)}`),
    ),
    conflictNode(candidate),
    scanNode(candidate),
    element(
      "div",
      { class: "draft-files" },
      ...files.map((file, at) => fileNode(file, at < OPEN)),
      ...removed.map(removedNode),
    ),
    decisionNode(candidate, actions),
  ].filter((node) => node !== null);
}

/** @param {Candidate} candidate */
const conflictNode = ({ conflict }) =>
  conflict === null
    ? null
    : element("p", { class: "conflict", role: "note", dir: "auto" }, conflict);

/** @param {Candidate} candidate */
function scanNode({ scan: { verdict, findings } }) {
  return element(
    "section",
    { class: "scan", "aria-label": "What the scan found", "data-state": verdict },
    element("h4", {}, VERDICTS[verdict]),
    findings.length === 0
      ? element(
          "p",
          { class: "soft" },
          "No pattern of something harmful was found. That is no proof: read it.",
        )
      : element("ul", {}, ...findings.map(findingNode)),
  );
}

/** @param {Candidate['scan']['findings'][number]} finding */
const findingNode = ({ verdict, path, line, excerpt, why, category }) =>
  element(
    "li",
    {},
    element(
      "p",
      {},
      element("span", { class: "tag", "data-state": verdict }, category),
      " ",
      element("span", { dir: "auto" }, why),
    ),
    element("p", { class: "soft" }, element("bdi", {}, `${path}:${line}`)),
    element("pre", { class: "excerpt" }, excerpt),
  );

/** @param {Candidate} candidate @param {ReviewActions} actions */
function decisionNode({ draft, conflict, scan }, { decide }) {
  const reason = /** @type {HTMLInputElement} */ (
    element("input", {
      type: "text",
      id: "review-reason",
      placeholder: "Why not? (your agent is not told)",
      "aria-label": "Why it is turned down",
      maxlength: 1_000,
      "data-key": "reason",
    })
  );
  const cannot = conflict !== null || scan.verdict === "dangerous";
  const label = draft.action === "archive" ? "Put it away" : "Put it to use";
  const button = (
    /** @type {string} */ name,
    /** @type {string} */ kind,
    /** @type {() => void} */ run,
    isOff = false,
  ) =>
    element(
      "button",
      { type: "button", class: kind, disabled: isOff, "data-key": name, onclick: run },
      name,
    );
  return element(
    "div",
    { class: "decision" },
    reason,
    element(
      "div",
      { class: "choices" },
      button("Turn down", "plain risky", () =>
        decide({ kind: "reject", reason: reason.value.trim() }),
      ),
      button("Not now", "plain", () => decide({ kind: "defer", days: LATER_DAYS })),
      button(label, "solid", () => decide({ kind: "promote" }), cannot),
    ),
  );
}
