import { CarrelError } from "../shared/errors.ts";
import { consoleLog, errorFacts } from "../shared/log.ts";
import { utf8Length } from "../shared/text.ts";
import type { ReadAnswer, ReadRequest } from "../shared/workspace-api.ts";
import type { FileInfo, LayerName } from "../shared/workspace-files.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { bytesOf } from "./files-answer.ts";
import { given } from "./files-query.ts";
import { zip } from "./zip-format.ts";
import { ZipWriter } from "./zip-writer.ts";

const PAGE = 2_000;

/** What a bucket gives in one piece. */
const MAX_LOG = 25 * 1024 * 1024;

export type ExportOptions = {
  /** Only below this directory; default everything. */
  readonly directory: string;
  /** What this layer itself holds; `undefined`: what shows through all of them. */
  readonly layer: LayerName | undefined;
  /** Whether the whiteouts of the workspace's own layer go along. */
  readonly whiteouts: boolean;
};

/**
 * A zip archive of a workspace's files, made as it is read: one file at a time is in memory, beside the list. Everything
 * that can be refused is, before this resolves; when reading fails later, the stream breaks off, so that no program
 * takes what it got for a whole archive. Each file is as of the moment it is read; one that is deleted meanwhile is
 * left out. Throws `CarrelError`: `too_large` for more than 65,534 files, and for a log of more than 25 MiB.
 */
export async function exportArchive(
  workspace: Workspace,
  options: ExportOptions,
): Promise<ReadableStream<Uint8Array>> {
  const comment = options.whiteouts ? await commentOf(workspace) : new Uint8Array();
  const files = await listFiles(workspace, options);
  const chunks = archiveOf(workspace, files, options.layer, comment);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          consoleLog("error", "archive_broken", errorFacts(error));
          throw error;
        }
      },
      async cancel() {
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}

async function listFiles(
  workspace: Workspace,
  { directory, layer }: ExportOptions,
): Promise<FileInfo[]> {
  const files: FileInfo[] = [];
  for (let after: string | undefined; ;) {
    const request = { directory, recursive: true, limit: PAGE, ...given({ layer, after }) };
    const { entries, cut } = await workspace.tree(request);
    for (const { file } of entries) if (file) files.push(file);
    after = entries.at(-1)?.path;
    if (!cut || after === undefined) break;
  }
  const long = files.find(({ type, size }) => type === "log" && size > MAX_LOG);
  if (long)
    throw refusal(`"${long.path}" is longer than 25 MiB. Export other directories with ?path=.`);
  if (files.length >= zip.max16)
    throw refusal("It holds more than 65,534 files. Export directories with ?path=.");
  return files;
}

async function* archiveOf(
  workspace: Workspace,
  files: readonly FileInfo[],
  layer: LayerName | undefined,
  comment: Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  const writer = new ZipWriter();
  for (const { path } of files) {
    const answer = await readIfThere(workspace, { path, ...given({ layer }) });
    if (!answer) continue;
    const { executable, at, type } = answer.file;
    const bytes = bytesOf(answer.content);
    yield* writer.add({ path, executable, at, bytes, compress: type !== "blob" });
  }
  yield* writer.end(comment);
}

async function readIfThere(workspace: Workspace, request: ReadRequest): Promise<ReadAnswer | null> {
  try {
    return await workspace.read(request);
  } catch (error) {
    if (error instanceof CarrelError && error.code === "not_found") return null;
    throw error;
  }
}

async function commentOf(workspace: Workspace): Promise<Uint8Array> {
  const comment = JSON.stringify({ carrel: 1, whiteouts: await workspace.whiteouts() });
  if (utf8Length(comment) > zip.max16)
    throw refusal("More files are hidden than its comment can tell of. Bring some back first.");
  return new TextEncoder().encode(comment);
}

const refusal = (why: string): CarrelError =>
  new CarrelError("too_large", `The workspace does not fit into one archive. ${why}`);
