import { byId, element } from "../dom.js";

/** Puts the empty memory panel on the page, closed; what belongs into it is found by id. */
export function placeShell() {
  const node = shell();
  byId("desk").after(node);
  return node;
}

const shell = () =>
  element(
    "aside",
    { class: "panel memory", id: "memory", "aria-labelledby": "memory-title", hidden: true },
    element(
      "header",
      { class: "panel-head" },
      element("h2", { id: "memory-title", tabindex: -1 }, "Memory"),
      bare("memory-refresh", "Read the memory again"),
      bare("memory-close", "Close the memory"),
    ),
    element("div", { class: "panel-notice", id: "memory-notice", role: "alert", hidden: true }),
    element("input", {
      type: "search",
      class: "files-filter",
      id: "memory-search",
      placeholder: "Search memory, notes and conversations",
      "aria-label": "Search memory, notes and conversations",
      "aria-controls": "memory-results",
      autocomplete: "off",
      spellcheck: "false",
      maxlength: 1_000,
    }),
    element("div", { class: "memory-body", id: "memory-body" }, results(), overview()),
  );

/** @param {string} id @param {string} name */
const bare = (id, name) =>
  element("button", { type: "button", class: "bare", id, "aria-label": name, title: name });

const results = () =>
  element(
    "section",
    { class: "memory-results", id: "memory-results", "aria-label": "Found", hidden: true },
    element(
      "div",
      { class: "memory-found" },
      element("p", { id: "memory-found", role: "status" }),
      element(
        "button",
        { type: "button", class: "quiet", id: "memory-search-again", hidden: true },
        "Search again",
      ),
    ),
    element("ul", { id: "memory-hits" }),
  );

const overview = () =>
  element(
    "div",
    { id: "memory-overview" },
    element("p", { class: "memory-wait", id: "memory-wait", role: "status" }),
    element(
      "div",
      { class: "fullness", id: "memory-fullness", hidden: true },
      element("progress", { id: "memory-meter", "aria-label": "How full the memory is" }),
      element("p", { id: "memory-figures" }),
      element("p", { id: "memory-pending" }),
    ),
    element(
      "div",
      { class: "memory-empty", id: "memory-empty", hidden: true },
      element("p", {}, "Nothing is remembered yet."),
      element(
        "p",
        {},
        "Tell your agent something worth remembering, such as “I take the train to work, never the car.” It notes what matters as you talk, and a tidy-up moves the notes here now and then. “Remember this” puts it here at once.",
      ),
    ),
    element("div", { id: "memory-entries" }),
    element("section", {
      class: "memory-section runs",
      id: "memory-runs",
      "aria-label": "Last tidy-ups",
      hidden: true,
    }),
    element(
      "details",
      { class: "memory-notes", id: "memory-notes", hidden: true },
      element("summary", { id: "memory-notes-title" }),
      element("ul", { id: "memory-notes-list" }),
    ),
    element("p", { class: "memory-forgotten", id: "memory-forgotten" }),
  );
