import { estimateTokens } from "../../context/tokens.ts";
import type { Operation } from "../../shared/memory-api.ts";
import { entryId, type MemoryEntry } from "../../shared/memory-entries.ts";
import { withoutMarks, type Mark } from "../../shared/memory-marks.ts";
import type { LedgerEntry } from "../bucket/ledgers.ts";
import { MemoryDocument, rawEntry } from "./document.ts";
import { judge, type Accepted, type Numbers, type Sources } from "./judge.ts";
import { isLostIn, lostOf, mayLose, type Successor } from "./losses.ts";
import type { RecordChange, Refusal } from "./record.ts";
import { parseRef, type EntryRef } from "./state.ts";

/** What MEMORY.md would be. `why`: it is refused whole, and nothing changes. */
export type RunPlan = {
  readonly text: string;
  readonly why: string | null;
  readonly changes: readonly RecordChange[];
  readonly refusals: readonly Refusal[];
  readonly kept: number;
};

export type PlanParts = {
  readonly run: string;
  /** MEMORY.md as it is now; empty where there is none. */
  readonly text: string;
  /** Ids of entries that it was shown: `M1`… */
  readonly memory: readonly string[];
  /** Entries of ledgers that it was shown: `L1`…; `null`: not there any more. */
  readonly fresh: readonly (LedgerEntry | null)[];
  readonly maxTokens: number;
  /** It was refused again and again: what is refused singly is let go now. */
  readonly isLastTry: boolean;
};

/** Names in one entry's mark. */
const MOST_FROM = 20;

/** What a text costs in a prompt, which shows no marks. */
export const memoryTokens = (text: string): number => estimateTokens(withoutMarks(text));

/** Only somebody's comment: no entry that a run may touch. */
export const isComment = ({ text }: MemoryEntry): boolean => /^<!--[\s\S]*-->$/.test(text);

/**
 * Applies operations to MEMORY.md as it is now. Each is for one entry, and done only where that one is unchanged; what
 * nobody named stays as it is. Refused whole: more than a quarter of the entries would be lost, the text would be over
 * its budget (and not smaller than before), or every single operation is refused (on the last try: makes no sense). Pure.
 */
export function planRun(parts: PlanParts, operations: readonly Operation[]): RunPlan {
  const document = new MemoryDocument(parts.text);
  const before = document.entries.filter((entry) => !isComment(entry));
  const judged = judge(operations, numbersOf(parts, before));
  const refusals = [...judged.refusals];
  const refuse = (it: Accepted, why: string) => refusals.push(refusalFor(it, why));
  const accepted = withoutDoubles(before, judged.accepted, refuse).filter((it) => {
    const isNeeded = it.op === "drop" && judged.needed.has(it.entry);
    if (isNeeded) refuse(it, "what was to stand for it is refused");
    return !isNeeded;
  });
  const changes = accepted.map((it) => apply(document, parts.run, it));
  const isNothingLeft = changes.length === 0 && refusals.length > 0 && !parts.isLastTry;
  const why =
    (operations.length > 0 && judged.senseless === operations.length
      ? "None of its operations makes sense"
      : null) ??
    (isNothingLeft ? "Each of its operations is refused" : null) ??
    lossProblem(before, accepted) ??
    textProblem(document, parts);
  const touched = accepted.filter(({ op }) => op !== "add").length;
  const kept = why === null ? before.length - touched : before.length;
  return { text: document.text, why, changes, refusals, kept };
}

/** Numbers with what they stand for now: equal entries in their order. */
function numbersOf({ memory, fresh }: PlanParts, entries: readonly MemoryEntry[]): Numbers {
  const left = [...entries];
  const found = memory.map((id): MemoryEntry | null => {
    const at = left.findIndex((entry) => entry.id === id);
    return at === -1 ? null : (left.splice(at, 1)[0] ?? null);
  });
  return {
    memory: new Map(found.map((entry, at) => [`M${at + 1}`, entry])),
    fresh: new Map(fresh.map((entry, at) => [`L${at + 1}`, entry])),
  };
}

/** Without texts that another entry has, or is given. */
function withoutDoubles(
  before: readonly MemoryEntry[],
  accepted: readonly Accepted[],
  refuse: (it: Accepted, why: string) => void,
): Accepted[] {
  const gone = new Set(accepted.flatMap((it) => (it.op === "add" ? [] : it.entry)));
  const ids = new Set(before.filter((entry) => !gone.has(entry)).map(({ id }) => id));
  return accepted.filter((it) => {
    if (it.op === "drop") return true;
    const id = entryId(it.text);
    const isDouble = ids.has(id);
    ids.add(id);
    if (isDouble) refuse(it, "another entry says just that");
    return !isDouble;
  });
}

