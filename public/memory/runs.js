import { timeNode } from "../dates.js";
import { element } from "../dom.js";
import { fileLink } from "../file-link.js";
import { fileName } from "./sources.js";
import { countOf, isUndoable, runText } from "./words.js";

/** @typedef {import('./api.js').Run} Run */

/** So many runs show; the others are folded. */
const SHOWN = 3;

/**
 * The last runs of the upkeep.
 * @param {readonly Run[]} runs The newest first.
 * @param {number} now
 * @param {Pick<import('./links.js').Ways, 'openFile'> & { undoRun: (run: Run) => void }} actions
 */
export function runNodes(runs, now, actions) {
  if (runs.length === 0) return [];
  const items = runs.map((run) => runNode(run, now, actions));
  const older = items.slice(SHOWN);
  return [
    element("h3", {}, "Last tidy-ups"),
    element("ul", {}, ...items.slice(0, SHOWN)),
    older.length === 0
      ? ""
      : element(
          "details",
          {},
          element("summary", { "data-key": "older" }, `${older.length} earlier`),
          element("ul", {}, ...older),
        ),
  ];
}

/**
 * @param {Run} run
 * @param {number} now
 * @param {Pick<import('./links.js').Ways, 'openFile'> & { undoRun: (run: Run) => void }} actions
 */
function runNode(run, now, actions) {
  const { at, why, path, state } = run;
  const undo = element(
    "button",
    {
      type: "button",
      class: "quiet",
      title: "Take back all that it did",
      "data-key": "undo",
      onclick: () => actions.undoRun(run),
    },
    "Undo",
  );
  return element(
    "li",
    { class: "run", "data-item": run.run, "data-state": state },
    element(
      "div",
      { class: "run-what" },
      element("p", {}, timeNode(at, now), ": ", runText(run)),
      why === null || why === "" ? null : element("p", { class: "why", dir: "auto" }, why),
    ),
    element(
      "div",
      { class: "remembered-actions" },
      element(
        "button",
        {
          type: "button",
          class: "quiet",
          title: path,
          "data-key": "record",
          onclick: () => actions.openFile(path),
        },
        "Record",
      ),
      isUndoable(run) ? undo : null,
    ),
  );
}

/**
 * The notes of each day, which the runs read.
 * @param {import('./api.js').MemoryOverview['ledgers']} ledgers
 * @param {number} now
 * @param {Pick<import('./links.js').Ways, 'openFile'>} ways
 */
export function noteNodes(ledgers, now, ways) {
  const newest = ledgers.toSorted((a, b) => (a.path < b.path ? 1 : -1));
  return newest.map(({ path, entries }) =>
    element(
      "li",
      {},
      fileLink(path, fileName(path, now), ways),
      element("span", { class: "size" }, countOf(entries, "note")),
    ),
  );
}
