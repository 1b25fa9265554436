import * as z from "zod";
import { withoutMarks } from "../../shared/memory-marks.ts";
import { invalid } from "../../shared/errors.ts";
import { cutAt, utf8Length } from "../../shared/text.ts";
import type { PageAnswer } from "../../shared/workspace-api.ts";
import type { FileInfo } from "../../shared/workspace-files.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { defineTool } from "../define-tool.ts";
import { mediaTypeOf } from "../media-type.ts";
import type { ToolOutput } from "../tool.ts";
import { count } from "../truncate.ts";
import { fitting, MAX_BYTES, numbered } from "./bounded.ts";
import { imagePart, imageTypeOf } from "./image.ts";
import { filePath } from "./path-input.ts";

const MAX_LINES = 2_000;
const MAX_IMAGE_BYTES = 1024 * 1024;

const lineCount = z.int().min(0);

/** Shows a file: text in numbered pages, an image as an image, and of anything else what it is. */
export const readFile = defineTool({
  name: "read_file",
  description:
    "Reads a file of the workspace: text with a number before each line, or an image. Long files come in pages: go on with the offset that the end of a page names.",
  input: z.strictObject({
    path: filePath,
    offset: lineCount.default(0).describe("How many lines to skip. Default: 0."),
    limit: lineCount
      .default(MAX_LINES)
      .describe(`How many lines to read, at most ${MAX_LINES}, which is also the default.`),
  }),
  effect: "read",
  replay: "pure",
  subjects: ({ path }) => ({ paths: [path] }),
  async run({ path, offset, limit }, { workspace }) {
    const lines = Math.min(limit || MAX_LINES, MAX_LINES);
    const page = await workspace.page({ path, offset, limit: lines });
    if (page.lines === null) return showBytes(workspace, page.file);
    return showLines(page, page.lines, offset);
  },
});

function showLines(page: PageAnswer, lines: readonly string[], offset: number): ToolOutput {
  const { file, total } = page;
  const seen = { [file.path]: file.etag };
  if (total === 0) return { content: [text(`[${file.path} is empty: it has no lines.]`)], seen };
  if (offset >= total) {
    throw invalid(
      `${file.path} has ${count(total)} lines, so offset ${offset} is past its end. Use a smaller offset.`,
    );
  }
  const shown = lines.map((line, index) => numbered(offset + index + 1, withoutMarks(line)));
  const fits = fitting(shown);
  let isCut = page.lineCut && fits === shown.length;
  shown.length = fits;
  const next = offset + fits;
  // Every page makes progress: a line that no page could hold is shown in part, and the next page starts after it.
  const last = shown[fits - 1] ?? "";
  if (utf8Length(last) > MAX_BYTES) {
    isCut = true;
    shown[fits - 1] = cutAt(last, MAX_BYTES / 4);
  }
  if (isCut) shown.push(`[Line ${next} is too long: only its beginning is shown.]`);
  if (next < total) {
    shown.push(`[Lines ${offset + 1} to ${next} of ${total}. Go on with offset=${next}.]`);
  }
  const isWhole = offset === 0 && next === total && !isCut;
  return { content: [text(shown.join("\n"))], ...(isWhole ? { seen } : {}) };
}

async function showBytes(workspace: Workspace, file: FileInfo): Promise<ToolOutput> {
  const size = `${count(file.size)} bytes`;
  const named = mediaTypeOf(file.path);
  if (file.size <= MAX_IMAGE_BYTES) {
    const { content } = await workspace.read({ path: file.path });
    const mediaType = "bytes" in content ? imageTypeOf(content.bytes) : null;
    if (mediaType !== null && "bytes" in content)
      return [text(`[${file.path}: ${mediaType}, ${size}.]`), imagePart(mediaType, content.bytes)];
  }
  const isLargeImage = named.startsWith("image/") && file.size > MAX_IMAGE_BYTES;
  const why = isLargeImage ? "Images of more than 1 MiB cannot be shown." : "It cannot be shown.";
  return `[${file.path} is not text: ${named}, ${size}. ${why}]`;
}

const text = (value: string) => ({ type: "text", text: value }) as const;
