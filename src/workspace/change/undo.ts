import { invalid, notFound } from "../../shared/errors.ts";
import { keepsVersions } from "./content.ts";
import { remove, reset } from "./move.ts";
import { NotYet } from "./supplies.ts";
import { copyUp, makeRoom, refuseLog, type Outcome, type Planning } from "./write.ts";
import { createOverlay, isWithin } from "../layers/overlay.ts";
import { quote } from "../layers/path.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { ruleOf, unitOf } from "../layers/path-rules.ts";
import type { VersionRow } from "../rows.ts";
import { isReset, versionRows } from "../versions.ts";

/**
 * Makes what a version held the newest version: by default the one before the present, so that a second undo takes
 * the first back. Before the first version of its own a definition or memory file shows what lower layers have, or
 * nothing; any other file stays, as it could not be had back. Throws `CarrelError`: `not_found` when there is no such
 * version, `invalid` for the present one and for a log.
 */
export function undo(planning: Planning, path: WorkspacePath, number?: number): Outcome {
  const { draft, rows } = planning;
  if (draft.files.has(path))
    throw invalid(
      `${quote(path)} is changed by the same request. Undo it in a request of its own.`,
    );
  const shown = draft.entry(path);
  if (shown) refuseLog(shown);
  const own = draft.own(path);
  const earlier = versionRows(rows, path);
  if (number === undefined) {
    const isPresent = !own && earlier[0]?.type === "gone";
    const row = earlier[isPresent ? 1 : 0];
    return row ? restore(planning, path, row) : goBelow(planning, path);
  }
  const row = earlier.find(({ version }) => version === number);
  if (!row && own?.body?.base?.version === number)
    throw invalid(`Version ${number} of ${quote(path)} is the present one.`);
  if (!row) throw notFound(`Version ${number} of ${quote(path)}`);
  return restore(planning, path, row);
}

function restore(planning: Planning, path: WorkspacePath, row: VersionRow): Outcome {
  const { draft, supplies } = planning;
  if (isReset(row)) return goBelow(planning, path);
  if (row.type === "gone") {
    if (!draft.entry(path)) throw invalid(`${quote(path)} is deleted already.`);
    return remove(planning, path);
  }
  const { type, size, sha256, executable } = row;
  const text = type === "blob" ? "" : supplies.versionText(row);
  if (text === null) throw new NotYet();
  const touched = makeRoom(planning, path) + 1;
  const body = type === "blob" ? null : { base: null, parts: [() => text] };
  draft.put(path, { type, size, sha256, executable, body, keepBefore: true });
  return { path, touched };
}

/**
 * To what is there without the bucket's own file: a skill's other files stay its own. One that was deleted whole, and
 * of which nothing is the bucket's own, shows again whole.
 */
function goBelow(planning: Planning, path: WorkspacePath): Outcome {
  const { draft } = planning;
  const [top, ...lower] = draft.full().layers;
  const nothing = { name: top.name, files: new Map(), whiteouts: new Set<WorkspacePath>() };
  const below = createOverlay([nothing, ...lower]).get(path);
  const own = draft.own(path);
  const isShown = !own && draft.entry(path) !== null;
  const isForGood = own && !keepsVersions(path);
  if (isForGood || isShown || (!own && !below))
    throw notFound(`An earlier version of ${quote(path)}`);
  if (!below) return remove(planning, path);
  const unit = unitOf(path);
  const isHidden =
    top.whiteouts.has(unit) && ![...top.files.keys()].some((it) => isWithin(unit, it));
  if (isHidden) return reset(planning, unit);
  if (ruleOf(path).unit === "file") return reset(planning, path);
  const touched = makeRoom(planning, path) + 1;
  copyUp(planning, [below]);
  return { path, touched };
}
