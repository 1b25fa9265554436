import { CarrelError, invalid } from "../../shared/errors.ts";
import { isLog, keepsVersions } from "./content.ts";
import type { DraftFile } from "./draft.ts";
import { NotYet } from "./supplies.ts";
import {
  bodyHere,
  copyUp,
  fileOf,
  makeRoom,
  refuseLog,
  type Outcome,
  type Planning,
} from "./write.ts";
import type { LayerFile } from "../layers/layers.ts";
import { planDelete, planReset } from "../layers/overlay-change.ts";
import { isWithin } from "../layers/overlay.ts";
import type { OverlayEntry } from "../layers/overlay.ts";
import { quote, workspacePath } from "../layers/path.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { missing } from "../read/read.ts";

type Entry = OverlayEntry<LayerFile>;

/** Deletes a file or all below a directory. Throws `CarrelError('not_found')` where nothing is. */
export function remove(planning: Planning, path: WorkspacePath): Outcome {
  const { draft } = planning;
  const overlay = draft.full();
  const plan = planDelete(overlay, path);
  const gone = overlay.under(path);
  if (gone.length === 0) throw missing(overlay, path);
  copyUp(planning, plan.copy);
  for (const { path: file, layer } of gone)
    if (layer === overlay.layers[0].name || keepsVersions(file)) draft.remove(file, "deleted");
  for (const unit of plan.hide) draft.whiteout(unit, true);
  return { path, touched: gone.length + plan.copy.length };
}

/** Takes own overrides and whiteouts away at and below `path`. Nothing to do where there are none. */
export function reset({ draft }: Planning, path: WorkspacePath): Outcome {
  const plan = planReset(draft.full(), path);
  for (const file of plan.remove) draft.remove(file, "reset");
  for (const unit of plan.show) draft.whiteout(unit, false);
  const [own] = draft.full().layers;
  const shown = plan.show.flatMap((unit) => draft.full().under(unit));
  for (const { path: file, layer } of shown)
    if (layer !== own.name && keepsVersions(file)) draft.remove(file, "reset");
  return { path, touched: plan.remove.length + plan.show.length };
}

/**
 * Moves a file or a directory, contents as they are. Only a file may take the place of a file, with `overwrite`.
 * Throws `CarrelError`: `not_found`, `conflict` when something is at `to`, `invalid` for the root, for a target
 * inside the source, and for logs.
 */
export function move(
  planning: Planning,
  from: WorkspacePath,
  to: WorkspacePath,
  overwrite: boolean,
): Outcome {
  if (from === "" || to === "")
    throw invalid("The workspace itself cannot be moved or replaced. Name a file or directory.");
  if (isWithin(from, to))
    throw invalid(`${quote(to)} is ${quote(from)} or lies inside it. Choose another target.`);
  const { draft } = planning;
  const sources = draft.view().under(from);
  if (sources.length === 0) throw missing(draft.full(), from);
  assertFree(planning, sources, to, overwrite);
  const moves = sources.map((entry) => {
    const target = workspacePath(`${to}${entry.path.slice(from.length)}`);
    return { target, file: moved(planning, entry, target) };
  });
  let touched = 0;
  for (const { target, file } of moves) {
    if (!file) throw new NotYet();
    touched += makeRoom(planning, target) + 1;
    draft.put(target, file);
  }
  remove(planning, from);
  return { path: to, touched };
}

function assertFree(
  { draft }: Planning,
  sources: readonly Entry[],
  to: WorkspacePath,
  overwrite: boolean,
): void {
  const there = draft.view().under(to);
  if (there.length === 0) return;
  if (!overwrite)
    throw new CarrelError(
      "conflict",
      `${quote(to)} exists already. Choose another name, or set overwrite to replace a file.`,
    );
  const isDirectory = (entries: readonly Entry[], path: WorkspacePath) =>
    entries.every((entry) => entry.path !== path);
  const [source] = sources;
  if (isDirectory(there, to) || sources.length > 1 || !source)
    throw new CarrelError(
      "conflict",
      `${quote(to)} is in the way, and only a file can take the place of a file. Delete it first.`,
    );
}

/** `null`: must be fetched first. */
function moved(planning: Planning, entry: Entry, target: WorkspacePath): DraftFile | null {
  refuseLog(entry);
  if (isLog(target))
    throw invalid(`${quote(target)} would be a log, and logs only grow. Choose another name.`);
  const own = planning.draft.own(entry.path);
  if (own) return { ...own, keepBefore: false, body: own.body && bodyHere(planning, own.body) };
  const supply = planning.supplies.lower(entry);
  return supply && fileOf(target, supply, entry.file.executable);
}
