import { invalid } from "../../shared/errors.ts";
import type { Forgotten, ForgottenMessage } from "../../shared/memory-api.ts";
import { memoryEntries, type MemoryEntry } from "../../shared/memory-entries.ts";
import { shortHash } from "../../shared/short-hash.ts";
import { cutAt } from "../../shared/text.ts";
import type { Change, ChangeRequest } from "../../shared/workspace-changes.ts";
import { wordsOf } from "../../workspace/index/words.ts";
import { MemoryDocument } from "../consolidation/document.ts";
import { RECORDS } from "../consolidation/record.ts";
import { MEMORY, type RunParts } from "../consolidation/run-parts.ts";
import { entryRef, parseState, STATE, withUnread, writeState } from "../consolidation/state.ts";
import { asForgotten, forgetName, keptFrom, unhiddenIn } from "./answers.ts";
import { filesBelow, readTexts, replanned, type TextFile } from "./files.ts";
import { forgetRecords } from "./forget-records.ts";
import { forgottenWords } from "./forgotten-words.ts";
import { forgottenLine } from "./forgotten.ts";
import { tellsOf } from "./repeated-lines.ts";

/** Entries named in one request; messages told of, and what of a text is told. */
const MOST_IDS = 1_000;
const MOST_SAID = 200;
const SAID_CHARS = 2_000;

/** The heading of a ledger's section. */
const NOTED = /^Memory (?:Flush|Save) /;

/** An entry in a file of the memory. */
type Found = { readonly file: TextFile; readonly entry: MemoryEntry };

type ForgetPlan = { readonly request: ChangeRequest | null; readonly forgotten: Forgotten };

/**
 * Removes entries wherever they stand, with what they were made of and made into: see `MemoryApi`. Earlier versions of all
 * files of the memory go with them, and a run that is under way comes to nothing, as its model was shown what is
 * forgotten. By which words it is known is kept first, so that nothing said before notes it again. Safe to repeat with the
 * same `op`; the answer is kept for ten minutes, and for seven days as long as messages that tell of it are not hidden.
 */
export async function forgetMemory(
  parts: RunParts,
  ids: readonly string[],
  by: string,
  op: string,
): Promise<Forgotten> {
  if (ids.length === 0 || ids.length > MOST_IDS)
    throw invalid(`Name 1 to ${MOST_IDS} entries to forget.`);
  const own = forgetName(op);
  const { request, forgotten } = await replanned(parts.files, () =>
    planForget(parts, new Set(ids), by, own),
  );
  if (request !== null) return forgotten;
  // What was done under this `op` before had an answer: nothing of it is there any more.
  const { rows, clock } = parts;
  const before = asForgotten(rows.answer(own));
  if (before) return before;
  const unhidden = rows.answersAfter(forgetName(""), clock.now());
  return { ...forgotten, said: unhiddenIn(unhidden, new Set(ids)) };
}

async function planForget(
  parts: RunParts,
  ids: ReadonlySet<string>,
  by: string,
  op: string,
): Promise<ForgetPlan> {
  const { files, rows, clock, assertThere } = parts;
  // Before the texts: a run that is applied once they were read has changed it, and all of this is planned again.
  const state = (await readTexts(files, [STATE])).get(STATE);
  const texts = await memoryTexts(files);
  const gone = goneOf(texts, ids);
  const forgotten = toldOf(gone);
  if (gone.length === 0) return { request: null, forgotten };
  const removed = new Map(Map.groupBy(gone, ({ file }) => file));
  const changes: Change[] = [...removed].map(([file, found]) => without(file, found));
  changes.push(...(await forgetRecords(files, gone.map(nameOf), textsOf(gone))));
  const before = parseState(state?.text ?? null);
  const hadEntries = before.hadEntries && !changes.some(isBlankMemory);
  // Written each time, and never the same: whatever a run or an undo has planned on what was there comes to nothing.
  const next = { ...withUnread(before, othersIn(gone)), hadEntries, epoch: shortHash(op) };
  changes.push(write(STATE, writeState(next), state?.etag ?? "absent"));
  const named = [...byId(gone).keys()];
  changes.push(forgottenLine(clock.now(), by, named, []));
  assertThere();
  rows.setAnswer(op, keptFrom(clock.now(), forgotten), forgotten);
  rows.addForgotten(op, clock.now(), [...byId(gone).values()].map(forgottenWords));
  rows.dropLease();
  return { request: { by, op, changes, purge: [MEMORY, "memory/"] }, forgotten };
}

