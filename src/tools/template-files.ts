import * as z from "zod";
import { CarrelError, invalid } from "../shared/errors.ts";
import { splitLines, utf8Length } from "../shared/text.ts";
import { nearestPaths } from "../workspace/nearest.ts";
import { parentOf, workspacePath } from "../workspace/path.ts";
import type { WorkspacePath } from "../workspace/path.ts";
import type { Template, TemplateEntry } from "../workspace/template.ts";
import { defineTool } from "./define-tool.ts";
import { mediaTypeOf } from "./media-type.ts";
import type { Tool } from "./tool.ts";
import { count, truncate } from "./truncate.ts";

const MAX_ENTRIES = 1_000;
const MAX_LINES = 2_000;
const MAX_BYTES = 100_000;

/** `list_files` and `read_file` over the template; both only read. */
export function createTemplateTools(template: Template): readonly Tool[] {
  return [listFiles(template), readFile(template)];
}

/** A spelling of a path on its way to the one that the workspace knows. */
const path = z
  .string()
  .transform((raw, context) => {
    try {
      return workspacePath(raw);
    } catch (error) {
      if (!(error instanceof CarrelError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
      return z.NEVER;
    }
  })
  .describe('Path from the workspace root, for example knowledge/KNOWLEDGE.md. "." is the root.');

const lineNumber = z.int().min(0);

function listFiles(template: Template): Tool {
  return defineTool({
    name: "list_files",
    description:
      "Lists one directory of the workspace: its files with their sizes, and its directories.",
    input: z.strictObject({ path: path.prefault(".") }),
    effect: "read",
    replay: "pure",
    run(input) {
      const entries = template.list(input.path);
      if (entries) return listing(entries);
      if (template.read(input.path)) {
        throw invalid(`${input.path} is a file, not a directory. Read it with read_file.`);
      }
      throw missing(input.path, directoriesOf(template.paths));
    },
  });
}

function listing(entries: readonly TemplateEntry[]): string {
  if (entries.length === 0) return "[The workspace is empty.]";
  const lines = entries
    .slice(0, MAX_ENTRIES)
    .map((entry) =>
      entry.isDirectory ? `[DIR]  ${entry.path}/` : `[FILE] ${entry.path} (${entry.size} bytes)`,
    );
  if (entries.length > MAX_ENTRIES) {
    lines.push(`[Cut here: ${count(MAX_ENTRIES)} of ${count(entries.length)} entries are shown.]`);
  }
  return lines.join("\n");
}

function readFile(template: Template): Tool {
  return defineTool({
    name: "read_file",
    description:
      "Reads a text file of the workspace, each line with its number. Long files come in pages: go on with the offset that the end of a page names.",
    input: z.strictObject({
      path,
      offset: lineNumber.default(0).describe("How many lines to skip. Default: 0."),
      limit: lineNumber
        .default(MAX_LINES)
        .describe(`How many lines to read, at most ${MAX_LINES}, which is also the default.`),
    }),
    effect: "read",
    replay: "pure",
    run(input) {
      const file = template.read(input.path);
      if (!file) throw notAFile(template, input.path);
      if ("bytes" in file) {
        return `[${input.path} is not text: ${mediaTypeOf(input.path)}, ${count(file.bytes.length)} bytes. It cannot be shown.]`;
      }
      return page(
        input.path,
        file.text,
        input.offset,
        Math.min(input.limit || MAX_LINES, MAX_LINES),
      );
    },
  });
}

function page(file: WorkspacePath, text: string, offset: number, limit: number): string {
  const lines = splitLines(text);
  if (lines.length === 0) return `[${file} is empty: it has no lines.]`;
  if (offset >= lines.length) {
    throw invalid(
      `${file} has ${count(lines.length)} lines, so offset ${offset} is past its end. Use a smaller offset.`,
    );
  }
  const shown: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(offset, offset + limit)) {
    const numbered = `${String(offset + shown.length + 1).padStart(4)}|${line}`;
    bytes += utf8Length(numbered) + 1;
    if (bytes > MAX_BYTES && shown.length > 0) break;
    // Every page makes progress: a line that no page could hold is shown cut, and the next page starts after it.
    shown.push(bytes > MAX_BYTES ? truncate(numbered, MAX_BYTES / 4) : numbered);
    if (bytes > MAX_BYTES) break;
  }
  const next = offset + shown.length;
  if (next < lines.length) {
    shown.push(`[Lines ${offset + 1} to ${next} of ${lines.length}. Go on with offset=${next}.]`);
  }
  return shown.join("\n");
}

function notAFile(template: Template, wanted: WorkspacePath): CarrelError {
  if (template.list(wanted)) {
    return invalid(`${wanted || "The root"} is a directory, not a file. List it with list_files.`);
  }
  return missing(wanted, template.paths);
}

function missing(wanted: WorkspacePath, candidates: readonly WorkspacePath[]): CarrelError {
  const near = nearestPaths(wanted, candidates, 5);
  const help =
    near.length > 0 ? `Nearest: ${near.join(", ")}.` : "See what there is with list_files.";
  return new CarrelError("not_found", `${wanted} does not exist in the workspace. ${help}`);
}

function directoriesOf(paths: readonly WorkspacePath[]): WorkspacePath[] {
  const directories = new Set<WorkspacePath>();
  for (const path of paths) {
    for (let parent = parentOf(path); parent !== ""; parent = parentOf(parent))
      directories.add(parent);
  }
  return [...directories];
}
