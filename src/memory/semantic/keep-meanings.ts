import * as z from "zod";
import type { BucketKey } from "../../shared/bucket-key.ts";
import { consoleLog, type Log } from "../../shared/log.ts";
import { memoryEntries } from "../../shared/memory-entries.ts";
import type { ReadManyAnswer } from "../../shared/workspace-api.ts";
import type { Content, FileInfo } from "../../shared/workspace-files.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { meaningId, type Meaning, type Meanings } from "./meanings.ts";

/** What of the bucket's memory the meanings know. */
const STATE = "memory/.consolidation/meanings.json";
/** The same once more. An index cannot be asked what is in it, so what is not written down can never be removed. */
const COPY = "memory/.consolidation/meanings.copy.json";

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
/** The etag of a file of which it is not known what was put. */
const UNSURE = "";

/** Makes a call and counts it. */
export type Count = <Answer>(call: () => Promise<Answer>) => Promise<Answer>;

/**
 * Brings the meanings of a bucket up to date with MEMORY.md, the ledgers and the archive: only what has changed since the
 * last call is asked for. Whether there is more to do. May be repeated, and cut off anywhere: the state names what is put
 * before it is, so that whatever was put can be removed; what was put twice is there once. `count` is told of each call
 * that is about to be made.
 */
export async function keepMeanings(
  workspace: Workspace,
  bucket: BucketKey,
  meanings: Meanings,
  count: Count = (call) => call(),
  log: Log = consoleLog,
): Promise<{ readonly put: number; readonly removed: number; readonly hasMore: boolean }> {
  const state = await readState(workspace, bucket, count, log);
  const { known } = state;
  let { etag } = state;
  const files = await count(() => memoryFiles(workspace));
  const { changed, hasMore } = await readChanged(workspace, files, known, count);
  const fresh = changed.flatMap((file) => file.fresh);
  if (fresh.length > 0) {
    const meant = changed.map(({ path, ids }): [string, Known[string]] => {
      return [path, { etag: UNSURE, ids: [...new Set([...(known[path]?.ids ?? []), ...ids])] }];
    });
    const intent = { ...known, ...Object.fromEntries(meant) };
    etag = await count(() => writeState(workspace, intent, etag));
    await count(() => meanings.put(bucket, fresh));
  }
  const next = new Map(Object.entries(known).filter(([path]) => files.has(path)));
  for (const { path, etag: read, ids } of changed) next.set(path, { etag: read, ids });
  const still = new Set(idsIn(next.values()));
  const before = [...idsIn(Object.values(known)), ...changed.flatMap(({ ids }) => ids)];
  const gone = [...new Set(before)].filter((id) => !still.has(id));
  if (gone.length > 0) await count(() => meanings.remove(bucket, gone));
  const after = Object.fromEntries(next);
  if (JSON.stringify(after) !== JSON.stringify(known))
    await count(() => writeState(workspace, after, etag));
  return { put: fresh.length, removed: gone.length, hasMore };
}

type ChangedFile = {
  readonly path: string;
  readonly etag: string;
  readonly ids: string[];
  /** What of it is not known to have been put. */
  readonly fresh: readonly Meaning[];
};

/** Files that are not known as they are now, as many as one call reads. */
async function readChanged(
  workspace: Workspace,
  files: ReadonlyMap<string, FileInfo>,
  known: Known,
  count: Count,
): Promise<{ readonly changed: readonly ChangedFile[]; readonly hasMore: boolean }> {
  const changed: ChangedFile[] = [];
  let found = 0;
  for (const [path, { etag }] of files) {
    const before = known[path];
    if (before?.etag === etag) continue;
    if (found >= MOST.entries || changed.length >= MOST.files) return { changed, hasMore: true };
    const entries = await count(() => entriesAt(workspace, path));
    const put = new Set(before && before.etag !== UNSURE ? before.ids : []);
    const fresh = entries.filter(({ id }) => !put.has(id));
    found += fresh.length;
    changed.push({ path, etag, ids: [...new Set(entries.map(({ id }) => id))], fresh });
  }
  return { changed, hasMore: false };
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

type Found = { readonly known: Known; readonly etag: string };

/**
 * The state. From one that is gone or cannot be read, its copy says what may have to be removed, and everything is put
 * anew. Where that cannot be read either, what was put for texts that are gone stays in the index, where no search shows
 * it; the log says so.
 */
async function readState(
  workspace: Workspace,
  bucket: BucketKey,
  count: Count,
  log: Log,
): Promise<Found> {
  const state = await count(() => fileAt(workspace, STATE));
  const etag = state?.file.etag ?? "absent";
  const known = state && knownIn(state.content);
  if (known) return { known, etag };
  const copy = await count(() => fileAt(workspace, COPY));
  const before = copy && knownIn(copy.content);
  if (!before && (state || copy)) log("warn", "memory.meanings_lost", { bucket });
  const unsure = Object.entries(before ?? {}).map(([path, { ids }]): [string, Known[string]] => {
    return [path, { etag: UNSURE, ids }];
  });
  return { known: Object.fromEntries(unsure), etag };
}

async function fileAt(
  workspace: Workspace,
  path: string,
): Promise<ReadManyAnswer["files"][number]> {
  const { files } = await workspace.readMany({ paths: [path], layer: "own" });
  return files[0] ?? null;
}

function knownIn(content: Content): Known | null {
  try {
    return State.parse(JSON.parse("text" in content ? content.text : "")).files;
  } catch {
    return null;
  }
}

/** The etag of what was written. */
async function writeState(workspace: Workspace, files: Known, expect: string): Promise<string> {
  const text = JSON.stringify({ version: 1, files } satisfies State);
  const write = { kind: "write", content: { text } } as const;
  const changes = [
    { ...write, path: STATE, expect },
    { ...write, path: COPY },
  ];
  const [written] = await workspace.change({ by: "job:meanings", changes });
  return written?.file?.etag ?? "absent";
}
