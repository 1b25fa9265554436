import { invalid } from "../../shared/errors.ts";
import type { Listed, TreeAnswer, TreeRequest } from "../../shared/workspace-api.ts";
import { infoOf, liesWithin, numberIn } from "./file-info.ts";
import { layerAlone } from "../layers/layers.ts";
import type { LayerFile, Layers } from "../layers/layers.ts";
import type { Overlay, OverlayListing } from "../layers/overlay.ts";
import { workspacePath } from "../layers/path.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { missing } from "./read.ts";

/**
 * One page of a directory's entries, sorted by path. The root always exists; a directory exists where a file shows
 * below it. Throws `CarrelError`: `not_found` with what is spelled like it, `invalid` for a file or a bad limit.
 */
export async function tree(layers: Layers, request: TreeRequest): Promise<TreeAnswer> {
  const limit = numberIn("limit", request.limit, 1_000, [1, 2_000]);
  const after = request.after === undefined ? null : workspacePath(request.after);
  await layers.refresh();
  const { layer } = request;
  const overlay = layer === undefined ? layers.overlay() : layerAlone(layers.overlay(), layer);
  const directory = directoryIn(overlay, request.directory ?? "");
  const all = request.recursive ? overlay.under(directory) : (overlay.list(directory) ?? []);
  const meant = all.filter(({ path }) => liesWithin(request.within, path));
  const rest = after === null ? meant : meant.filter(({ path }) => path > after);
  return {
    entries: rest.slice(0, limit).map(listed),
    total: meant.length,
    cut: rest.length > limit,
  };
}

/** The directory that `raw` spells. Throws `CarrelError` as `tree` does. */
export function directoryIn(overlay: Overlay<LayerFile>, raw: string): WorkspacePath {
  const path = workspacePath(raw);
  if (overlay.get(path))
    throw invalid(`${JSON.stringify(path)} is a file, not a directory. Read it instead.`);
  if (path !== "" && overlay.under(path).length === 0) throw missing(overlay, path);
  return path;
}

function listed({ path, layer, file }: OverlayListing<LayerFile>): Listed {
  return { path, layer, file: file && infoOf({ path, layer, file }) };
}
