import { CarrelError, notFound } from "../../shared/errors.ts";
import type { Undone, UndoRequest } from "../../shared/memory-api.ts";
import type { Change } from "../../shared/workspace-changes.ts";
import { MemoryDocument } from "../consolidation/document.ts";
import { parseRecord, RECORDS, recordPath, runOf, writeRecord } from "../consolidation/record.ts";
import type { RecordChange, RunRecord } from "../consolidation/record.ts";
import { MEMORY, type RunParts } from "../consolidation/run-parts.ts";
import { parseState, STATE, withExcluded, withRead, writeState } from "../consolidation/state.ts";
import type { EntryRef } from "../consolidation/state.ts";
import { asUndone } from "./answers.ts";
import { filesBelow, readTextOf, readTexts, replanned } from "./files.ts";
import type { BucketFiles, TextFile } from "./files.ts";
import { entriesOf, listLedgers, readLedgers } from "./ledgers.ts";

type Record = { readonly file: TextFile; readonly record: RunRecord };

/** What is to be undone: some of what a run did, or an entry that no run made. */
type Target =
  | { readonly of: Record; readonly changes: readonly RecordChange[] }
  | { readonly of: null; readonly entry: string };

type UndoPlan = {
  readonly request: {
    readonly by: string;
    readonly op: string;
    readonly changes: readonly Change[];
  } | null;
  readonly undone: Undone;
};

/** Refusals that one answer tells of. */
const MOST_REFUSED = 500;

/**
 * Takes back what a run did to entries: see `MemoryApi`. Each only where the entry is as the run left it. What comes back
 * is as it was, byte for byte. Safe to repeat with the same `op`.
 */
export async function undoMemory(
  parts: RunParts,
  request: UndoRequest,
  op: string,
): Promise<Undone> {
  const { undone } = await replanned(parts.files, async (): Promise<UndoPlan> => {
    const records = await recordsFor(parts, request.run);
    const before = records.flatMap(({ record }) => record.undone).find((it) => it.op === op);
    if (before) return { request: null, undone: undoneOf(before) };
    const target = targetIn(records, request);
    if (target.of) return planUndo(parts, { ...target, by: request.by, op });
    return planRemoval(parts, { entry: target.entry, by: request.by, op });
  });
  return undone;
}

const undoneOf = ({ restored, refused }: Undone): Undone => ({ restored, refused });

/** That of a run, or all; the newest first. */
async function recordsFor({ files }: RunParts, run: string | undefined): Promise<Record[]> {
  const listed = (await filesBelow(files, RECORDS)).map(({ path }) => path);
  const paths = listed.filter((path) =>
    run === undefined ? runOf(path) !== null : path === recordPath(run),
  );
  if (run !== undefined && paths.length === 0) throw notFound(`The run ${JSON.stringify(run)}`);
  const texts = await readTexts(files, paths.toSorted().reverse());
  const records = [...texts.values()].flatMap((file) => {
    const record = parseRecord(file.text);
    return record ? [{ file, record }] : [];
  });
  if (run !== undefined && records.length === 0)
    throw new CarrelError(
      "conflict",
      `The record of the run ${JSON.stringify(run)} was changed by hand and cannot be read. Take back MEMORY.md from its history.`,
    );
  return records;
}

function targetIn(records: readonly Record[], { run, entry }: UndoRequest): Target {
  if (entry === undefined && run === undefined)
    throw new CarrelError("invalid", "Say what to undo: a run, an entry, or both.");
  for (const of of records) {
    const changes = of.record.changes.filter((change) =>
      run === undefined
        ? isOpen(change) && idOf(change) === entry
        : entry === undefined || idsOf(change).includes(entry),
    );
    if (changes.length > 0) return { of, changes };
  }
  if (run === undefined && entry !== undefined) return { of: null, entry };
  throw notFound(
    entry === undefined ? "Anything that this run has changed" : "This entry in what the run did",
  );
}

/** What names a change: the entry that it left, or took away. */
const idOf = (change: RecordChange): string =>
  (change.what === "dropped" ? change.before : change.after).id;

const idsOf = (change: RecordChange): string[] =>
  change.what === "changed" ? [change.before.id, change.after.id] : [idOf(change)];

const isOpen = ({ undone, isForgotten }: RecordChange): boolean => undone === null && !isForgotten;

type Undoing = Extract<Target, { readonly of: Record }> & {
  readonly by: string;
  readonly op: string;
};

