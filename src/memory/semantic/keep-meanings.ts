import * as z from "zod";
import type { BucketKey } from "../../shared/bucket-key.ts";
import { memoryEntries } from "../../shared/memory-entries.ts";
import type { FileInfo } from "../../shared/workspace-files.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { meaningId, type Meaning, type Meanings } from "./meanings.ts";

/** What of the bucket's memory the meanings know. */
const STATE = "memory/.consolidation/meanings.json";

const State = z.object({
  version: z.literal(1),
  files: z.record(z.string(), z.object({ etag: z.string(), ids: z.array(z.string()) })),
});
type State = z.output<typeof State>;
type Known = State["files"];

/** Files that one call reads at most, and entries after which it begins no other. */
const MOST = { files: 8, entries: 200 } as const;
/** Calls to the bucket, the model and the index that this makes at most, unless one file alone has more entries than `MOST`. */
export const MEANING_CALLS = 64;
const MAX_FILES = 2_000;

/** Makes a call and counts it. */
export type Count = <Answer>(call: () => Promise<Answer>) => Promise<Answer>;

/**
 * Brings the meanings of a bucket up to date with MEMORY.md, the ledgers and the archive: only what has changed since the
 * last call is asked for. Whether there is more to do. May be repeated, and cut off anywhere: what was put twice is there
 * once, and what the state does not say is done anew. `count` is told of each call that is about to be made.
 */
export async function keepMeanings(
  workspace: Workspace,
  bucket: BucketKey,
  meanings: Meanings,
  count: Count = (call) => call(),
): Promise<{ readonly put: number; readonly removed: number; readonly hasMore: boolean }> {
  const { known, etag } = await count(() => readState(workspace));
  const files = await count(() => memoryFiles(workspace));
  const next = new Map(Object.entries(known).filter(([path]) => files.has(path)));
  let put = 0;
  let read = 0;
  let hasMore = false;
  for (const [path, file] of files) {
    if (known[path]?.etag === file.etag) continue;
    hasMore = put >= MOST.entries || read >= MOST.files;
    if (hasMore) break;
    read += 1;
    const entries = await count(() => entriesAt(workspace, path));
    const before = new Set(known[path]?.ids);
    const fresh = entries.filter(({ id }) => !before.has(id));
    if (fresh.length > 0) await count(() => meanings.put(bucket, fresh));
    put += fresh.length;
    next.set(path, { etag: file.etag, ids: [...new Set(entries.map(({ id }) => id))] });
  }
  const still = new Set(idsIn(next.values()));
  const gone = [...new Set(idsIn(Object.values(known)))].filter((id) => !still.has(id));
  if (gone.length > 0) await count(() => meanings.remove(bucket, gone));
  const after = Object.fromEntries(next);
  if (JSON.stringify(after) !== JSON.stringify(known))
    await count(() => writeState(workspace, after, etag));
  return { put, removed: gone.length, hasMore };
}

const idsIn = (files: Iterable<Known[string]>): string[] => [...files].flatMap(({ ids }) => ids);

/** The files that are remembered, newest name first after MEMORY.md. */
async function memoryFiles(workspace: Workspace): Promise<ReadonlyMap<string, FileInfo>> {
  const { files } = await workspace.glob({
    pattern: "{MEMORY.md,memory/**/*.md}",
    limit: MAX_FILES,
  });
  const shown = files.filter(({ path, layer }) => layer === "own" && !path.includes("/."));
  return new Map(
    shown.toSorted((a, b) => (a.path < b.path ? 1 : -1)).map((file) => [file.path, file]),
  );
}

async function entriesAt(workspace: Workspace, path: string): Promise<Meaning[]> {
  const { files } = await workspace.readMany({ paths: [path], layer: "own" });
  const content = files[0]?.content;
  const text = content && "text" in content ? content.text : "";
  return memoryEntries(text).map(({ id, text: said }) => ({
    id: meaningId(path, id),
    text: said,
    path,
  }));
}

/** A state that cannot be read counts as none: everything is put anew. */
async function readState(
  workspace: Workspace,
): Promise<{ readonly known: Known; readonly etag: string }> {
  const { files } = await workspace.readMany({ paths: [STATE], layer: "own" });
  const [file] = files;
  if (!file) return { known: {}, etag: "absent" };
  try {
    const text = "text" in file.content ? file.content.text : "";
    return { known: State.parse(JSON.parse(text)).files, etag: file.file.etag };
  } catch {
    return { known: {}, etag: file.file.etag };
  }
}

async function writeState(workspace: Workspace, files: Known, expect: string): Promise<void> {
  const text = JSON.stringify({ version: 1, files } satisfies State);
  const change = { kind: "write", path: STATE, content: { text }, expect } as const;
  await workspace.change({ by: "job:meanings", changes: [change] });
}
