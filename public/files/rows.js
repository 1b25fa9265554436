import { nameOf } from "./path.js";

/**
 * A file of the listing. `isHidden`: a lower layer has it, and the person's own layer hides it.
 * @typedef {import('../../src/shared/workspace-files.ts').FileInfo & { isHidden?: boolean }} ListedFile
 * @typedef {{ path: string, name: string, level: number, position: number, siblings: number,
 *   isOpen: boolean | null, file: ListedFile | null }} Row A line of the tree: a file, or a folder whose `file`
 *   is null. `isOpen` is null for a file; `position` counts from 1.
 * @typedef {{ folders: Map<string, Folder>, files: ListedFile[] }} Folder
 */

const order = new Intl.Collator("en", { numeric: true });

/**
 * The lines to show, in order: folders before files, each sorted by name. With a filter all folders with a match
 * are open; it finds paths with every one of its words, in any case.
 * @param {readonly ListedFile[]} files
 * @param {{ open: ReadonlySet<string>, filter: string }} view
 * @returns {Row[]}
 */
export function treeRows(files, { open, filter }) {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const found = files.filter(({ path }) => {
    const lower = path.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
  return rowsOf(treeOf(found), "", 1, words.length > 0 ? null : open);
}

/** @param {readonly ListedFile[]} files */
function treeOf(files) {
  /** @type {Folder} */
  const root = { folders: new Map(), files: [] };
  for (const file of files) {
    let folder = root;
    for (const name of file.path.split("/").slice(0, -1)) {
      /** @type {Folder} */
      const inner = folder.folders.get(name) ?? { folders: new Map(), files: [] };
      folder.folders.set(name, inner);
      folder = inner;
    }
    folder.files.push(file);
  }
  return root;
}

/**
 * @param {Folder} folder
 * @param {string} path With its slash, or empty.
 * @param {number} level
 * @param {ReadonlySet<string> | null} open `null`: all of them.
 * @returns {Row[]}
 */
function rowsOf(folder, path, level, open) {
  const siblings = folder.folders.size + folder.files.length;
  const folders = [...folder.folders].toSorted(([a], [b]) => compare(a, b));
  const files = folder.files.toSorted((a, b) => compare(nameOf(a.path), nameOf(b.path)));
  const inner = folders.flatMap(([name, content], index) => {
    const isOpen = open === null || open.has(path + name);
    const row = {
      path: path + name,
      name,
      level,
      position: index + 1,
      siblings,
      isOpen,
      file: null,
    };
    return isOpen ? [row, ...rowsOf(content, `${path}${name}/`, level + 1, open)] : [row];
  });
  const own = files.map((file, index) => ({
    path: file.path,
    name: nameOf(file.path),
    level,
    position: folders.length + index + 1,
    siblings,
    isOpen: null,
    file,
  }));
  return [...inner, ...own];
}

/** @param {string} a @param {string} b */
const compare = (a, b) => order.compare(a, b) || (a < b ? -1 : 1);
