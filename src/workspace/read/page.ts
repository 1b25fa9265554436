import { splitLines, utf8Length } from "../../shared/text.ts";
import type { PageAnswer, PageRequest } from "../../shared/workspace-api.ts";
import type { Contents } from "../contents/contents.ts";
import { infoOf, numberIn } from "./file-info.ts";
import type { Layers } from "../layers/layers.ts";
import { workspacePath } from "../layers/path.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { fileIn, readShown } from "./read.ts";

/** Bytes of a page, an ending counted for each line. */
const PAGE_BYTES = 100_000;

/** Lines of a log that are asked for at once: a page rarely holds more. */
const LOG_LINES = 200;

/**
 * Some lines of a file, from line `offset` (the first is 0) on: at most `limit`, and as many as fit in a page, but
 * one at least, in part if it must be. Throws `CarrelError` as `readFile` does, and `invalid` for bad numbers.
 */
export async function pageOf(
  layers: Layers,
  contents: Pick<Contents, "lines">,
  request: PageRequest,
): Promise<PageAnswer> {
  const offset = numberIn("offset", request.offset, 0, [0, Number.MAX_SAFE_INTEGER]);
  const limit = numberIn("limit", request.limit, 1, [1, Number.MAX_SAFE_INTEGER]);
  const path = workspacePath(request.path);
  await layers.refresh();
  const find = () => fileIn(layers.overlay(), path);
  const { file, ...shown } = find();
  if (file.type === "log" && file.row) return pageOfLog(layers, contents, path, offset, limit);
  const none = { lines: null, total: 0, lineCut: false };
  if (file.type === "blob") return { file: infoOf({ ...shown, file }), ...none };
  const { entry, content } = await readShown(layers, find);
  if (!("text" in content)) return { file: infoOf(entry), ...none };
  const lines = splitLines(content.text);
  const page = new Page();
  page.add(lines.slice(offset, offset + limit));
  return { file: infoOf(entry), lines: page.lines, total: lines.length, lineCut: page.lineCut };
}

/** Only grows while it is read, or is not there any more. */
async function pageOfLog(
  layers: Layers,
  contents: Pick<Contents, "lines">,
  path: WorkspacePath,
  offset: number,
  limit: number,
): Promise<PageAnswer> {
  const page = new Page();
  for (;;) {
    const entry = fileIn(layers.overlay(), path);
    if (!entry.file.row) return pageOf(layers, contents, { path, offset, limit });
    const from = offset + page.lines.length;
    const wanted = Math.min(LOG_LINES, limit - page.lines.length);
    const { lines, total } = await contents.lines(entry.file.row, from, wanted);
    const isFull = page.add(lines);
    if (isFull || lines.length < wanted || page.lines.length === limit)
      return { file: infoOf(entry), lines: page.lines, total, lineCut: page.lineCut };
  }
}

class Page {
  readonly lines: string[] = [];
  lineCut = false;
  #bytes = 0;

  /** Takes the lines that fit; whether there was no room for all. */
  add(lines: readonly string[]): boolean {
    for (const line of lines) {
      const bytes = utf8Length(line) + 1;
      if (this.#bytes + bytes > PAGE_BYTES) {
        if (this.lines.length === 0) {
          this.lines.push(cutToBytes(line, PAGE_BYTES));
          this.lineCut = true;
        }
        return true;
      }
      this.#bytes += bytes;
      this.lines.push(line);
    }
    return false;
  }
}

/** The longest beginning of `text` of at most `limit` UTF-8 bytes that splits no character. */
function cutToBytes(text: string, limit: number): string {
  let bytes = 0;
  let end = 0;
  for (const char of text) {
    bytes += utf8Length(char);
    if (bytes > limit) break;
    end += char.length;
  }
  return text.slice(0, end);
}
