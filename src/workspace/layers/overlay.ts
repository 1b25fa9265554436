import type { LayerName } from "../../shared/workspace-files.ts";
import { parentOf } from "./path.ts";
import type { WorkspacePath } from "./path.ts";
import { ruleOf, unitOf } from "./path-rules.ts";

/** What one layer holds, by canonical path. `File` is whatever its owner keeps of a file. */
export type Layer<File> = {
  readonly name: LayerName;
  readonly files: ReadonlyMap<WorkspacePath, File>;
  /** Units (`unitOf`) of the layers below that this one hides. */
  readonly whiteouts: ReadonlySet<WorkspacePath>;
};

export type OverlayEntry<File> = {
  readonly path: WorkspacePath;
  /** Where the file comes from. */
  readonly layer: LayerName;
  readonly file: File;
};

/** One line of a listing. `file` is `null` for a directory, whose layer is the highest with a file below it. */
export type OverlayListing<File> = Omit<OverlayEntry<File>, "file"> & {
  readonly file: File | null;
};

/** The one tree that a caller sees through the layers. Everything is sorted by path, by UTF-16 units. */
export type Overlay<File> = {
  /** The layers that it was made from, highest first. */
  readonly layers: readonly [Layer<File>, ...Layer<File>[]];
  readonly entries: readonly OverlayEntry<File>[];
  /** `null` when no file shows there; a directory is not a file. */
  get(path: WorkspacePath): OverlayEntry<File> | null;
  /** The file at `path` or the files below it; all for the root, none where nothing is. */
  under(path: WorkspacePath): readonly OverlayEntry<File>[];
  /** One level; `null` when there is no such directory. The root always exists. */
  list(directory: WorkspacePath): readonly OverlayListing<File>[] | null;
};

/**
 * Lays layers over one another, highest first, their names all different. For each unit the highest layer that has
 * a file or a whiteout in it decides alone; a blank file is a file. Where one layer has a file and another a
 * directory of the same name, the higher one shows. Memory and runtime files show from the first layer only.
 */
export function createOverlay<File>(
  layers: readonly [Layer<File>, ...Layer<File>[]],
): Overlay<File> {
  const files = merge(layers);
  const entries = [...files.values()].toSorted(byPath);
  const under = (path: WorkspacePath) => entries.filter((entry) => isWithin(path, entry.path));
  const rank = new Map(layers.map(({ name }, at) => [name, at]));
  const higher = (a: LayerName, b: LayerName) => ((rank.get(a) ?? 0) <= (rank.get(b) ?? 0) ? a : b);

  return {
    layers,
    entries,
    under,
    get: (path) => files.get(path) ?? null,
    list(directory) {
      const found = under(directory);
      if (directory !== "" && (found.length === 0 || files.has(directory))) return null;
      const children = new Map<WorkspacePath, OverlayListing<File>>();
      for (const entry of found) {
        const path = childOf(directory, entry.path);
        const layer = higher(children.get(path)?.layer ?? entry.layer, entry.layer);
        children.set(path, { path, layer, file: path === entry.path ? entry.file : null });
      }
      return [...children.values()].toSorted(byPath);
    },
  };
}

function merge<File>(layers: readonly Layer<File>[]): Map<WorkspacePath, OverlayEntry<File>> {
  const shown = new Map<WorkspacePath, OverlayEntry<File>>();
  const directories = new Set<WorkspacePath>();
  /** Units that a higher layer has decided. */
  const decided = new Set<WorkspacePath>();
  for (const [depth, { name, files, whiteouts }] of layers.entries()) {
    const units = new Set(whiteouts);
    for (const [path, file] of files) {
      if (depth > 0 && ruleOf(path).layers === "own") continue;
      const unit = unitOf(path);
      units.add(unit);
      const parents = parentsOf(path);
      const isHidden =
        decided.has(unit) || directories.has(path) || parents.some((parent) => shown.has(parent));
      if (isHidden) continue;
      shown.set(path, { path, layer: name, file });
      for (const parent of parents) directories.add(parent);
    }
    for (const unit of units) decided.add(unit);
  }
  return shown;
}

/** Whether `path` is `directory` or lies below it; everything is within the root. */
export const isWithin = (directory: WorkspacePath, path: WorkspacePath): boolean =>
  directory === "" || path === directory || path.startsWith(`${directory}/`);

/** The directories above `path`, nearest first, without the root. */
export function parentsOf(path: WorkspacePath): WorkspacePath[] {
  const parents: WorkspacePath[] = [];
  for (let parent = parentOf(path); parent !== ""; parent = parentOf(parent)) parents.push(parent);
  return parents;
}

function childOf(directory: WorkspacePath, path: WorkspacePath): WorkspacePath {
  const end = path.indexOf("/", directory === "" ? 0 : directory.length + 1);
  return (end === -1 ? path : path.slice(0, end)) as WorkspacePath;
}

const byPath = (a: { path: WorkspacePath }, b: { path: WorkspacePath }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
