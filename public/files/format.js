import { IMAGE_TYPES } from "../picture.js";

/**
 * @typedef {import('../../src/shared/workspace-files.ts').FileInfo} FileInfo
 * @typedef {import('../../src/shared/workspace-files.ts').LayerName} LayerName
 */

/** What a layer is called to the person. @type {Record<LayerName, string>} */
export const LAYERS = { own: "yours", shared: "shared", template: "template" };

/** @param {number} bytes */
export function formatSize(bytes) {
  if (bytes < 1_024) return `${bytes} B`;
  const [amount, unit] = bytes < 1_048_576 ? [bytes / 1_024, "KB"] : [bytes / 1_048_576, "MB"];
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${unit}`;
}

/** Day and time as the reader writes them. @param {number} at Milliseconds since the epoch. */
export const formatTime = (at) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }).format(at);

/** Who wrote a version, in words. @param {string | null} by As `FileInfo.by` shows it. */
export function authorOf(by) {
  const [kind, name] = splitOnce(by ?? "template");
  if (kind === "user") return name;
  if (kind === "agent") return `the agent ${splitOnce(name, "/")[0]}`;
  if (kind === "job") return `the job ${name}`;
  return kind === "outside" ? "someone outside of Carrel" : "the template";
}

/**
 * How a file is shown. `picture` only for what the browser draws and never runs.
 * @param {Pick<FileInfo, 'path' | 'type'>} file
 * @returns {'text' | 'log' | 'picture' | 'binary'}
 */
export function kindOf(file) {
  if (file.type !== "blob") return file.type;
  return pictureType(file.path) === null ? "binary" : "picture";
}

/** @param {string} path */
export const isMarkdown = (path) => /\.(md|markdown)$/i.test(path);

/** The media type of a picture by its name, or `null`. @param {string} path */
export function pictureType(path) {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase();
  return IMAGE_TYPES.find((type) => type === `image/${ending === "jpg" ? "jpeg" : ending}`) ?? null;
}

/**
 * @param {string} text
 * @returns {[string, string]}
 */
function splitOnce(text, separator = ":") {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
