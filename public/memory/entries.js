import { timeNode } from "../dates.js";
import { element } from "../dom.js";
import { MarkdownView } from "../render.js";
import { fileLink } from "../file-link.js";
import { conversationLink } from "./links.js";
import { conversationOf, newestFirst, placeName } from "./sources.js";
import { sectionsOf, shortOf } from "./words.js";

/**
 * @typedef {import('./api.js').Entry} Entry
 * @typedef {import('./api.js').Source} Source
 * @typedef {import('./links.js').Ways & { undo: (entry: Entry) => void, forget: (entry: Entry) => void }} EntryActions
 * @typedef {{ conversations: import('./sources.js').Conversations, runs: readonly import('./api.js').Run[], now: number }} Known
 */

/** So many sources of one entry show; the others are folded. */
const SHOWN = 2;

/**
 * What is remembered, by its headings.
 * @param {readonly Entry[]} entries
 * @param {Known} known
 * @param {EntryActions} actions
 */
export const entryNodes = (entries, known, actions) =>
  sectionsOf(entries).map(({ title, entries: members }) =>
    element(
      "section",
      { class: "memory-section", "aria-label": title || "Remembered" },
      title === "" ? null : element("h3", { dir: "auto" }, title),
      element("ul", {}, ...members.map((entry) => entryNode(entry, known, actions))),
    ),
  );

/** @param {Entry} entry @param {Known} known @param {EntryActions} actions */
function entryNode(entry, known, actions) {
  const text = new MarkdownView();
  text.update(entry.text);
  const name = shortOf(entry.text);
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
  const buttons = element(
    "div",
    { class: "remembered-actions" },
    button("Undo", "Take back what last made it so", () => actions.undo(entry)),
    button("Forget", "Remove it for good", () => actions.forget(entry)),
  );
  return element(
    "li",
    { class: "remembered", "data-item": entry.id },
    text.node,
    element("div", { class: "origin" }, buttons, ...originNodes(entry, known, actions)),
  );
}

/** Where it comes from, and who wrote it. @param {Entry} entry @param {Known} known @param {EntryActions} actions */
function originNodes(entry, known, actions) {
  const isTidied = entry.run !== null;
  const rows = newestFirst(entry.sources)
    .map((source) => sourceNodes(source, isTidied, known, actions))
    .filter((nodes) => nodes.length > 0);
  const [first = [], ...rest] = rows;
  const items = [joined(first, writerNodes(entry, known, actions)), ...rest].map((nodes) =>
    element("li", {}, ...nodes),
  );
  const hidden = items.slice(SHOWN);
  const more = element("summary", { "data-key": "more" }, `${hidden.length} more`);
  return [
    element("ul", {}, ...items.slice(0, SHOWN)),
    hidden.length === 0 ? null : element("details", {}, more, element("ul", {}, ...hidden)),
  ];
}

/**
 * What a source says: the conversation, its time, and the note that was made there.
 * @param {Source} source
 * @param {boolean} isTidied A tidy-up made the entry of it.
 * @param {Known} known
 * @param {EntryActions} actions
 * @returns {(Node | string)[]}
 */
function sourceNodes(source, isTidied, { conversations, now }, actions) {
  const { session, at, path } = source;
  const isHere = path === "MEMORY.md";
  if (session === null)
    return isHere ? [] : ["From ", fileLink(path, placeName(source, now), actions)];
  const conversation = conversationLink(conversationOf(session, conversations), actions);
  const said = [isTidied ? "From " : "Saved in ", conversation];
  const when = at === null ? said : [...said, ", ", timeNode(at, now)];
  return isHere ? when : joined(when, [fileLink(path, "note", actions)]);
}

/** @param {Entry} entry @param {Known} known @param {EntryActions} actions @returns {(Node | string)[]} */
function writerNodes({ run, sources }, { runs, now }, actions) {
  if (run === null)
    return sources.some(({ session }) => session !== null) ? [] : ["Written into the file by hand"];
  const tidied = runs.find((other) => other.run === run);
  if (!tidied) return ["tidied up"];
  const link = fileLink(tidied.path, "tidied up", actions);
  return [element("span", { class: "piece" }, link, " ", timeNode(tidied.at, now))];
}

/**
 * Two parts of a line, where both say something; it breaks after the dot.
 * @param {(Node | string)[]} first
 * @param {(Node | string)[]} second
 */
const joined = (first, second) =>
  first.length === 0 || second.length === 0
    ? [...first, ...second]
    : [...first, "\u00a0· ", ...second];
