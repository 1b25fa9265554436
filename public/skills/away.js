import { timeNode } from "../dates.js";
import { element } from "../dom.js";
import { fileLink } from "../file-link.js";
import { countOf } from "./words.js";

/**
 * @typedef {import('./api.js').SkillsView} SkillsView
 * @typedef {Pick<import('./list.js').Actions, 'openFile' | 'restore'>} Actions
 */

/**
 * What is not in use: put away, left out and why, the repositories, and what the curator did.
 * @param {SkillsView} overview
 * @param {import('./api.js').Curator | null} curator
 * @param {number} now
 * @param {Actions} actions
 */
export const awayNodes = ({ archived, leftOut, repositories }, curator, now, actions) =>
  [
    folded(
      "archived",
      `Put away: ${archived.length}`,
      archived.map((one) => archivedNode(one, now, actions)),
    ),
    folded("left-out", `Left out: ${leftOut.length}`, leftOut.map(leftOutNode)),
    folded(
      "repositories",
      countOf(repositories.length, "repository", "repositories"),
      repositories.map((one) => repositoryNode(one, now)),
    ),
    curatorNode(curator, now, actions),
  ].filter((node) => node !== null);

/** @param {string} key @param {string} title @param {Node[]} items */
const folded = (key, title, items) =>
  items.length === 0
    ? null
    : element(
        "details",
        { class: "skills-away", "data-item": key },
        element("summary", { "data-key": key }, title),
        element("ul", {}, ...items),
      );

/** @param {import('./api.js').Archived} skill @param {number} now @param {Actions} actions */
function archivedNode(skill, now, { openFile, restore }) {
  const { name, directory, at, why, was } = skill;
  return element(
    "li",
    { class: "skill", "data-item": directory },
    element(
      "div",
      { class: "draft-head" },
      element("p", { class: "skill-name" }, fileLink(`${directory}/SKILL.md`, name, { openFile })),
      was === "skill"
        ? element(
            "button",
            {
              type: "button",
              class: "quiet",
              "aria-label": `Bring back: ${name}`,
              "data-key": "restore",
              onclick: () => restore(skill),
            },
            "Bring back",
          )
        : null,
    ),
    element(
      "p",
      { class: "origin", dir: "auto" },
      was === "draft" ? "a draft, " : "",
      timeNode(at, now),
      why === "" ? "" : `: ${why}`,
    ),
  );
}

/** @param {import('./api.js').LeftOut} one */
const leftOutNode = ({ what, name, why }) =>
  element(
    "li",
    { class: "skill" },
    element("p", { class: "skill-name" }, element("bdi", {}, name ?? what)),
    element("p", { class: "origin", dir: "auto" }, name === null ? why : `${what}: ${why}`),
  );

/** @param {import('./api.js').Repository} repository @param {number} now */
function repositoryNode({ label, trust, ageMs, skills, failure, problems, quarantined }, now) {
  const age = ageMs === null ? ["not fetched yet"] : ["as of ", timeNode(now - ageMs, now)];
  const lines = [
    ...(failure ? [`It did not answer: ${failure.why}`] : []),
    ...quarantined.map((one) => `${one.name} is kept out: ${one.why}`),
    ...problems,
  ];
  return element(
    "li",
    { class: "skill" },
    element("p", { class: "skill-name" }, element("bdi", {}, label)),
    element("p", { class: "origin" }, `${countOf(skills, "skill")}, ${trust}, `, ...age),
    lines.length === 0
      ? null
      : element(
          "ul",
          { class: "origin" },
          ...lines.map((line) => element("li", { dir: "auto" }, line)),
        ),
  );
}

/** @param {import('./api.js').Curator | null} curator @param {number} now @param {Actions} actions */
function curatorNode(curator, now, actions) {
  if (!curator || (!curator.isEnabled && curator.lastRunAt === null)) return null;
  const { lastRunAt, lastSummary, lastReport } = curator;
  const said =
    lastRunAt === null
      ? [
          "Once a week, what your agent made and nobody uses is looked through. The first time it only reports.",
        ]
      : [
          "Looked through ",
          timeNode(lastRunAt, now),
          lastSummary === null ? "." : `: ${lastSummary} `,
        ];
  const report =
    lastReport === null ? null : fileLink(`${lastReport}/REPORT.md`, "Report", actions);
  return element("p", { class: "skills-curator", "data-item": "curator" }, ...said, report);
}
