import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import type { Expected } from "../../shared/workspace-changes.ts";
import type { WorkspacePath } from "../../workspace/layers/path.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { defineTool } from "../define-tool.ts";
import { count } from "../truncate.ts";
import { filePath } from "./path-input.ts";
import { dotDirectoryRefused, isRootDotName, refuseProtectedTree } from "./protection.ts";

/** Moves a file or a directory. `protect`: see `createFileTools`. */
export const moveFile = (protect: readonly WorkspacePath[]) =>
  defineTool({
    name: "move_file",
    description:
      "Moves or renames a file or a directory of the workspace with all below it. The target must not exist, unless overwrite is true.",
    input: z.strictObject({
      from: filePath,
      to: filePath,
      overwrite: z
        .boolean()
        .default(false)
        .describe("Replace what is at the target. Default: false."),
    }),
    effect: "write",
    replay: "idempotent",
    subjects: ({ from, to }) => ({ paths: [...treeAt(from), ...treeAt(to)] }),
    async run({ from, to, overwrite }, { workspace, op, author }) {
      refuseProtectedTree(from, protect);
      refuseProtectedTree(to, protect);
      const pin = await pinned(workspace, from, isRootDotName(to) ? to : from);
      const changes = [{ kind: "move", path: from, to, overwrite, ...pin } as const];
      const [changed] = await workspace.change({ by: author, op, changes });
      return `Moved ${from} to ${to}${changed?.file ? "" : several(changed?.touched)}`;
    },
  });

/** Deletes a file or a directory. `protect`: see `createFileTools`. */
export const deleteFile = (protect: readonly WorkspacePath[]) =>
  defineTool({
    name: "delete_file",
    description: "Deletes a file of the workspace, or a directory with all below it.",
    input: z.strictObject({ path: filePath }),
    effect: "write",
    replay: "idempotent",
    subjects: ({ path }) => ({ paths: treeAt(path) }),
    async run({ path }, { workspace, op, author }) {
      refuseProtectedTree(path, protect);
      const pin = await pinned(workspace, path, path);
      const changes = [{ kind: "delete", path, ...pin } as const];
      const [changed] = await workspace.change({ by: author, op, changes });
      return `Deleted ${path}${several(changed?.touched)}`;
    },
  });

/** For rules: the file at a path, and all below it should it be a directory. */
const treeAt = (path: WorkspacePath): string[] => [path, `${path}/`];

/**
 * Directories of the root that begin with a dot are protected, files are not: where `name` is such a name, holds
 * the change to the file that is at `path` now.
 */
async function pinned(
  workspace: Workspace,
  path: WorkspacePath,
  name: WorkspacePath,
): Promise<{ expect?: Expected }> {
  if (!isRootDotName(name)) return {};
  try {
    const { file } = await workspace.page({ path, offset: 0, limit: 1 });
    return { expect: file.etag };
  } catch (error) {
    if (!(error instanceof CarrelError)) throw error;
    // The change says itself that it is missing, unless it did it already.
    if (error.code === "not_found") return {};
    throw dotDirectoryRefused(name);
  }
}

const several = (touched = 1): string => (touched > 1 ? ` (${count(touched)} files)` : "");
