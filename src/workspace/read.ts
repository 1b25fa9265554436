import { CarrelError, invalid } from "../shared/errors.ts";
import type { ReadAnswer, ReadRequest } from "../shared/workspace-api.ts";
import type { Content } from "../shared/workspace-files.ts";
import type { Contents } from "./contents.ts";
import { infoOf } from "./file-info.ts";
import { layerAlone } from "./layers.ts";
import type { LayerFile, Layers } from "./layers.ts";
import { nearestPaths } from "./nearest.ts";
import type { Overlay, OverlayEntry } from "./overlay.ts";
import { workspacePath } from "./path.ts";
import type { WorkspacePath } from "./path.ts";
import type { Rows } from "./rows.ts";
import { versionRows } from "./versions.ts";

type Entry = OverlayEntry<LayerFile>;

/**
 * A file with its content: what shows, or with `layer` that layer's own, or with `version` an earlier one of the
 * bucket itself. Throws `CarrelError`: `not_found` with what is spelled like it, `invalid` for a directory.
 */
export async function readFile(
  layers: Layers,
  contents: Pick<Contents, "read" | "readVersion">,
  rows: Pick<Rows, "files" | "sql">,
  request: ReadRequest,
): Promise<ReadAnswer> {
  const path = workspacePath(request.path);
  const { layer, version } = request;
  if (version !== undefined) {
    if (layer !== undefined && layer !== "own")
      throw invalid("Only a bucket's own files have versions. Leave the layer out.");
    return readVersion(contents, rows, path, version);
  }
  await layers.refresh();
  const find = (): Entry => {
    const overlay = layers.overlay();
    return fileIn(layer === undefined ? overlay : layerAlone(overlay, layer), path);
  };
  const { entry, content } = await readShown(layers, find);
  return { file: infoOf(entry), content };
}

/** The file at `path`. Throws `CarrelError` as `readFile` does. */
export function fileIn(overlay: Overlay<LayerFile>, path: WorkspacePath): Entry {
  const entry = overlay.get(path);
  if (entry) return entry;
  if (path === "" || overlay.under(path).length > 0)
    throw invalid(`${nameFor(path)} is a directory. List it to see its files.`);
  throw missing(overlay, path);
}

/** Says that nothing is at `path`, and what is spelled like it. */
export function missing(overlay: Overlay<LayerFile>, path: WorkspacePath): CarrelError {
  const near = nearestPaths(
    path,
    overlay.entries.map((entry) => entry.path),
    3,
  );
  const hint = near.length === 0 ? "" : ` Did you mean ${near.map(quote).join(" or ")}?`;
  return new CarrelError("not_found", `${quote(path)} does not exist.${hint}`);
}

/**
 * The content of the file that `find` gives, together with what it is. When it changes while it is fetched, it is
 * looked for and read again, so that both belong together.
 */
export async function readShown(
  layers: Pick<Layers, "content">,
  find: () => Entry,
): Promise<{ readonly entry: Entry; readonly content: Content }> {
  let entry = find();
  for (;;) {
    try {
      return { entry, content: await layers.content(entry) };
    } catch (error) {
      const present = find();
      if (present.layer === entry.layer && present.file.etag === entry.file.etag) throw error;
      entry = present;
    }
  }
}

async function readVersion(
  contents: Pick<Contents, "read" | "readVersion">,
  rows: Pick<Rows, "files" | "sql">,
  path: WorkspacePath,
  version: number,
): Promise<ReadAnswer> {
  for (;;) {
    const present = rows.files.get(path);
    const isPresent = present?.version === version;
    const row = isPresent
      ? present
      : versionRows(rows, path).find((stored) => stored.version === version);
    if (!row)
      throw new CarrelError(
        "not_found",
        `There is no version ${version} of ${nameFor(path)}. Its history lists those that are kept.`,
      );
    const { type, size, executable, at, author } = row;
    if (type === "gone")
      throw new CarrelError(
        "not_found",
        `${quote(path)} was not there any more in version ${version}.`,
      );
    const etag = String(version);
    const file = { path, layer: "own", type, size, executable, etag, at, by: author } as const;
    try {
      const content = await (isPresent ? contents.read(present) : contents.readVersion(row));
      return { file, content };
    } catch (error) {
      if (rows.files.get(path) === present) throw error;
    }
  }
}

const quote = (path: WorkspacePath): string => JSON.stringify(path);

const nameFor = (path: WorkspacePath): string => (path === "" ? "The root" : quote(path));
