import { byId, element } from "../dom.js";

/** Puts the empty file panel on the page, closed; what belongs into it is found by id. */
export function placeShell() {
  const node = shell();
  byId("desk").after(node);
  return node;
}

const shell = () =>
  element(
    "aside",
    {
      class: "panel files",
      id: "files",
      "aria-labelledby": "files-title",
      "data-state": "list",
      hidden: true,
    },
    element(
      "header",
      { class: "panel-head" },
      bare("files-back", "All files"),
      element("h2", { id: "files-title", tabindex: -1 }, "Files"),
      bare("files-refresh", "Read the files again"),
      bare("files-close", "Close the files"),
    ),
    element("div", { class: "panel-notice", id: "files-notice", role: "alert", hidden: true }),
    element(
      "div",
      { class: "files-body" },
      element(
        "section",
        { class: "files-list", id: "files-list", "aria-label": "All files" },
        tools(),
        newFile(),
        element("input", {
          type: "search",
          class: "files-filter",
          id: "files-filter",
          placeholder: "Filter",
          "aria-label": "Filter the files",
          "aria-controls": "files-tree",
          autocomplete: "off",
          spellcheck: "false",
        }),
        element("ul", {
          class: "files-tree",
          id: "files-tree",
          role: "tree",
          "aria-label": "Files",
          hidden: true,
        }),
        element("p", { class: "files-empty", id: "files-more", role: "status" }),
        element("p", { class: "files-empty", id: "files-empty", role: "status" }),
        uploads(),
      ),
      element("section", {
        class: "document",
        id: "document",
        "aria-labelledby": "document-title",
        hidden: true,
      }),
    ),
  );

/** @param {string} id @param {string} name */
const bare = (id, name) =>
  element("button", { type: "button", class: "bare", id, "aria-label": name, title: name });

/** @param {string} id @param {string} label @param {Record<string, string>} [more] */
const quiet = (id, label, more = {}) =>
  element("button", { type: "button", class: "quiet", id, ...more }, label);

function tools() {
  return element(
    "div",
    { class: "files-tools" },
    quiet("files-new", "New file", {
      "aria-controls": "files-new-form",
      "aria-expanded": "false",
    }),
    quiet("files-upload", "Upload"),
    element("input", {
      type: "file",
      id: "files-upload-input",
      "aria-label": "Files to upload",
      hidden: true,
      multiple: true,
    }),
    quiet("files-export", "Export", { title: "All files as a zip archive" }),
    quiet("files-import", "Import", { title: "Take in a zip archive" }),
    element("input", {
      type: "file",
      id: "files-import-input",
      "aria-label": "Archive to import",
      accept: ".zip",
      hidden: true,
    }),
  );
}

function newFile() {
  return element(
    "form",
    { class: "new-file", id: "files-new-form", hidden: true, novalidate: true },
    element("label", { for: "files-new-path" }, "Path of the new file"),
    element("input", {
      id: "files-new-path",
      placeholder: "knowledge/notes.md",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      "aria-describedby": "files-new-why",
    }),
    element("p", { id: "files-new-why", role: "alert" }),
    element(
      "div",
      { class: "choices" },
      element("button", { type: "button", class: "plain", id: "files-new-cancel" }, "Cancel"),
      element("button", { type: "submit", class: "solid" }, "Create"),
    ),
  );
}

function uploads() {
  return element(
    "section",
    { class: "uploads", id: "files-uploads", "aria-label": "Uploads", hidden: true },
    element(
      "div",
      { class: "uploads-head" },
      element("p", { id: "files-uploads-status", role: "status" }),
      quiet("files-uploads-clear", "Clear"),
    ),
    element("progress", { id: "files-uploads-progress", "aria-label": "Uploaded files" }),
    element("ul", { id: "files-uploads-list" }),
  );
}