async function planUndo(parts: RunParts, { of, changes, by, op }: Undoing): Promise<UndoPlan> {
  const { files, clock } = parts;
  const memory = await readTextOf(files, MEMORY);
  const stored = (await readTexts(files, [STATE])).get(STATE);
  const document = new MemoryDocument(memory.text ?? "");
  const refused: { id: string; why: string }[] = [];
  const done = new Set<RecordChange>();
  for (const change of changes.toReversed()) {
    const why = takeBack(document, change, of.record.result.run);
    if (why === null) done.add(change);
    else refused.push({ id: idOf(change), why });
  }
  if (!document.isSound)
    throw new CarrelError(
      "conflict",
      "MEMORY.md has a fenced block without an end. Mend it first.",
    );
  const undone: Undone = { restored: done.size, refused: refused.slice(0, MOST_REFUSED) };
  if (done.size === 0) return { request: null, undone };
  const at = clock.now();
  const record: RunRecord = {
    ...of.record,
    changes: of.record.changes.map((change) =>
      done.has(change) ? { ...change, undone: { at, by } } : change,
    ),
    undone: [...of.record.undone, { op, at, by, ...undone }],
  };
  const sources = [...done].flatMap((change) => (change.what === "dropped" ? [] : change.sources));
  const state = withExcluded(parseState(stored?.text ?? null), sources);
  const written: Change[] = [
    write(MEMORY, document.text, memory.etag),
    write(of.file.path, writeRecord(record), of.file.etag),
    write(
      STATE,
      writeState({ ...state, hadEntries: document.entries.length > 0 }),
      stored?.etag ?? "absent",
    ),
  ];
  return { request: { by, op: opOf(op), changes: written }, undone };
}

const opOf = (op: string): string => `memory-undo:${op}`;

const write = (path: string, text: string, expect: string): Change => ({
  kind: "write",
  path,
  content: { text },
  expect,
});

const SINCE = "It has changed or gone since.";

/** Takes one change back in the document; or says why not. */
function takeBack(document: MemoryDocument, change: RecordChange, run: string): string | null {
  if (change.undone) return "It was taken back before.";
  if (change.isForgotten) return "It was forgotten.";
  if (change.what === "dropped") {
    const isBack = document.entries.some(({ id }) => id === change.before.id);
    if (isBack) return "It is there again.";
    document.insert(change.before.raw, change.before.section);
    return null;
  }
  const same = document.entries.filter(({ id }) => id === change.after.id);
  const entry = same.find(({ mark }) => mark?.run === run) ?? same[0];
  if (!entry) return SINCE;
  if (change.what === "added") document.remove(entry);
  else if (change.before.section === entry.section) document.replace(entry, change.before.raw);
  else {
    document.remove(entry);
    document.insert(change.before.raw, change.before.section);
  }
  return null;
}

/** Names of the entries of ledgers that say just what this one says. */
async function refsOf(files: BucketFiles, id: string): Promise<readonly EntryRef[]> {
  const ledgers = (await readLedgers(files, await listLedgers(files))).flatMap(entriesOf);
  return [...new Set(ledgers.filter(({ entry }) => entry.id === id).map(({ ref }) => ref))];
}

/** Removes an entry that no run made, and keeps runs from making it anew: its file's history has it. */
async function planRemoval(
  { files, rows, clock, assertThere }: RunParts,
  { entry: id, by, op }: { readonly entry: string; readonly by: string; readonly op: string },
): Promise<UndoPlan> {
  const memory = await readTextOf(files, MEMORY);
  const document = new MemoryDocument(memory.text ?? "");
  const entry = document.entries.find((it) => it.id === id);
  if (!entry) {
    const before = asUndone(rows.answer(opOf(op)));
    if (before) return { request: null, undone: before };
    throw notFound(`The entry ${JSON.stringify(id)} of MEMORY.md`);
  }
  document.remove(entry);
  const undone: Undone = { restored: 1, refused: [] };
  const stored = (await readTexts(files, [STATE])).get(STATE);
  const refs = await refsOf(files, id);
  const state = withExcluded(withRead(parseState(stored?.text ?? null), refs), refs);
  const hadEntries = document.entries.length > 0;
  assertThere();
  rows.setAnswer(opOf(op), clock.now(), undone);
  const changes = [
    write(MEMORY, document.text, memory.etag),
    write(STATE, writeState({ ...state, hadEntries }), stored?.etag ?? "absent"),
  ];
  return { request: { by, op: opOf(op), changes }, undone };
}
