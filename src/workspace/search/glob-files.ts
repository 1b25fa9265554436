import type { GlobAnswer, GlobRequest } from "../../shared/workspace-api.ts";
import { infoOf, liesWithin, numberIn } from "../read/file-info.ts";
import { compileGlob } from "./glob.ts";
import type { Layers } from "../layers/layers.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { directoryIn } from "../read/tree.ts";

/**
 * The files that a glob means (see `compileGlob`), below a directory and relative to it, sorted by path. Throws
 * `CarrelError`: `invalid` for a bad pattern or limit, `not_found` for a directory that does not exist.
 */
export async function globFiles(layers: Layers, request: GlobRequest): Promise<GlobAnswer> {
  const limit = numberIn("limit", request.limit, 500, [1, 2_000]);
  const matches = compileGlob(request.pattern);
  await layers.refresh();
  const overlay = layers.overlay();
  const base = directoryIn(overlay, request.path ?? "");
  const found = overlay
    .under(base)
    .filter(({ path }) => liesWithin(request.within, path) && matches(relativeTo(base, path)));
  return {
    files: found.slice(0, limit).map(infoOf),
    total: found.length,
    cut: found.length > limit,
  };
}

/** What follows the directory in a path below it. */
export const relativeTo = (directory: WorkspacePath, path: WorkspacePath): string =>
  directory === "" ? path : path.slice(directory.length + 1);
