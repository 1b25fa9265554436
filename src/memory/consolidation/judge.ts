import type { Operation } from "../../shared/memory-api.ts";
import type { MemoryEntry } from "../../shared/memory-entries.ts";
import type { LedgerEntry } from "../bucket/ledgers.ts";
import { entryText, sectionKey, sectionName } from "./document.ts";
import { SHOWN_CHARS } from "./prompt.ts";
import type { Refusal } from "./record.ts";
import { textProblem, type SourceText } from "./text-gates.ts";

/** What the run was shown, as it is now; `null`: not there any more, or not as it was. */
export type Numbers = {
  readonly memory: ReadonlyMap<string, MemoryEntry | null>;
  readonly fresh: ReadonlyMap<string, LedgerEntry | null>;
};

/** What an entry is made of: entries of MEMORY.md and of ledgers. */
export type Sources = {
  readonly memory: readonly MemoryEntry[];
  readonly fresh: readonly LedgerEntry[];
};

/** An operation that may be done. */
export type Accepted =
  | {
      readonly op: "edit";
      readonly entry: MemoryEntry;
      readonly text: string;
      /** `null`: where it is. */
      readonly section: string | null;
      readonly sources: Sources;
      readonly reason: string;
    }
  | {
      readonly op: "add";
      readonly text: string;
      /** `null`: at the end of the file. */
      readonly section: string | null;
      readonly sources: Sources;
      readonly reason: string;
    }
  | { readonly op: "drop"; readonly entry: MemoryEntry; readonly reason: string };

export type Judged = {
  readonly accepted: readonly Accepted[];
  readonly refusals: readonly Refusal[];
  /** Operations that make no sense: they name what was never shown, or name it twice. */
  readonly senseless: number;
  /** Entries that a refused text was to stand for: they must not go. */
  readonly needed: ReadonlySet<MemoryEntry>;
};

class Refused extends Error {
  readonly isSenseless: boolean;

  constructor(why: string, isSenseless = false) {
    super(why);
    this.isSenseless = isSenseless;
  }
}

const senseless = (why: string): Refused => new Refused(why, true);

/** Why an operation on an entry that has changed since is not done. */
const CHANGED = "the entry has changed or gone meanwhile";

/** Sorts operations into those that may be done and those that are refused, each with why. */
export function judge(operations: readonly Operation[], numbers: Numbers): Judged {
  const named = new Set<string>();
  const accepted: Accepted[] = [];
  const refusals: Refusal[] = [];
  const needed = new Set<MemoryEntry>();
  let count = 0;
  for (const operation of operations) {
    try {
      if ("entry" in operation) {
        const no = operation.entry;
        if (named.has(no)) throw senseless("another operation names the same entry");
        named.add(no);
      }
      const it = accept(operation, numbers);
      if (it) accepted.push(it);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.isSenseless) count += 1;
      refusals.push(refusalOf(operation, error.message));
      for (const no of "sources" in operation ? operation.sources : []) {
        const entry = numbers.memory.get(no);
        if (entry) needed.add(entry);
      }
    }
  }
  return { accepted, refusals, senseless: count, needed };
}

/** `null`: nothing is to be done. */
function accept(operation: Operation, numbers: Numbers): Accepted | null {
  if (operation.op === "add") {
    const sources = sourcesOf(operation.sources, numbers);
    if (sources.memory.length + sources.fresh.length === 0)
      throw senseless("it names no entry as its source");
    const text = checked(operation.text, textsOf(sources));
    const section = sectionName(operation.section ?? "") || sources.memory[0]?.section || null;
    return { op: "add", text, section, sources, reason: operation.reason };
  }
  const entry = numbers.memory.get(operation.entry);
  if (entry === undefined)
    throw senseless(`there is no entry ${JSON.stringify(operation.entry)} of MEMORY.md`);
  if (operation.op === "keep") return null;
  if (entry === null) throw new Refused(CHANGED);
  if (operation.op === "drop") {
    const reason = operation.reason.trim();
    if (reason === "") throw new Refused("it gives no reason");
    return { op: "drop", entry, reason };
  }
  if (entry.text.length > SHOWN_CHARS || /^\s*(?:```|~~~)/m.test(entry.text))
    throw new Refused("entries of more than 2,000 characters and fenced blocks are not edited");
  const given = sourcesOf(operation.sources, numbers);
  const sources = { ...given, memory: given.memory.filter((it) => it !== entry) };
  const text = checked(operation.text, [sourceText(entry), ...textsOf(sources)]);
  const named = sectionName(operation.section ?? "");
  const isThere = named === "" || sectionKey(named) === sectionKey(entry.section);
  const section = isThere ? null : named;
  if (section === null && text === entryText(entry.text)) return null;
  return { op: "edit", entry, text, section, sources, reason: operation.reason };
}

function checked(raw: string, sources: readonly SourceText[]): string {
  const text = entryText(raw);
  const problem = textProblem(text, sources);
  if (problem !== null) throw new Refused(problem);
  return text;
}

function sourcesOf(numbers: readonly string[], { memory, fresh }: Numbers): Sources {
  const found: { memory: MemoryEntry[]; fresh: LedgerEntry[] } = { memory: [], fresh: [] };
  for (const no of new Set(numbers)) {
    const [old, added] = [memory.get(no), fresh.get(no)];
    if (old === undefined && added === undefined)
      throw senseless(`there is no entry ${JSON.stringify(no)}, which it names as a source`);
    if (old) found.memory.push(old);
    else if (added) found.fresh.push(added);
    else throw new Refused(`its source ${no} has changed or gone meanwhile`);
  }
  return found;
}

const textsOf = ({ memory, fresh }: Sources): SourceText[] =>
  [...memory, ...fresh.map(({ entry }) => entry)].map(sourceText);

const sourceText = ({ text, mark }: MemoryEntry): SourceText => ({
  text,
  isOutside: mark?.outside === true,
});

/** How an operation is named in a record. */
export function refusalOf(operation: Operation, why: string): Refusal {
  const entry = "entry" in operation ? operation.entry : "";
  const text = "text" in operation ? operation.text.slice(0, 500).toWellFormed() : "";
  const sources = "sources" in operation ? operation.sources : [];
  return { op: operation.op, entry, text, sources, why };
}
