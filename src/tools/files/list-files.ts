import * as z from "zod";
import { defineTool } from "../define-tool.ts";
import { count } from "../truncate.ts";
import { fitting } from "./bounded.ts";
import { pathInput, placeInput } from "./path-input.ts";

const MAX_ENTRIES = 1_000;

/** Lists a directory, or all files below it. */
export const listFiles = defineTool({
  name: "list_files",
  description:
    "Lists one directory of the workspace: its files with their sizes, and its directories. With recursive, the files of all levels below it.",
  input: z.strictObject({
    path: placeInput,
    recursive: z.boolean().default(false).describe("Files of all levels. Default: false."),
    after: pathInput.optional().describe("Only what comes after this path: the next page."),
  }),
  effect: "read",
  replay: "pure",
  subjects: ({ path }) => ({ paths: [path] }),
  async run({ path, recursive, after }, { workspace }) {
    const { entries, total, cut } = await workspace.tree({
      directory: path,
      recursive,
      ...(after === undefined ? {} : { after }),
      limit: MAX_ENTRIES,
    });
    if (total === 0) return path === "" ? "[The workspace is empty.]" : `[${path}/ is empty.]`;
    if (entries.length === 0) return `[Nothing comes after ${after ?? ""}.]`;
    const lines = entries.map(({ path: entry, file }) =>
      file ? `[FILE] ${entry} (${file.size} bytes)` : `[DIR]  ${entry}/`,
    );
    const shown = fitting(lines);
    if (!cut && shown === lines.length) return lines.join("\n");
    const last = entries[shown - 1]?.path ?? "";
    return [
      ...lines.slice(0, shown),
      `[Cut here: ${count(shown)} of ${count(total)} entries are shown. Go on with after=${JSON.stringify(last)}.]`,
    ].join("\n");
  },
});
