import { CarrelError } from "../shared/errors.ts";
import { utf8Length } from "../shared/text.ts";
import type { ReadAnswer } from "../shared/workspace-api.ts";
import type { FileInfo, LayerName } from "../shared/workspace-files.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { streamOf, wholeFile } from "./file-stream.ts";
import { bytesOf } from "./files-answer.ts";
import { given } from "./files-query.ts";
import { zip } from "../shared/zip/format.ts";
import { ZipWriter } from "./zip-writer.ts";

const PAGE = 2_000;

export type ExportOptions = {
  /** Only below this directory; default everything. */
  readonly directory: string;
  /** What this layer itself holds; `undefined`: what shows through all of them. */
  readonly layer: LayerName | undefined;
  /** Whether the whiteouts of the workspace's own layer go along. */
  readonly whiteouts: boolean;
};

/**
 * A zip archive of a workspace's files, made as it is read: about 8 MiB of files, or one larger file, are in memory at
 * a time, beside the list, and one call reads as many. Everything that can be refused is, before this resolves; when
 * reading fails later, the stream breaks off, so that no program takes what it got for a whole archive. Each file is
 * as of the moment it is read; one that is deleted meanwhile is left out. Throws `CarrelError('too_large')` for more
 * than 65,534 files.
 */
export async function exportArchive(
  workspace: Workspace,
  options: ExportOptions,
): Promise<ReadableStream<Uint8Array>> {
  const comment = options.whiteouts ? await commentOf(workspace) : new Uint8Array();
  const files = await listFiles(workspace, options);
  return streamOf(archiveOf(workspace, files, options.layer, comment), "archive_broken");
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
  for (let done = 0; done < files.length;) {
    const paths = files.slice(done, done + PAGE).map(({ path }) => path);
    const batch = await workspace.readMany({ paths, ...given({ layer }) });
    for (const answer of batch.files) if (answer) yield* entryOf(writer, workspace, answer, layer);
    if (batch.files.length === 0) throw new Error("a batch without a file");
    done += batch.files.length;
  }
  yield* writer.end(comment);
}

async function* entryOf(
  writer: ZipWriter,
  workspace: Workspace,
  answer: ReadAnswer,
  layer: LayerName | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { path, executable, at, type } = answer.file;
  const head = { path, executable, at };
  if (answer.next !== null) yield* writer.addLong(head, wholeFile(workspace, answer, layer));
  else yield* writer.add({ ...head, bytes: bytesOf(answer.content), compress: type !== "blob" });
}

async function commentOf(workspace: Workspace): Promise<Uint8Array> {
  const comment = JSON.stringify({ carrel: 1, whiteouts: await workspace.whiteouts() });
  if (utf8Length(comment) > zip.max16)
    throw refusal("More files are hidden than its comment can tell of. Bring some back first.");
  return new TextEncoder().encode(comment);
}

const refusal = (why: string): CarrelError =>
  new CarrelError("too_large", `The workspace does not fit into one archive. ${why}`);
