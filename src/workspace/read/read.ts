import { CarrelError, invalid } from "../../shared/errors.ts";
import type { ReadAnswer, ReadRequest } from "../../shared/workspace-api.ts";
import type { Content } from "../../shared/workspace-files.ts";
import type { Contents } from "../contents/contents.ts";
import { infoOf, numberIn } from "./file-info.ts";
import { layerAlone } from "../layers/layers.ts";
import type { LayerFile, Layers } from "../layers/layers.ts";
import { nearestPaths } from "../layers/nearest.ts";
import type { Overlay, OverlayEntry } from "../layers/overlay.ts";
import { quote, workspacePath } from "../layers/path.ts";
import type { WorkspacePath } from "../layers/path.ts";
import type { Rows } from "../rows.ts";
import { versionRows } from "../versions.ts";

export type Entry = OverlayEntry<LayerFile>;

/**
 * A file with its content: what shows, or with `layer` that layer's own, or with `version` an earlier one of the
 * bucket itself; with `from` a part, if it is a log. Throws `CarrelError`: `not_found` with what is spelled like it,
 * `invalid` for a directory, and as `readPart` does.
 */
export async function readFile(
  layers: Layers,
  contents: Pick<Contents, "read" | "readVersion">,
  rows: Pick<Rows, "files" | "sql">,
  request: ReadRequest,
): Promise<ReadAnswer> {
  const path = workspacePath(request.path);
  const { layer, version, from } = request;
  if (version !== undefined) {
    if (from !== undefined) throw invalid("An earlier version comes whole. Leave out from.");
    if (layer !== undefined && layer !== "own")
      throw invalid("Only a bucket's own files have versions. Leave the layer out.");
    return readVersion(contents, rows, path, version);
  }
  await layers.refresh();
  const find = (): Entry => {
    const overlay = layers.overlay();
    return fileIn(layer === undefined ? overlay : layerAlone(overlay, layer), path);
  };
  if (from !== undefined) return readPart(layers, find, from);
  const { entry, content } = await readShown(layers, find);
  return { file: infoOf(entry), content, next: null };
}

/**
 * The file that `find` gives, of a log at most 4 MiB from byte `from` on. Throws `CarrelError`: `invalid` for a later
 * part of what is no log, `conflict` when the log is shorter than `from`.
 */
export async function readPart(
  layers: Pick<Layers, "content" | "logPart">,
  find: () => Entry,
  from: number,
): Promise<ReadAnswer> {
  numberIn("from", from, 0, [0, Number.MAX_SAFE_INTEGER]);
  const { entry, content } = await readShown(layers, find, (found) => {
    if (found.file.type !== "log") {
      if (from === 0) return layers.content(found);
      throw invalid(`${quote(found.path)} is not a log, so it comes whole. Read it from 0.`);
    }
    if (from <= found.file.size) return layers.logPart(found, from);
    throw new CarrelError(
      "conflict",
      `${quote(found.path)} is shorter than ${from} bytes. Read it from the start.`,
    );
  });
  const file = infoOf(entry);
  if (!("bytes" in content) || file.type !== "log") return { file, content, next: null };
  const next = from + content.bytes.length;
  return { file, content, next: next < file.size ? next : null };
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
  read: (entry: Entry) => Content | Promise<Content> = (entry) => layers.content(entry),
): Promise<{ readonly entry: Entry; readonly content: Content }> {
  let entry = find();
  for (;;) {
    try {
      return { entry, content: await read(entry) };
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
      return { file, content, next: null };
    } catch (error) {
      if (rows.files.get(path) === present) throw error;
    }
  }
}

const nameFor = (path: WorkspacePath): string => (path === "" ? "The root" : quote(path));