function lossProblem(before: readonly MemoryEntry[], accepted: readonly Accepted[]): string | null {
  const dropped = accepted.flatMap((it) => (it.op === "drop" ? it.entry : []));
  const touched = new Set(accepted.flatMap((it) => (it.op === "add" ? [] : it.entry)));
  const successors = accepted.flatMap((it): Successor[] =>
    it.op === "drop" ? [] : [{ of: new Set(it.sources.memory.map(({ id }) => id)), text: it.text }],
  );
  const staying = before.filter((entry) => !touched.has(entry)).map(({ text }) => text);
  const edited = accepted.filter((it) => it.op === "edit" && isLostIn(it.entry.text, it.text));
  const lost = lostOf(dropped, successors, staying).length + edited.length;
  const most = mayLose(before.length);
  if (lost <= most) return null;
  return `It would lose ${lost} of ${before.length} entries; at most ${most} may go in one run`;
}

function textProblem(document: MemoryDocument, { text, maxTokens }: PlanParts): string | null {
  if (!document.isSound)
    return "MEMORY.md has a fenced block without an end, so nothing can be put behind it";
  if (document.text === text) return null;
  const tokens = memoryTokens(document.text);
  if (tokens <= maxTokens || tokens < memoryTokens(text)) return null;
  return `MEMORY.md would have ${tokens} tokens; at most ${maxTokens} may be`;
}

function apply(document: MemoryDocument, run: string, it: Accepted): RecordChange {
  const common = { reason: it.reason, undone: null, isForgotten: false };
  if (it.op === "add") {
    const mark = markFor(null, it.sources, run);
    const after = document.insert(rawEntry(it.text, mark), it.section);
    return { what: "added", after, sources: namesOf(it.sources), ...common };
  }
  const before = document.held(it.entry);
  if (it.op === "drop") {
    document.remove(it.entry);
    return { what: "dropped", before, sources: [...(it.entry.mark?.from ?? [])], ...common };
  }
  const sign = document.signOf(it.entry);
  const raw = rawEntry(it.text, markFor(it.entry, it.sources, run), sign);
  const sources = namesOf(it.sources);
  if (it.section === null)
    return { what: "changed", before, after: document.replace(it.entry, raw), sources, ...common };
  document.remove(it.entry);
  const after = document.insert(sign === "" ? `- ${raw}` : raw, it.section);
  return { what: "changed", before, after, sources, ...common };
}

/** Who said it first stays; the newest of what it was made of are named. */
function markFor(entry: MemoryEntry | null, { memory, fresh }: Sources, run: string): Mark {
  const old = entry?.mark ?? memory.find(({ mark }) => mark?.session !== undefined)?.mark ?? null;
  const marks = [old, ...memory.map(({ mark }) => mark), ...fresh.map((it) => it.entry.mark)];
  const from = new Set([
    ...memory.flatMap(({ mark }) => mark?.from ?? []),
    ...(entry?.mark?.from ?? []),
    ...fresh.map(({ ref }) => ref),
  ]);
  const { session, turn, seq } = old ?? {};
  return {
    ...(session === undefined ? {} : { session }),
    ...(turn === undefined ? {} : { turn }),
    ...(seq === undefined ? {} : { seq }),
    ...(marks.some((mark) => mark?.outside === true) ? { outside: true } : {}),
    from: byDay([...from]).slice(-MOST_FROM),
    run,
  };
}

const byDay = (refs: readonly EntryRef[]): EntryRef[] =>
  refs.toSorted((a, b) => (parseRef(a)?.day ?? "").localeCompare(parseRef(b)?.day ?? ""));

/** How sources are named in a record. */
const namesOf = ({ memory, fresh }: Sources): string[] => [
  ...memory.map(({ id }) => `MEMORY.md#${id}`),
  ...fresh.map(({ ref }) => ref),
];

function refusalFor(it: Accepted, why: string): Refusal {
  const text = it.op === "drop" ? it.entry.text : it.text;
  const sources = it.op === "drop" ? [] : namesOf(it.sources);
  return {
    op: it.op,
    entry: it.op === "add" ? "" : it.entry.id,
    text: text.slice(0, 500).toWellFormed(),
    sources,
    why,
  };
}
