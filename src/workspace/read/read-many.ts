import { CarrelError, invalid } from "../../shared/errors.ts";
import type { ReadAnswer, ReadManyAnswer, ReadManyRequest } from "../../shared/workspace-api.ts";
import type { LayerFile, Layers } from "../layers/layers.ts";
import { layerAlone } from "../layers/layers.ts";
import { PART_BYTES } from "../contents/log-part.ts";
import type { Overlay } from "../layers/overlay.ts";
import { workspacePath } from "../layers/path.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { readPart, type Entry } from "./read.ts";

const MAX_PATHS = 2_000;

/** What an answer holds, unless one file is longer; and what the store and the shared layer are asked for, at most. */
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCH_FETCHES = 100;

/**
 * The first of these files, as many as one answer holds: `null` for a path where no file is. Of a log its first part.
 * Throws `CarrelError('invalid')` for none or too many paths, and what reading any of them throws.
 */
export async function readMany(layers: Layers, request: ReadManyRequest): Promise<ReadManyAnswer> {
  if (request.paths.length === 0 || request.paths.length > MAX_PATHS)
    throw invalid(`Name 1 to ${MAX_PATHS} paths.`);
  const paths = request.paths.map(workspacePath);
  await layers.refresh();
  const overlay = overlayOf(layers, request);
  const reads: Promise<ReadAnswer | null>[] = [];
  let bytes = 0;
  let fetches = 0;
  for (const path of paths) {
    const entry = overlay().get(path);
    if (entry) {
      bytes += entry.file.type === "log" ? Math.min(entry.file.size, PART_BYTES) : entry.file.size;
      fetches += isHere(entry) ? 0 : 1;
      if (reads.length > 0 && (bytes > BATCH_BYTES || fetches > BATCH_FETCHES)) break;
    }
    reads.push(entry ? readIfThere(layers, overlay, path) : Promise.resolve(null));
  }
  return { files: await Promise.all(reads) };
}

/** What is asked for, as it is now: laid anew only after a change. */
function overlayOf(layers: Layers, { layer }: ReadManyRequest): () => Overlay<LayerFile> {
  if (layer === undefined) return layers.overlay;
  let from = layers.overlay();
  let alone = layerAlone(from, layer);
  return () => {
    const now = layers.overlay();
    if (now !== from) {
      from = now;
      alone = layerAlone(now, layer);
    }
    return alone;
  };
}

const isHere = ({ layer, file: { row } }: Entry): boolean =>
  layer === "template" || (row !== null && row.body !== null);

async function readIfThere(
  layers: Layers,
  overlay: () => Overlay<LayerFile>,
  path: WorkspacePath,
): Promise<ReadAnswer | null> {
  const find = (): Entry => {
    const entry = overlay().get(path);
    if (!entry) throw new CarrelError("not_found", "It was deleted.");
    return entry;
  };
  try {
    return await readPart(layers, find, 0);
  } catch (error) {
    if (error instanceof CarrelError && error.code === "not_found") return null;
    throw error;
  }
}
