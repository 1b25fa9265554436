import { timeNode } from "../dates.js";
import { element } from "../dom.js";
import { fileLink } from "../file-link.js";
import { draftNodes } from "./drafts.js";
import { awayNodes } from "./away.js";
import { countOf, sourceText } from "./words.js";

/**
 * @typedef {import('./api.js').Skill} Skill
 * @typedef {{
 *   openFile: (path: string) => void, review: (name: string) => void,
 *   move: (name: string, kind: 'pin' | 'unpin' | 'archive') => void,
 *   restore: (skill: import('./api.js').Archived) => void,
 * }} Actions
 */

/**
 * All that the panel lists: what waits, what is in use, and what is not.
 * @param {import('./api.js').Everything} everything
 * @param {number} now
 * @param {Actions} actions
 */
export const listNodes = ({ overview, drafts, curator }, now, actions) => [
  ...draftNodes(drafts, now, actions),
  ...skillNodes(overview.skills, now, actions),
  ...awayNodes(overview, curator, now, actions),
];

/** @param {readonly Skill[]} skills @param {number} now @param {Actions} actions */
function skillNodes(skills, now, actions) {
  if (skills.length === 0)
    return [
      element(
        "div",
        { class: "skills-empty" },
        element("p", {}, "There are no skills yet."),
        element(
          "p",
          {},
          "Put one into the folder skills/ of your files, add one from a zip file, or ask your agent to make a skill of something that went well. What it drafts waits here for you.",
        ),
      ),
    ];
  return [
    element(
      "section",
      { class: "skills-section", "aria-label": "In use" },
      element("h3", {}, "In use"),
      element("ul", {}, ...skills.map((skill) => skillNode(skill, now, actions))),
    ),
  ];
}

/** @param {Skill} skill @param {number} now @param {Actions} actions */
function skillNode(skill, now, actions) {
  const { name, description, directory, warnings, state, pinned, source } = skill;
  const button = (
    /** @type {string} */ label,
    /** @type {string} */ title,
    /** @type {() => void} */ run,
  ) =>
    element(
      "button",
      {
        type: "button",
        class: "quiet",
        title,
        "aria-label": `${label}: ${name}`,
        "data-key": label,
        onclick: run,
      },
      label,
    );
  const pin = pinned
    ? button("Unpin", "It may be put away once nobody uses it", () => actions.move(name, "unpin"))
    : button("Pin", "Keep it, used or not", () => actions.move(name, "pin"));
  const archive =
    source === "own"
      ? button("Put away", "Take it out of use; it can be brought back", () =>
          actions.move(name, "archive"),
        )
      : null;
  return element(
    "li",
    { class: "skill", "data-item": `skill ${name}` },
    element(
      "p",
      { class: "skill-name" },
      fileLink(`${directory}/SKILL.md`, name, actions),
      state === "stale" ? tag("long unused", "stale") : null,
      pinned ? tag("pinned", "pinned") : null,
    ),
    element("p", { class: "skill-says", dir: "auto" }, description),
    element(
      "div",
      { class: "origin" },
      element("div", { class: "remembered-actions" }, pin, archive),
      sourceText(skill),
      " · ",
      ...usageNodes(skill, now),
    ),
    warnings.length === 0
      ? null
      : element(
          "details",
          { class: "skill-warnings" },
          element("summary", { "data-key": "warnings" }, countOf(warnings.length, "warning")),
          element("ul", {}, ...warnings.map((text) => element("li", { dir: "auto" }, text))),
        ),
  );
}

/** @param {Skill} skill @param {number} now @returns {(Node | string)[]} */
function usageNodes({ usage, provenance }, now) {
  const { useCount, lastUsedAt } = usage;
  const made = provenance?.createdBy === "agent" ? "made by your agent, " : "";
  if (useCount === 0 || lastUsedAt === null) return [`${made}never used`];
  return [`${made}used ${countOf(useCount, "time")}, last `, timeNode(lastUsedAt, now)];
}

/** @param {string} text @param {string} state */
export const tag = (text, state) => element("span", { class: "tag", "data-state": state }, text);
