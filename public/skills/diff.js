import { element } from "../dom.js";
import { sizeText } from "./words.js";

/** @typedef {import('./api.js').CandidateFile} CandidateFile */

/** So many lines of a new file show at once; the rest is unfolded. */
const SHOWN = 400;

/**
 * A file of a draft: what would change in it, or all of it where it is new.
 * @param {CandidateFile} file
 * @param {boolean} isOpen
 */
export function fileNode(file, isOpen) {
  const { path, size, executable, live, text } = file;
  const isSame = live !== null && live.sha256 === file.sha256 && live.executable === executable;
  const state = live === null ? "new" : isSame ? "unchanged" : "changed";
  const body = isSame
    ? textNodes(text, "same")
    : live !== null && live.sha256 === file.sha256
      ? [
          element(
            "p",
            { class: "soft" },
            executable ? "It becomes a program that can be run." : "It can be run no more.",
          ),
        ]
      : changeNodes(file);
  return element(
    "details",
    { class: "draft-file", open: isOpen && !isSame },
    element(
      "summary",
      { "data-key": `file ${path}` },
      element("bdi", { class: "path" }, path),
      element("span", { class: "tag", "data-state": state }, state),
      executable ? element("span", { class: "tag", "data-state": "caution" }, "can be run") : null,
      element("span", { class: "soft" }, sizeText(size)),
    ),
    ...body,
  );
}

/** A file that would be gone. @param {import('./api.js').Candidate['removed'][number]} file */
export const removedNode = ({ path, size, text }) =>
  element(
    "details",
    { class: "draft-file" },
    element(
      "summary",
      { "data-key": `file ${path}` },
      element("bdi", { class: "path" }, path),
      element("span", { class: "tag", "data-state": "removed" }, "removed"),
      element("span", { class: "soft" }, sizeText(size)),
    ),
    ...textNodes(text, "removed"),
  );

/** @param {CandidateFile} file */
function changeNodes({ text, live, diff, sha256 }) {
  if (text === null) return [element("p", { class: "soft" }, `It is not text. SHA-256: ${sha256}`)];
  if (diff === null) {
    const note =
      live === null
        ? []
        : [
            element(
              "p",
              { class: "soft" },
              "Too much is different to be compared line by line: this is all of it.",
            ),
          ];
    return [...note, ...textNodes(text, "added")];
  }
  return diff.map((hunk) =>
    element(
      "div",
      { class: "hunk" },
      element("p", { class: "soft" }, `From line ${hunk.newStart}`),
      linesNode(hunk.lines),
    ),
  );
}

/** @param {string | null} text @param {'same' | 'added' | 'removed'} kind */
function textNodes(text, kind) {
  if (text === null) return [element("p", { class: "soft" }, "It is not text.")];
  const lines = text.replace(/\n$/, "").split("\n");
  const toLine = (/** @type {string} */ line) => ({ kind, text: line });
  const first = linesNode(lines.slice(0, SHOWN).map(toLine));
  const rest = lines.slice(SHOWN);
  if (rest.length === 0) return [first];
  const more = element(
    "details",
    {},
    element("summary", { "data-key": "rest" }, `${rest.length} more lines`),
    linesNode(rest.map(toLine)),
  );
  return [first, more];
}

/** @type {Readonly<Record<'same' | 'added' | 'removed', string>>} */
const SIGNS = { same: " ", added: "+", removed: "−" };

/** @param {readonly { kind: 'same' | 'added' | 'removed', text: string }[]} lines */
const linesNode = (lines) =>
  element(
    "pre",
    { class: "diff", tabindex: 0, role: "region", "aria-label": "Lines" },
    ...lines.map(({ kind, text }) =>
      element(
        kind === "added" ? "ins" : kind === "removed" ? "del" : "span",
        { "data-sign": SIGNS[kind] },
        visible(text),
      ),
    ),
  );

/** Characters that nobody sees, or that turn text around, are shown for what they are. @param {string} text */
const visible = (text) =>
  text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) =>
    char === "\t"
      ? char
      : `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
