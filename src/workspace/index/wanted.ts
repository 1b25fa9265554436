import type { SearchSource } from "../../shared/workspace-api.ts";
import type { LayerFile } from "../layers/layers.ts";
import type { Overlay, OverlayEntry } from "../layers/overlay.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { sourceOf } from "./sources.ts";

/** A file that is to be searched. */
export type Wanted = {
  readonly entry: OverlayEntry<LayerFile>;
  readonly source: SearchSource;
};

/** The most text of lower layers that a bucket indexes, in bytes: each bucket has an index of its own. */
const LOWER_BYTES = 8 * 1024 * 1024;

/** The files that are searched, and those of lower layers for which there is no room. */
export function wantedIn(overlay: Overlay<LayerFile>): {
  readonly wanted: ReadonlyMap<WorkspacePath, Wanted>;
  readonly refused: readonly WorkspacePath[];
} {
  const wanted = new Map<WorkspacePath, Wanted>();
  const refused: WorkspacePath[] = [];
  let lower = 0;
  for (const entry of overlay.entries) {
    const { path, layer, file } = entry;
    const source = sourceOf(path);
    const type = source === "session" ? "log" : "text";
    if (source === null || file.type !== type) continue;
    if (layer !== "own") lower += file.size;
    if (layer !== "own" && lower > LOWER_BYTES) refused.push(path);
    else wanted.set(path, { entry, source });
  }
  return { wanted, refused };
}
