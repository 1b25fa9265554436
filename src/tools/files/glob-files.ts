import * as z from "zod";
import { defineTool } from "../define-tool.ts";
import { count } from "../truncate.ts";
import { fitting } from "./bounded.ts";
import { placeInput } from "./path-input.ts";

/** Finds files by their paths. */
export const globFiles = defineTool({
  name: "glob_files",
  description:
    "Finds files of the workspace by a pattern for their paths, such as *.md, notes/**/*.txt or *.{json,yaml}. A pattern matches at any depth unless it begins with a slash.",
  input: z.strictObject({ pattern: z.string().min(1), path: placeInput }),
  effect: "read",
  replay: "pure",
  subjects: ({ path }) => ({ paths: [path] }),
  async run({ pattern, path }, { workspace }) {
    const { files, total, cut } = await workspace.glob({ pattern, path });
    if (files.length === 0) return "No matching files found";
    const lines = files.map((file) => `${file.path} (${file.size} bytes)`);
    const shown = fitting(lines);
    if (!cut && shown === lines.length) return lines.join("\n");
    return [
      ...lines.slice(0, shown),
      `[Cut here: ${count(shown)} of ${count(total)} files are shown. For the others use a narrower pattern or path.]`,
    ].join("\n");
  },
});
