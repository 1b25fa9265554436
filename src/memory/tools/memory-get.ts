import * as z from "zod";
import { MEMORY } from "../../context/prompt-sources.ts";
import { CarrelError } from "../../shared/errors.ts";
import { withoutMarks } from "../../shared/memory-marks.ts";
import { cutAt } from "../../shared/text.ts";
import type { PageAnswer } from "../../shared/workspace-api.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { pathInput } from "../../tools/files/path-input.ts";
import { count } from "../../tools/truncate.ts";
import type { WorkspacePath } from "../../workspace/layers/path.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { readableLine } from "./log-lines.ts";

const MAX_LINES = 2_000;
const MAX_CHARACTERS = 99_000;

const SESSION_LOG = /^agents\/[^/]+\/sessions\/[^/]+\.log\.jsonl$/;

const lineNumber = z.int().min(1);

/** Opens lines that a search named. */
export const memoryGet = defineTool({
  name: "memory_get",
  description:
    "Shows lines of MEMORY.md, of a ledger under memory/, of a file under knowledge/ or of a session's log, each as number|text: what memory_search found, with what stands around it.",
  input: z
    .strictObject({
      path: pathInput.describe("As memory_search shows it, without the # and what follows."),
      startLine: lineNumber.describe("The first line, from 1."),
      endLine: lineNumber.describe("The last line, included."),
    })
    .refine(({ startLine, endLine }) => endLine >= startLine, {
      path: ["endLine"],
      message: "it is before startLine. Give the last line that you want to see",
    }),
  effect: "read",
  replay: "pure",
  subjects: ({ path }) => ({ paths: [path] }),
  async run({ path, startLine, endLine }, { workspace }) {
    if (!isReadable(path)) throw refusal(path);
    const limit = Math.min(endLine - startLine + 1, MAX_LINES);
    const page = await pageOf(workspace, path, startLine - 1, limit);
    return typeof page === "string" ? page : shown(page, path, startLine, endLine);
  },
});

const isReadable = (path: WorkspacePath): boolean =>
  path === MEMORY || /^(?:memory|knowledge)\//.test(path) || SESSION_LOG.test(path);

const refusal = (path: WorkspacePath): CarrelError =>
  new CarrelError(
    "forbidden",
    `${JSON.stringify(path)} is not memory. memory_get opens ${MEMORY}, files under memory/ and knowledge/, and logs such as agents/main/sessions/ID.log.jsonl. For other files use read_file if you have it.`,
  );

/** Some lines, or in words why there are none. */
async function pageOf(
  workspace: Pick<Workspace, "page">,
  path: WorkspacePath,
  offset: number,
  limit: number,
): Promise<PageAnswer | string> {
  try {
    return await workspace.page({ path, offset, limit });
  } catch (error) {
    if (!(error instanceof CarrelError) || error.code !== "not_found") throw error;
    return `${error.message} memory_search finds what there is.`;
  }
}

function shown(page: PageAnswer, path: WorkspacePath, startLine: number, endLine: number): string {
  const { lines, total } = page;
  if (lines === null) return `${path} is not text, so it has no lines.`;
  if (startLine > total) return `${path} has ${linesOf(total)}, so there is no line ${startLine}.`;
  const isLog = SESSION_LOG.test(path);
  const texts: string[] = [];
  let room = MAX_CHARACTERS;
  let isCut = page.lineCut;
  for (const [at, line] of lines.entries()) {
    const text = `${startLine + at}|${isLog ? readableLine(line) : withoutMarks(line)}`;
    if (text.length >= room && texts.length > 0) break;
    isCut ||= text.length > MAX_CHARACTERS;
    texts.push(cutAt(text, MAX_CHARACTERS));
    room -= text.length + 1;
  }
  const next = startLine + texts.length;
  if (isCut) texts.push(`[Line ${next - 1} is too long: only its beginning is shown.]`);
  if (next <= Math.min(endLine, total))
    texts.push(`[Lines ${startLine} to ${next - 1} of ${total}. Go on with startLine=${next}.]`);
  return texts.join("\n");
}

const linesOf = (total: number): string => (total === 1 ? "1 line" : `${count(total)} lines`);
