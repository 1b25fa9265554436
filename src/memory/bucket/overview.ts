import type { MemoryOverview, Source } from "../../shared/memory-api.ts";
import { memoryEntries, type MemoryEntry } from "../../shared/memory-entries.ts";
import { splitLines } from "../../shared/text.ts";
import * as z from "zod";
import { isComment, memoryTokens } from "../consolidation/plan.ts";
import { parseRecord, runOf, RECORDS, summaryOf } from "../consolidation/record.ts";
import { MEMORY } from "../consolidation/run-parts.ts";
import { parseRef, parseState, STATE, type State } from "../consolidation/state.ts";
import { shownText } from "../consolidation/prompt.ts";
import { filesBelow, readTextOf, readTexts, type BucketFiles } from "./files.ts";
import { FORGOTTEN } from "./forgotten.ts";
import { entriesOf, isDone, listLedgers, readLedgers, unreadOf } from "./ledgers.ts";
import type { Ledger, LedgerEntry, LedgerFile } from "./ledgers.ts";

/** Bounds of what is shown: entries, ledgers, runs; and ledgers that are looked into. */
const MOST_ENTRIES = 1_000;
const MOST_LEDGERS = 100;
const MOST_RUNS = 20;
const MOST_READ = 200;
/** Notes shown, and the newest ledgers, which are looked into for them whatever is in them. */
const MOST_NOTES = 50;
const MOST_NEWEST = 20;

/** What is remembered, with where it comes from, and what was done to it. See `MemoryOverview`. */
export async function memoryOverview(
  files: BucketFiles,
  maxTokens: number,
): Promise<MemoryOverview> {
  const { text } = await readTextOf(files, MEMORY);
  const state = parseState((await readTexts(files, [STATE])).get(STATE)?.text ?? null);
  const entries = memoryEntries(text ?? "")
    .filter((entry) => !isComment(entry))
    .slice(-MOST_ENTRIES);
  const ledgers = await listLedgers(files);
  const read = await readLedgers(files, worthReading(ledgers, entries, state));
  const places = placesIn(read);
  return {
    entries: entries.map((entry) => ({
      id: entry.id,
      text: shownText(entry.text),
      section: entry.section,
      line: entry.start,
      sources: sourcesOf(entry, places),
      run: entry.mark?.run ?? null,
    })),
    notes: notesIn(read, memoryEntries(text ?? "")),
    tokens: memoryTokens(text ?? ""),
    maxTokens,
    pending: read.reduce((sum, ledger) => sum + unreadOf(state, ledger).length, 0),
    ledgers: ledgers
      .slice(-MOST_LEDGERS)
      .map((ledger) => ({ path: ledger.path, entries: countOf(ledger, read, state) })),
    runs: await newestRuns(files),
    forgotten: await countForgotten(files),
  };
}

/** Those with something unread, and those that entries were made of: the newest, if there are very many. */
function worthReading(
  ledgers: readonly LedgerFile[],
  entries: readonly MemoryEntry[],
  state: State,
): readonly LedgerFile[] {
  const named = entries.flatMap(({ mark }) => mark?.from ?? []);
  const days = new Set(named.flatMap((ref) => parseRef(ref)?.day ?? []));
  const newest = new Set(ledgers.slice(-MOST_NEWEST));
  return ledgers
    .filter((it) => newest.has(it) || days.has(it.day) || !isDone(state, it))
    .slice(-MOST_READ);
}

/** What is only in ledgers: neither in MEMORY.md word for word nor what an entry of it was made of. */
function notesIn(
  ledgers: readonly Ledger[],
  entries: readonly MemoryEntry[],
): MemoryOverview["notes"] {
  const ids = new Set(entries.map(({ id }) => id));
  const named = new Set(entries.flatMap(({ mark }) => mark?.from ?? []));
  const notes = ledgers
    .flatMap(entriesOf)
    .filter(({ ref, entry }) => !named.has(ref) && !ids.has(entry.id) && !isComment(entry));
  return notes
    .slice(-MOST_NOTES)
    .reverse()
    .map(({ day, path, entry }) => ({
      id: entry.id,
      text: shownText(entry.text),
      path,
      line: entry.start,
      session: entry.mark?.session ?? null,
      turn: entry.mark?.turn ?? null,
      at: writtenAt(entry) ?? Date.parse(day),
    }));
}

const placesIn = (ledgers: readonly Ledger[]): ReadonlyMap<string, LedgerEntry> =>
  new Map(ledgers.flatMap(entriesOf).map((it) => [it.ref, it]));

/** Where it was said: each entry that it was made of, or the conversation that it was saved in. */
function sourcesOf(
  { mark, start }: MemoryEntry,
  places: ReadonlyMap<string, LedgerEntry>,
): Source[] {
  const from = (mark?.from ?? []).flatMap((ref) => sourceOf(ref, places) ?? []);
  const { session, turn } = mark ?? {};
  if (session === undefined || from.some((source) => source.turn === turn)) return from;
  const own = { path: MEMORY, line: start, session, turn: turn ?? null, at: mark?.at ?? null };
  return [own, ...from];
}

function sourceOf(ref: string, places: ReadonlyMap<string, LedgerEntry>): Source | null {
  const parsed = parseRef(ref);
  const found = places.get(ref);
  if (!parsed) return null;
  const midnight = Date.parse(parsed.day);
  if (!found) {
    const path = `memory/${parsed.day}.md`;
    return { path, line: null, session: null, turn: null, at: midnight };
  }
  const { path, entry } = found;
  const { session = null, turn = null } = entry.mark ?? {};
  return { path, line: entry.start, session, turn, at: writtenAt(entry) ?? midnight };
}

/** When the section was written that an entry stands in, as its heading says. */
function writtenAt({ section }: MemoryEntry): number | null {
  const at = Date.parse(/(\d{4}-\d{2}-\d{2}T[\d:.]+Z)$/.exec(section)?.[1] ?? "");
  return Number.isNaN(at) ? null : at;
}

function countOf(ledger: LedgerFile, read: readonly Ledger[], { days }: State): number {
  const found = read.find(({ path }) => path === ledger.path)?.entries?.length;
  const ids = days.get(ledger.day);
  return found ?? (ids === undefined || ids === "all" ? 0 : ids.size);
}

async function newestRuns(files: BucketFiles): Promise<MemoryOverview["runs"]> {
  const paths = (await filesBelow(files, RECORDS)).map(({ path }) => path);
  const records = paths.filter((path) => runOf(path) !== null).toSorted();
  const texts = await readTexts(files, records.slice(-MOST_RUNS).reverse());
  return [...texts.values()].flatMap(({ text }) => {
    const record = parseRecord(text);
    return record ? summaryOf(record) : [];
  });
}

const Line = z.object({ ids: z.array(z.string()) });

async function countForgotten(files: BucketFiles): Promise<number> {
  const file = (await readTexts(files, [FORGOTTEN])).get(FORGOTTEN);
  const ids = splitLines(file?.text ?? "").flatMap((line) => {
    try {
      return Line.safeParse(JSON.parse(line)).data?.ids ?? [];
    } catch {
      return [];
    }
  });
  return ids.length;
}
