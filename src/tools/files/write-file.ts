import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import type { Changed, Expected } from "../../shared/workspace-changes.ts";
import { utf8Length } from "../../shared/text.ts";
import type { WorkspacePath } from "../../workspace/layers/path.ts";
import { defineTool } from "../define-tool.ts";
import { count } from "../truncate.ts";
import { filePath } from "./path-input.ts";
import { refuseProtectedFile } from "./protection.ts";

/** Writes a whole file; over another one only if the model knows what it replaces. `protect`: see `createFileTools`. */
export const writeFile = (protect: readonly WorkspacePath[]) =>
  defineTool({
    name: "write_file",
    description:
      "Writes a text file of the workspace, whole. A file that exists is only replaced when all of it was read or written before in this conversation; to change a part of a file use edit_file.",
    input: z.strictObject({ path: filePath, content: z.string() }),
    effect: "write",
    replay: "idempotent",
    subjects: ({ path }) => ({ paths: [path] }),
    async run({ path, content }, { workspace, op, author, seen }) {
      refuseProtectedFile(path, protect);
      const write = async (expect: Expected): Promise<Changed | null> => {
        const change = { kind: "write", path, content: { text: content }, expect } as const;
        try {
          const [changed] = await workspace.change({ by: author, op, changes: [change] });
          return changed ?? null;
        } catch (error) {
          if (error instanceof CarrelError && error.code === "conflict") return null;
          throw error;
        }
      };
      const known = seen(path);
      const replaced = known === null ? null : await write(known);
      // A file that is gone meanwhile holds nothing that could be lost.
      const written = replaced ?? (await write("absent"));
      if (written === null) {
        // What is a directory says so itself.
        await workspace.page({ path, offset: 0, limit: 1 });
        throw unseen(path, known !== null);
      }
      const size = `${count(utf8Length(content))} bytes, ${replaced ? "replaced" : "new"}`;
      return {
        content: [{ type: "text", text: `Written to ${path} (${size})` }],
        ...(written.file ? { seen: { [path]: written.file.etag } } : {}),
      };
    },
  });

function unseen(path: string, wasSeen: boolean): CarrelError {
  const why = wasSeen
    ? `${path} was changed by someone else since you read it.`
    : `${path} exists, and not all of it was read in this conversation.`;
  return new CarrelError(
    "conflict",
    `${why} Nothing was written. Read it with read_file first, or change a part of it with edit_file.`,
  );
}
