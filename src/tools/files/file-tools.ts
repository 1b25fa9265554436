import type { Tool } from "../tool.ts";
import { editFile, multiEdit } from "./edit-file.ts";
import { globFiles } from "./glob-files.ts";
import { grepFiles } from "./grep-files.ts";
import { listFiles } from "./list-files.ts";
import { deleteFile, moveFile } from "./move-file.ts";
import { readFile } from "./read-file.ts";
import { writeFile } from "./write-file.ts";

/** What the model can do with the caller's files. Definition, memory and runtime paths are read-only here (W18). */
export const fileTools: readonly Tool[] = [
  listFiles,
  readFile,
  globFiles,
  grepFiles,
  writeFile,
  editFile,
  multiEdit,
  moveFile,
  deleteFile,
];
