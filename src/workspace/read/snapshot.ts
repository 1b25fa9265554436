import { CarrelError } from "../../shared/errors.ts";
import { sha256Hex } from "../../shared/sha256.ts";
import type {
  SkillHead,
  Snapshot,
  SnapshotFile,
  SnapshotRequest,
} from "../../shared/workspace-snapshot.ts";
import { numberIn } from "./file-info.ts";
import { Heads } from "./heads.ts";
import type { LayerFile, Layers } from "../layers/layers.ts";
import type { Overlay, OverlayEntry } from "../layers/overlay.ts";
import { workspacePath } from "../layers/path.ts";
import { skillDirectories, type SkillDirectory } from "./skill-directories.ts";

/** How often a snapshot is taken again because its files changed meanwhile. */
const ATTEMPTS = 5;

type Plan = Pick<Snapshot, "version" | "lists"> & {
  readonly entries: readonly OverlayEntry<LayerFile>[];
  /** `null`: none are asked for. */
  readonly directories: readonly SkillDirectory<LayerFile>[] | null;
};

/**
 * Takes snapshots of what these layers show: the files asked for, all as of one moment; `unchanged`, without reading
 * any, when `known` is their version. What does not exist is left out, and a directory that does not exist is empty.
 * Logs and blobs come without text. Of skills only the heads are read, and those of the shared layer without a call.
 * Throws `CarrelError('overloaded')` when the files change faster than they can be read.
 */
export function createSnapshots(
  layers: Layers,
): (request: SnapshotRequest) => Promise<Snapshot | "unchanged"> {
  const heads = new Heads();
  /** The newest facts with their digest: most turns ask for the same again, and nothing has changed. */
  let newest = { facts: "", version: "" };
  const planOf = async (request: SnapshotRequest): Promise<Plan> => {
    const { facts, ...plan } = look(layers.overlay(), request);
    if (facts !== newest.facts)
      newest = { facts, version: await sha256Hex(new TextEncoder().encode(facts)) };
    return { ...plan, version: newest.version };
  };

  return async (request) => {
    await layers.refresh(request.fresh);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const overlay = layers.overlay();
      const { version, lists, entries, directories } = await planOf(request);
      if (version === request.known) return "unchanged";
      try {
        const files = await Promise.all(entries.map((entry) => withText(layers, entry)));
        const skills = directories && (await headsOf(layers, heads, directories));
        const isSame = layers.overlay() === overlay || (await planOf(request)).version === version;
        if (isSame) return { version, files, lists, ...(skills ? { skills } : {}) };
      } catch (error) {
        if (layers.overlay() === overlay) throw error;
      }
    }
    throw new CarrelError("overloaded", "The files change too fast to be read. Try again.");
  };
}

/** What there is of what is asked for, and all that its version depends on. */
function look(overlay: Overlay<LayerFile>, request: SnapshotRequest) {
  const entries = request.files.flatMap((raw) => overlay.get(workspacePath(raw)) ?? []);
  const lists = request.lists.map(({ directory: raw, limit, isRead = false }) => {
    const directory = workspacePath(raw);
    const below = overlay.under(directory);
    const paths = below.map(({ path }) => path);
    const shown = paths.slice(0, numberIn("limit", limit, 0, [0, Number.MAX_SAFE_INTEGER]));
    const etags = isRead ? below.slice(0, shown.length).map(({ file }) => file.etag) : [];
    return { list: { directory, paths: shown, total: paths.length }, etags };
  });
  const files = entries.map(({ path, layer, file }) => [path, layer, file.etag]);
  const directories = request.skills ? skillDirectories(overlay, request.skills) : null;
  const skills = directories?.map(({ directory, layer, skill }) => [
    directory,
    layer,
    skill && [skill.path, skill.file.etag],
  ]);
  const etags = lists.map(({ etags: of }) => of);
  const named = lists.map(({ list }) => list);
  const facts = [request.files, request.lists, files, named, etags];
  return {
    entries,
    lists: named,
    directories,
    facts: JSON.stringify(skills ? [...facts, request.skills, skills] : facts),
  };
}

async function headsOf(
  layers: Layers,
  heads: Heads,
  directories: readonly SkillDirectory<LayerFile>[],
): Promise<readonly SkillHead[]> {
  const here = directories.flatMap(({ skill }) =>
    skill && skill.layer !== "shared" && skill.file.type === "text" ? [skill] : [],
  );
  const found = await heads.of(
    here.map((entry) => ({
      path: entry.path,
      etag: entry.file.etag,
      read: () => layers.content(entry),
    })),
  );
  return directories.map(({ directory, layer, skill }) => {
    const head = skill && (skill.file.head ?? found.get(skill.path) ?? null);
    return { directory, layer, path: skill?.path ?? null, head };
  });
}

async function withText(layers: Layers, entry: OverlayEntry<LayerFile>): Promise<SnapshotFile> {
  const { path, layer, file } = entry;
  const shown = { path, layer, size: file.size };
  if (file.type !== "text") return { ...shown, text: null };
  const content = await layers.content(entry);
  return { ...shown, text: "text" in content ? content.text : null };
}
