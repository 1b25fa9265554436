import type { LayerName } from "../../shared/workspace-files.ts";
import type { Overlay, OverlayEntry } from "../layers/overlay.ts";
import { nameOf, parentOf, workspacePath, type WorkspacePath } from "../layers/path.ts";
import { isSkillName } from "./heads.ts";

/** A directory that shows, with its SKILL.md; `null`: it has none. */
export type SkillDirectory<File> = {
  readonly directory: WorkspacePath;
  readonly layer: LayerName;
  readonly skill: OverlayEntry<File> | null;
};

const MAX_DIRECTORIES = 1_000;

/**
 * The directories in those asked for, sorted by path, without those whose names begin with `.` or `_`: drafts and records.
 * At most 1,000, those of the first one asked for before the others. `SKILL.md` is preferred to another case of letters.
 */
export function skillDirectories<File>(
  overlay: Pick<Overlay<File>, "under">,
  asked: readonly string[],
): readonly SkillDirectory<File>[] {
  const found = new Map<WorkspacePath, SkillDirectory<File>>();
  for (const above of new Set(asked.map(workspacePath)))
    for (const entry of overlay.under(above)) {
      const directory = childOf(above, entry.path);
      if (directory === null) continue;
      const known = found.get(directory);
      if (!known && found.size >= MAX_DIRECTORIES) continue;
      const isSkill = parentOf(entry.path) === directory && isSkillName(nameOf(entry.path));
      const isBetter = isSkill && (!known?.skill || nameOf(entry.path) === "SKILL.md");
      if (!known || isBetter)
        found.set(directory, { directory, layer: entry.layer, skill: isSkill ? entry : null });
    }
  return [...found.values()].toSorted((a, b) => (a.directory < b.directory ? -1 : 1));
}

/** The directory in `above` that a file lies in; `null` when it lies in `above` itself, or in what is no skill. */
function childOf(above: WorkspacePath, path: WorkspacePath): WorkspacePath | null {
  const start = above === "" ? 0 : above.length + 1;
  const end = path.indexOf("/", start);
  const isNone = end === -1 || path[start] === "." || path[start] === "_";
  return isNone ? null : (path.slice(0, end) as WorkspacePath);
}
