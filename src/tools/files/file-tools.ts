import type { WorkspacePath } from "../../workspace/layers/path.ts";
import type { ServerTool } from "../tool.ts";
import { editFile, multiEdit } from "./edit-file.ts";
import { globFiles } from "./glob-files.ts";
import { grepFiles } from "./grep-files.ts";
import { listFiles } from "./list-files.ts";
import { deleteFile, moveFile } from "./move-file.ts";
import { readFile } from "./read-file.ts";
import { writeFile } from "./write-file.ts";

/**
 * What the model can do with the caller's files. Definition, memory and runtime paths are read-only here, and so are
 * the files of `protect` with the directories that hold them: what else every prompt has (promise W18).
 */
export const createFileTools = (protect: readonly WorkspacePath[] = []): readonly ServerTool[] => [
  listFiles,
  readFile,
  globFiles,
  grepFiles,
  writeFile(protect),
  editFile(protect),
  multiEdit(protect),
  moveFile(protect),
  deleteFile(protect),
];

/** The same where nothing else is protected. */
export const fileTools: readonly ServerTool[] = createFileTools();
