import * as z from "zod";
import { CarrelError } from "../shared/errors.ts";
import type { Change } from "../shared/workspace-changes.ts";
import { isLog } from "../workspace/change-content.ts";
import { defaultBucketLimits } from "../workspace/limits.ts";
import { parentsOf } from "../workspace/overlay.ts";
import { type WorkspacePath, workspacePath } from "../workspace/path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { readZip, refused, type ZipEntry, type ZipLimits } from "./zip-reader.ts";
import { createUnpacker, type Unpack, unpackWhole } from "./zip-unpack.ts";

/** What an archive may hold, so that the work has an end; what the bucket has room for, it says itself. */
const limits: ZipLimits = {
  entries: 10_000,
  fileBytes: defaultBucketLimits.blobBytes,
  totalBytes: defaultBucketLimits.bytes + defaultBucketLimits.logBytes,
};

/** A call to the object takes 32 MiB; a page holds this much, or one larger file. */
const PAGE_BYTES = 4_000_000;
const PAGE_FILES = 500;
const LOG_PIECE = 1_000_000;

export type ImportAnswer = { readonly files: number; readonly whiteouts: number };

/**
 * Takes the files and whiteouts of an archive into the own layer of a workspace: over what is there, and nothing else
 * is touched. All or nothing: names, sizes and checksums of all entries are checked before the first page is sent, and
 * no page is visible before the last step. Throws `CarrelError('invalid')` that says why an archive is refused, and
 * what the bucket throws past its limits. The same `id` again is done once.
 */
export async function importArchive(
  workspace: Workspace,
  bytes: Uint8Array,
  { id, by }: { readonly id: string; readonly by: string },
): Promise<ImportAnswer> {
  const archive = readZip(bytes, limits);
  const files = filesOf(archive.entries);
  const whiteouts = whiteoutsOf(archive.comment);
  const unpack = createUnpacker();
  for (const file of files) checkEntry(unpack, file);

  let no = 0;
  for (const page of pagesOf(files)) {
    const changes = page.flatMap(({ path, entry }) =>
      writesOf(path, unpackWhole(unpack, entry), entry.executable),
    );
    await workspace.stageImport(id, { no, changes });
    no += 1;
  }
  await workspace.stageImport(id, { no, changes: [], whiteouts });
  return { files: await workspace.commitImport(id, by), whiteouts: whiteouts.length };
}

/** Checks an entry whole. Throws `CarrelError('invalid')`. */
function checkEntry(unpack: Unpack, { path, entry }: Named): void {
  if (!isLog(path)) return unpack(entry, () => {});
  for (const text of textPieces(path, unpackWhole(unpack, entry)))
    if (text.includes("\0")) throw notText(path);
}

/** The changes that make a file: of a log, which may be longer than any text, a write and appends. */
function writesOf(path: WorkspacePath, bytes: Uint8Array, executable: boolean): Change[] {
  const write = { kind: "write", path, executable } as const;
  if (!isLog(path) || bytes.length <= LOG_PIECE) return [{ ...write, content: { bytes } }];
  return [...textPieces(path, bytes)].map((text, no) =>
    no === 0 ? { ...write, content: { text } } : { kind: "append", path, text },
  );
}

function* textPieces(path: WorkspacePath, bytes: Uint8Array): Generator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (let at = 0; at < bytes.length; at += LOG_PIECE) {
    const stream = at + LOG_PIECE < bytes.length;
    let text: string;
    try {
      text = decoder.decode(bytes.subarray(at, at + LOG_PIECE), { stream });
    } catch {
      throw notText(path);
    }
    yield text;
  }
}

const notText = (path: WorkspacePath): CarrelError =>
  refused(`"${path}" is a log, which is UTF-8 text. Give the file another name.`);

type Named = { readonly path: WorkspacePath; readonly entry: ZipEntry };

/** The files of an archive with their paths. Directories are only checked: in a workspace they are names of files. */
function filesOf(entries: readonly ZipEntry[]): Named[] {
  const files = new Map<WorkspacePath, ZipEntry>();
  const directories = new Set<WorkspacePath>();
  for (const entry of entries) {
    const isDirectory = entry.name.endsWith("/");
    const path = pathOf(isDirectory ? entry.name.slice(0, -1) : entry.name);
    if (isDirectory && entry.size > 0) throw refused(`the directory "${path}" has content.`);
    if (files.has(path) && !isDirectory) throw refused(`"${path}" is in it twice.`);
    if (isDirectory) directories.add(path);
    else files.set(path, entry);
    for (const parent of parentsOf(path)) directories.add(parent);
  }
  for (const path of files.keys())
    if (directories.has(path)) throw refused(`"${path}" is both a file and a directory.`);
  return [...files].map(([path, entry]) => ({ path, entry }));
}

/** A name that is its own canonical path: no other spelling is needed, and each could hide what it means. */
function pathOf(name: string): WorkspacePath {
  let path: WorkspacePath;
  try {
    path = workspacePath(name);
  } catch (error) {
    throw error instanceof CarrelError ? refused(error.message) : error;
  }
  if (path === "" || path !== name)
    throw refused("a name in it is not a plain relative path, such as knowledge/notes.md.");
  return path;
}

const Whiteouts = z.object({ carrel: z.literal(1), whiteouts: z.array(z.string()) });

/** The whiteouts that Carrel wrote into an archive's comment. A comment of anybody else's says nothing. */
function whiteoutsOf(comment: Uint8Array): WorkspacePath[] {
  const json = jsonOf(comment);
  if (typeof json !== "object" || json === null || !("carrel" in json)) return [];
  const parsed = Whiteouts.safeParse(json);
  if (!parsed.success)
    throw refused(
      "its comment is not as this version of Carrel writes it. Remove it to leave out the whiteouts.",
    );
  const paths = parsed.data.whiteouts.map(pathOf);
  if (new Set(paths).size < paths.length) throw refused("it names a whiteout twice.");
  return paths;
}

function jsonOf(comment: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(comment));
  } catch {
    return null;
  }
}

function* pagesOf(files: readonly Named[]): Generator<readonly Named[], void, undefined> {
  let page: Named[] = [];
  let size = 0;
  for (const file of files) {
    const isFull = size + file.entry.size > PAGE_BYTES || page.length === PAGE_FILES;
    if (isFull && page.length > 0) {
      yield page;
      page = [];
      size = 0;
    }
    page.push(file);
    size += file.entry.size;
  }
  if (page.length > 0) yield page;
}
