import { element } from "../dom.js";
import { formatSize } from "./format.js";

/** @typedef {import('./open.js').OpenFile} OpenFile */

/**
 * What shows a file that is not edited here.
 * @param {OpenFile} file
 * @param {import('./change.js').FileChanges} changes
 * @returns {HTMLElement}
 */
export function bodyNode(file, changes) {
  const { body } = file;
  switch (body.kind) {
    case "picture":
      return pictureNode(body.url, file.path);
    case "log":
      return logNode(file, body, changes);
    case "hidden":
      return plate("You deleted this file. It is still there in the layer below.", [
        { label: "Bring it back", run: () => void changes.run("bringBack") },
      ]);
    case "failed":
      return plate(body.error.message, [{ label: "Try again", run: () => void file.load() }]);
    case "binary":
      return plate(`This file is not text: ${formatSize(file.file.size)}.`, [
        { label: "Download", run: () => void changes.run("download") },
      ]);
    default:
      return plate("Reading the file…", []);
  }
}

/**
 * @param {string} text
 * @param {{ label: string, run: () => void }[]} actions
 */
function plate(text, actions) {
  const buttons = actions.map(({ label, run }) =>
    element("button", { type: "button", class: "plain", onclick: run }, label),
  );
  return element("div", { class: "plate" }, element("p", { role: "status" }, text), ...buttons);
}

/** @param {string} url @param {string} path */
function pictureNode(url, path) {
  const image = element("img", { class: "picture", src: url, alt: path });
  const node = element("div", { class: "plate" }, image);
  image.addEventListener("error", () =>
    node.replaceChildren(element("p", {}, "The browser cannot show this picture.")),
  );
  return node;
}

/**
 * @param {OpenFile} file
 * @param {Extract<import('./open.js').Body, { kind: 'log' }>} log
 * @param {import('./change.js').FileChanges} changes
 */
function logNode(file, { page, offset }, changes) {
  const lines = page.lines ?? [];
  const end = offset + lines.length;
  const turn = (
    /** @type {string} */ label,
    /** @type {number | null} */ to,
    /** @type {boolean} */ isOn,
  ) =>
    element(
      "button",
      {
        type: "button",
        class: "quiet",
        disabled: !isOn,
        onclick: () => void changes.turnTo(to),
      },
      label,
    );
  const place = page.total === 0 ? "No lines yet" : `Lines ${offset + 1}–${end} of ${page.total}`;
  return element(
    "div",
    { class: "log" },
    element(
      "div",
      { class: "log-pages" },
      element("p", { role: "status" }, page.lineCut ? `${place}, the last one cut` : place),
      turn("Earlier", Math.max(0, offset - 200), offset > 0),
      turn("Later", end, end < page.total),
      turn("Newest", null, end < page.total),
    ),
    element(
      "pre",
      { tabindex: 0, dir: "auto", "aria-label": "Lines of the log" },
      lines.join("\n"),
    ),
  );
}
