import * as z from "zod";
import { CarrelError } from "../shared/errors.ts";
import { spellSize } from "../shared/text.ts";
import type { Change } from "../shared/workspace-changes.ts";
import { isLog } from "../workspace/change/content.ts";
import { largestFile, type BucketLimits } from "../workspace/limits.ts";
import { parentsOf } from "../workspace/layers/overlay.ts";
import { type WorkspacePath, workspacePath } from "../workspace/layers/path.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { readZip, refused, type ZipEntry, type ZipLimits } from "../shared/zip/reader.ts";
import { createUnpacker, type Unpack, unpackWhole } from "../shared/zip/unpack.ts";

/** What an archive may hold, so that the work has an end; what the bucket has room for, it says itself. */
const MOST: ZipLimits = { entries: 10_000, totalBytes: 200 * 1024 * 1024 };

/** A call to the object takes 32 MiB; a page holds this much, or one larger file. */
const PAGE_BYTES = 4_000_000;
const PAGE_CHANGES = 500;
const LOG_PIECE = 1_000_000;

export type ImportOptions = {
  /** The same again is done once. */
  readonly id: string;
  readonly by: string;
  /** Those of the bucket. */
  readonly limits: BucketLimits;
};

export type ImportAnswer = { readonly files: number; readonly whiteouts: number };

/**
 * Takes the files and whiteouts of an archive into the own layer of a workspace: over what is there, logs and records
 * of sessions apart, and nothing else is touched. All or nothing, and of what is refused no page stays behind: names,
 * sizes and checksums of all entries are checked before the first page is sent, and no page is visible before the last
 * step. Throws `CarrelError('invalid')` that says why an archive is refused, and what the bucket throws past its limits.
 */
export async function importArchive(
  workspace: Workspace,
  bytes: Uint8Array,
  { id, by, limits }: ImportOptions,
): Promise<ImportAnswer> {
  const totalBytes = Math.min(MOST.totalBytes, limits.bytes + limits.logBytes);
  const archive = readZip(bytes, { ...MOST, totalBytes });
  const files = filesOf(archive.entries, limits);
  const whiteouts = whiteoutsOf(archive.comment);
  const unpack = createUnpacker();
  for (const file of files) checkEntry(unpack, file);

  try {
    let no = 0;
    for (const changes of pagesOf(changesOf(unpack, files))) {
      await workspace.stageImport(id, { no, changes });
      no += 1;
    }
    await workspace.stageImport(id, { no, changes: [], whiteouts });
    return { files: await workspace.commitImport(id, by), whiteouts: whiteouts.length };
  } catch (error) {
    // Should this fail, too, the pages go within a day.
    await workspace.dropImport(id).catch(() => {});
    throw error;
  }
}

/** Checks an entry whole. Throws `CarrelError('invalid')`. */
function checkEntry(unpack: Unpack, { path, entry }: Named): void {
  if (isLog(path)) {
    for (const text of textPieces(path, unpack(entry)))
      if (text.includes("\0")) throw notText(path);
  } else for (const _ of unpack(entry));
}

type Sized = { readonly change: Change; readonly size: number };

/** The changes that make the files, one after the other: of a log, which may be longer than any text, several. */
function* changesOf(unpack: Unpack, files: readonly Named[]): Generator<Sized, void, undefined> {
  for (const { path, entry } of files) {
    const write = { kind: "write", path, executable: entry.executable } as const;
    if (!isLog(path) || entry.size <= LOG_PIECE) {
      const bytes = unpackWhole(unpack, entry);
      yield { change: { ...write, content: { bytes } }, size: entry.size };
      continue;
    }
    let isFirst = true;
    for (const text of textPieces(path, unpack(entry))) {
      const change = isFirst ? { ...write, content: { text } } : appendOf(path, text);
      yield { change, size: LOG_PIECE };
      isFirst = false;
    }
  }
}

const appendOf = (path: WorkspacePath, text: string): Change => ({ kind: "append", path, text });

function* pagesOf(changes: Iterable<Sized>): Generator<readonly Change[], void, undefined> {
  let page: Change[] = [];
  let bytes = 0;
  for (const { change, size } of changes) {
    if (page.length > 0 && (bytes + size > PAGE_BYTES || page.length === PAGE_CHANGES)) {
      yield page;
      page = [];
      bytes = 0;
    }
    page.push(change);
    bytes += size;
  }
  if (page.length > 0) yield page;
}

/** A log's text in pieces of about a megabyte, each of whole characters. */
function* textPieces(
  path: WorkspacePath,
  pieces: Iterable<Uint8Array>,
): Generator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const decode = (bytes: Uint8Array, stream: boolean): string => {
    try {
      return decoder.decode(bytes, { stream });
    } catch {
      throw notText(path);
    }
  };
  const held = new Uint8Array(LOG_PIECE);
  let length = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      if (length === LOG_PIECE) {
        yield decode(held, true);
        length = 0;
      }
      const part = piece.subarray(at, at + LOG_PIECE - length);
      held.set(part, length);
      length += part.length;
      at += part.length;
    }
  }
  yield decode(held.subarray(0, length), false);
}

const notText = (path: WorkspacePath): CarrelError =>
  refused(`"${path}" is a log, which is UTF-8 text. Give the file another name.`);

type Named = { readonly path: WorkspacePath; readonly entry: ZipEntry };

/** The files of an archive with their paths. Directories are only checked: in a workspace they are names of files. */
function filesOf(entries: readonly ZipEntry[], limits: BucketLimits): Named[] {
  const files = new Map<WorkspacePath, ZipEntry>();
  const directories = new Set<WorkspacePath>();
  for (const entry of entries) {
    const isDirectory = entry.name.endsWith("/");
    const path = pathOf(isDirectory ? entry.name.slice(0, -1) : entry.name);
    if (isDirectory && entry.size > 0) throw refused(`the directory "${path}" has content.`);
    const most = isLog(path) ? limits.logBytes : largestFile(limits);
    if (entry.size > most) throw refused(`"${path}" is larger than ${spellSize(most)}.`);
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