const write = (path: string, text: string, expect: string): Change => ({
  kind: "write",
  path,
  content: { text },
  expect,
});

const isBlankMemory = (change: Change): boolean =>
  change.kind === "write" &&
  change.path === MEMORY &&
  "text" in change.content &&
  memoryEntries(change.content.text).length === 0;

/** MEMORY.md and every Markdown file of the memory. */
async function memoryTexts(files: RunParts["files"]): Promise<readonly TextFile[]> {
  const listed = (await filesBelow(files, "memory")).map(({ path }) => path);
  const paths = listed.filter((path) => path.endsWith(".md") && !path.startsWith(`${RECORDS}/`));
  const texts = await readTexts(files, [MEMORY, ...paths]);
  return [...texts.values()];
}

/** Those named; of MEMORY.md also what was made of them or is by a run and says nearly all of one, and of ledgers what those named were made of. */
function goneOf(texts: readonly TextFile[], ids: ReadonlySet<string>): readonly Found[] {
  const all = texts.flatMap((file) =>
    memoryEntries(file.text ?? "").map((entry): Found => ({ file, entry })),
  );
  const isNamed = ({ entry }: Found) => ids.has(entry.id);
  const isMemory = ({ file }: Found) => file.path === MEMORY;
  const sources = new Set(
    all.filter((it) => isNamed(it) && isMemory(it)).flatMap(({ entry }) => entry.mark?.from ?? []),
  );
  const isSource = (it: Found) => !isMemory(it) && sources.has(nameOf(it));
  const origins = new Set(
    all.filter((it) => !isMemory(it) && (isNamed(it) || isSource(it))).map(nameOf),
  );
  const told = [...byId(all.filter((it) => isNamed(it) || isSource(it))).values()].map(({ text }) =>
    tellsOf(text),
  );
  // A model need not name all that it has made an entry of.
  const isRepeated = ({ text, mark }: MemoryEntry) => {
    const words = new Set(mark?.run === undefined ? [] : wordsOf(text));
    return words.size > 0 && told.some((tells) => tells(text, words, false));
  };
  const isMadeOf = ({ entry }: Found) =>
    (entry.mark?.from ?? []).some((ref) => origins.has(ref)) || isRepeated(entry);
  return all.filter((it) => isNamed(it) || (isMemory(it) ? isMadeOf(it) : isSource(it)));
}

/** How marks name an entry of this file. */
function nameOf({ file, entry }: Found): string {
  const day = /(\d{4}-\d{2}-\d{2})\.md$/.exec(file.path)?.[1];
  return entryRef(day ?? file.path, entry.id);
}

function without(file: TextFile, found: readonly Found[]): Change {
  const document = new MemoryDocument(file.text ?? "");
  const isLedger = file.path !== MEMORY;
  document.removeAll(new Set(byId(found).keys()), (heading) => isLedger && NOTED.test(heading));
  return write(file.path, document.text, file.etag);
}

const byId = (found: readonly Found[]): ReadonlyMap<string, MemoryEntry> =>
  new Map(found.map(({ entry }) => [entry.id, entry]));

const textsOf = (gone: readonly Found[]): ReadonlySet<string> =>
  new Set(gone.map(({ entry }) => entry.text));

/** What entries that are gone were made of beside what is forgotten: a later run may take it over again. */
function othersIn(gone: readonly Found[]): readonly string[] {
  const names = new Set(gone.map(nameOf));
  const named = gone.flatMap(({ file, entry }) =>
    file.path === MEMORY ? (entry.mark?.from ?? []) : [],
  );
  return named.filter((ref) => !names.has(ref));
}

function toldOf(gone: readonly Found[]): Forgotten {
  const said = new Map<string, ForgottenMessage>();
  for (const { entry } of gone) {
    const { session = null, turn = null } = entry.mark ?? {};
    const text = cutAt(entry.text, SAID_CHARS);
    said.set(JSON.stringify([session, turn, text]), { session, turn, text });
  }
  return {
    entries: gone.length,
    paths: [...new Set(gone.map(({ file }) => file.path))],
    said: [...said.values()].slice(0, MOST_SAID),
  };
}
