/**
 * What a reload of this tab finds again: where the person was, and text that is not stored yet.
 * @typedef {{ isOpen: boolean, path: string | null, folders: string[] }} Place
 * @typedef {{ session: string | null, path: string, etag: string, text: string,
 *   ending: import('./text.js').EditableText['ending'] }} UnsavedText
 */

const [PLACE, UNSAVED] = ["carrel.files", "carrel.files.unsaved"];

/** @returns {Place} */
export function keptPlace() {
  const { isOpen, path, folders } = Object(read(PLACE));
  return {
    isOpen: isOpen === true,
    path: typeof path === "string" ? path : null,
    folders: Array.isArray(folders) ? folders.map(String) : [],
  };
}

/** @param {Place} place */
export const keepPlace = (place) => keep(PLACE, place);

/** @returns {UnsavedText | null} */
export function keptText() {
  const { session, path, etag, text, ending } = Object(read(UNSAVED));
  const isWhole = [path, etag, text].every((value) => typeof value === "string");
  if (!isWhole) return null;
  return {
    session: typeof session === "string" ? session : null,
    path,
    etag,
    text,
    ending: ending === "\r\n" || ending === "mixed" ? ending : "\n",
  };
}

/**
 * A file that was written to here and is in no listing.
 * @param {UnsavedText} unsaved
 * @returns {import('./rows.js').ListedFile}
 */
export const unlisted = ({ path, etag }) => ({
  path,
  etag,
  layer: "own",
  type: "text",
  size: 0,
  executable: false,
  at: null,
  by: null,
});

/** Keeps a text, or with `null` forgets the one that was kept. @param {UnsavedText | null} unsaved */
export const keepText = (unsaved) => keep(UNSAVED, unsaved);

/** @param {string} name */
function read(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function keep(name, value) {
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Full or forbidden: it lasts as long as the page.
  }
}
