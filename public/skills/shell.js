import { byId, element } from "../dom.js";

/** Puts the empty skills panel on the page, closed; what belongs into it is found by id. */
export function placeShell() {
  const node = shell();
  byId("desk").after(node);
  return node;
}

const shell = () =>
  element(
    "aside",
    { class: "panel skills", id: "skills", "aria-labelledby": "skills-title", hidden: true },
    element(
      "header",
      { class: "panel-head" },
      element("h2", { id: "skills-title", tabindex: -1 }, "Skills"),
      bare("skills-add", "Add a skill from a zip file"),
      bare("skills-refresh", "Read the skills again"),
      bare("skills-close", "Close the skills"),
      element("input", {
        type: "file",
        id: "skills-file",
        accept: ".zip,.skill,application/zip",
        "aria-label": "A skill as a zip file",
        tabindex: -1,
        hidden: true,
      }),
    ),
    element("div", { class: "panel-notice", id: "skills-notice", role: "alert", hidden: true }),
    element(
      "div",
      { class: "skills-body", id: "skills-body" },
      element("p", { class: "skills-wait", id: "skills-wait", role: "status" }),
      element("div", { id: "skills-list" }),
      element("section", { class: "review", id: "skills-review", hidden: true }),
    ),
  );

/** @param {string} id @param {string} name */
const bare = (id, name) =>
  element("button", { type: "button", class: "bare", id, "aria-label": name, title: name });
