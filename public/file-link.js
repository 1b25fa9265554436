import { element } from "./dom.js";

/**
 * Opens a file in the files panel.
 * @param {string} path
 * @param {string} label
 * @param {{ openFile: (path: string) => void }} ways
 */
export const fileLink = (path, label, { openFile }) =>
  element(
    "button",
    { type: "button", class: "link", title: path, "data-key": path, onclick: () => openFile(path) },
    label,
  );
