import { createHash } from "node:crypto";
import { snapshotRequest, type PromptOptions } from "../../src/context/prompt-sources.ts";
import { utf8Length } from "../../src/shared/text.ts";
import type { Snapshot, SnapshotFile } from "../../src/shared/workspace-snapshot.ts";
import type { LayerName } from "../../src/shared/workspace-files.ts";
import { workspacePath } from "../../src/workspace/layers/path.ts";
import type { Template } from "../../src/workspace/layers/template.ts";

/** Files by path; `null` is one that is not text. */
export type Files = Readonly<Record<string, string | null>>;

/** What a bucket would answer over these layers: upper files win, lists are unions in order of their paths. */
export function snapshotOver(
  options: PromptOptions,
  layers: Partial<Record<LayerName, Files>>,
): Snapshot {
  const request = snapshotRequest(options, null);
  const { files, lists } = request ?? { files: [], lists: [] };
  const all = new Map<string, SnapshotFile>();
  for (const layer of ["template", "shared", "own"] as const)
    for (const [path, text] of Object.entries(layers[layer] ?? {}))
      all.set(path, { path, layer, size: text === null ? 1 : utf8Length(text), text });
  const paths = [...all.keys()].toSorted();
  return {
    version: createHash("sha256")
      .update(JSON.stringify([...all.values()]))
      .digest("hex"),
    files: files.flatMap((path) => all.get(path) ?? []),
    lists: lists.map(({ directory, limit }) => {
      const below = paths.filter((path) => path.startsWith(`${directory}/`));
      return { directory, paths: below.slice(0, limit), total: below.length };
    }),
  };
}

/** The texts of a template, as a layer. */
export const filesOf = (template: Template): Files =>
  Object.fromEntries(
    template.paths.map((path) => {
      const content = template.read(workspacePath(path));
      return [path, content && "text" in content ? content.text : null];
    }),
  );
