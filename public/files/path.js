const MAX_BYTES = 512;

/** What the server would refuse as well: controls and line breaks, and halves of characters. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

/** A path as the server spells it: names joined by single slashes. @param {string} raw */
export const canonicalPath = (raw) => namesOf(raw).join("/");

/**
 * Why a file cannot have this path, in words for the person, or `null` when it can.
 * @param {string} raw
 */
export function pathProblem(raw) {
  if (raw.includes("\\")) return "Separate folders with “/”.";
  if (FORBIDDEN.test(raw)) return "A path has no line breaks or control characters.";
  const names = namesOf(raw);
  if (names.length === 0) return "Write a name, for example “knowledge/notes.md”.";
  if (raw.trim().endsWith("/")) return "Write the file's name after the folder.";
  if (names.includes("..")) return "A path cannot contain “..”.";
  if (names.some((name) => name !== name.trim())) return "A name cannot begin or end with a space.";
  if (new TextEncoder().encode(names.join("/")).length > MAX_BYTES)
    return `A path cannot be longer than ${MAX_BYTES} bytes.`;
  return null;
}

/** The folder that holds a path, `""` for the top. @param {string} path */
export const folderOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** The last name of a path. @param {string} path */
export const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1);

/** @param {string} folder @param {string} name */
export const joinPath = (folder, name) => (folder === "" ? name : `${folder}/${name}`);

/** The directory of the skill that a path is part of, which is overridden and reset as one, or `null`. @param {string} path */
export const skillOf = (path) => /^skills\/[^/]+(?=\/)/.exec(path)?.[0] ?? null;

/** The folders above a path, the outermost first. @param {string} path */
export function foldersAbove(path) {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

/** @param {string} raw */
const namesOf = (raw) => raw.split("/").filter((name) => name !== "" && name !== ".");
