import { memoryEntries, type MemoryEntry } from "../../shared/memory-entries.ts";
import type { FileInfo } from "../../shared/workspace-files.ts";
import { entryRef, isRead, type EntryRef, type State } from "../consolidation/state.ts";
import { filesBelow, readTexts, type BucketFiles } from "./files.ts";

const LEDGER = /^memory\/(?:archive\/)?(\d{4}-\d{2}-\d{2})\.md$/;

export const ARCHIVE = "memory/archive";

/** A ledger in a listing. */
export type LedgerFile = {
  readonly day: string;
  readonly path: string;
  readonly etag: string;
  readonly isArchived: boolean;
};

/** One that was read. `entries` `null`: it is not text. */
export type Ledger = LedgerFile & { readonly entries: readonly MemoryEntry[] | null };

/** An entry of a ledger, by its name. */
export type LedgerEntry = {
  readonly ref: EntryRef;
  readonly day: string;
  readonly path: string;
  readonly entry: MemoryEntry;
};

/** The ledgers, archived ones too: the oldest day first. */
export async function listLedgers(files: BucketFiles): Promise<readonly LedgerFile[]> {
  const found = (await filesBelow(files, "memory")).flatMap((file) => ledgerFile(file) ?? []);
  return found.toSorted((a, b) => (a.day === b.day ? 0 : a.day < b.day ? -1 : 1));
}

function ledgerFile({ path, etag }: FileInfo): LedgerFile | null {
  const day = LEDGER.exec(path)?.[1];
  if (day === undefined || Number.isNaN(Date.parse(day))) return null;
  return { day, path, etag, isArchived: path.startsWith(ARCHIVE) };
}

/** Reads ledgers; one that was deleted meanwhile is left out. */
export async function readLedgers(
  files: BucketFiles,
  ledgers: readonly LedgerFile[],
): Promise<readonly Ledger[]> {
  const texts = await readTexts(
    files,
    ledgers.map(({ path }) => path),
  );
  return ledgers.flatMap((ledger) => {
    const file = texts.get(ledger.path);
    if (!file) return [];
    const entries = file.text === null ? null : memoryEntries(file.text);
    return [{ ...ledger, etag: file.etag, entries }];
  });
}

export const entriesOf = ({ day, path, entries }: Ledger): LedgerEntry[] =>
  (entries ?? []).map((entry) => ({ ref: entryRef(day, entry.id), day, path, entry }));

/** Entries of ledgers by name: as far as they are still there, those said twice once. */
export async function findEntries(
  files: BucketFiles,
  days: ReadonlySet<string>,
): Promise<ReadonlyMap<EntryRef, LedgerEntry>> {
  const wanted = (await listLedgers(files)).filter(({ day }) => days.has(day));
  const found = new Map<EntryRef, LedgerEntry>();
  for (const it of (await readLedgers(files, wanted)).flatMap(entriesOf))
    if (!found.has(it.ref)) found.set(it.ref, it);
  return found;
}

/** Whether no run needs to look into it: it is as it was when all of its entries were read. */
export const isDone = (state: State, { path, etag }: LedgerFile): boolean =>
  state.files.get(path) === etag;

/** Those of its entries that no run has read, each once. */
export function unreadOf(state: State, ledger: Ledger): LedgerEntry[] {
  const unread = entriesOf(ledger).filter(({ day, entry }) => !isRead(state, day, entry.id));
  return [...new Map(unread.map((it) => [it.ref, it])).values()];
}
