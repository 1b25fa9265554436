import { CarrelError, invalid } from "../../shared/errors.ts";
import { createOverlay, isWithin, parentsOf } from "./overlay.ts";
import type { Layer, Overlay, OverlayEntry } from "./overlay.ts";
import type { WorkspacePath } from "./path.ts";
import { ruleOf, unitOf } from "./path-rules.ts";

/** What to do to the highest layer, in one transaction; the layers below are never touched. */
export type OverlayChange<File> = {
  /** Files of lower layers that it gets a copy of, because their unit becomes its own. */
  readonly copy: readonly OverlayEntry<File>[];
  /** Files that it loses. */
  readonly remove: readonly WorkspacePath[];
  /** Whiteouts that it gets. */
  readonly hide: readonly WorkspacePath[];
  /** Whiteouts that it loses. */
  readonly show: readonly WorkspacePath[];
};

/**
 * What goes with writing a file at `path`: the rest of its skill is copied up, and its whiteout goes. The file
 * itself is the caller's to write. Throws `CarrelError`: `invalid` for the root, `conflict` where a directory is,
 * or below a file.
 */
export function planWrite<File>(
  overlay: Pick<Overlay<File>, "layers" | "get" | "under">,
  path: WorkspacePath,
): OverlayChange<File> {
  if (path === "") throw invalid("The workspace itself is not a file. Name a file in it.");
  const file = parentsOf(path).find((parent) => overlay.get(parent));
  if (file !== undefined)
    throw new CarrelError("conflict", `"${file}" is a file, so nothing can be stored below it.`);
  if (!overlay.get(path) && overlay.under(path).length > 0)
    throw new CarrelError("conflict", `"${path}" is a directory. Choose another name.`);

  const [top] = overlay.layers;
  const unit = unitOf(path);
  const rest = overlay.under(unit).filter((entry) => entry.path !== path);
  return {
    copy: rest.filter(({ layer }) => layer !== top.name),
    remove: [],
    hide: [],
    show: top.whiteouts.has(unit) ? [unit] : [],
  };
}

/**
 * What deletes the file at `path` or all below it: afterwards nothing shows there, and everything else shows as
 * before, whatever lies in lower layers. Nothing to do where nothing is. Throws `CarrelError('invalid')` for the root.
 */
export function planDelete<File>(overlay: Overlay<File>, path: WorkspacePath): OverlayChange<File> {
  if (path === "")
    throw invalid("The whole workspace cannot be deleted. Name a file or directory.");
  const [top, ...lower] = overlay.layers;
  const gone = new Set(overlay.under(path).map((entry) => entry.path));
  const units = new Set([...gone].map(unitOf));
  const copy = [...units]
    .flatMap((unit) => overlay.under(unit))
    .filter((entry) => entry.layer !== top.name && !gone.has(entry.path));
  const remove = [...gone].filter((doomed) => top.files.has(doomed));

  const files = new Map(top.files);
  for (const entry of copy) files.set(entry.path, entry.file);
  for (const doomed of remove) files.delete(doomed);
  const hide = new Set<WorkspacePath>();
  for (let before = -1; hide.size > before;) {
    before = hide.size;
    const whiteouts = new Set([...top.whiteouts, ...hide]);
    for (const entry of createOverlay([{ ...top, files, whiteouts }, ...lower]).entries) {
      const isNew = gone.has(entry.path) || !overlay.get(entry.path);
      if (isNew && entry.layer !== top.name) hide.add(unitOf(entry.path));
    }
  }
  return { copy, remove, hide: [...hide], show: [] };
}

/**
 * What makes lower layers show again at `path`, at all below it, and in the whole skill that it is part of: own
 * files that override something go, and so do whiteouts. Own files with nothing below them stay, as do memory
 * and runtime files. Nothing to do where nothing is overridden; the root resets everything.
 */
export function planReset<File>(overlay: Overlay<File>, path: WorkspacePath): OverlayChange<File> {
  const [top, ...lower] = overlay.layers;
  const nothing: Layer<File> = { name: top.name, files: new Map(), whiteouts: new Set() };
  const below = createOverlay([nothing, ...lower]);
  const isMeant = (unit: WorkspacePath) => isWithin(path, unit) || isWithin(unit, path);
  const isOverride = (unit: WorkspacePath) =>
    below.under(unit).length > 0 || parentsOf(unit).some((parent) => below.get(parent));

  const remove = [...top.files.keys()].filter((file) => {
    const unit = unitOf(file);
    return ruleOf(file).layers === "all" && isMeant(unit) && isOverride(unit);
  });
  return { copy: [], remove, hide: [], show: [...top.whiteouts].filter(isMeant) };
}
