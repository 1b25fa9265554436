import type { EntryOf, Evicted, JournalEntry } from "../../session/entries.ts";
import type { ContextDocument } from "../../session/state-documents.ts";
import { defaultPrune, defaultTruncateArgs, type CompactionConfig } from "../compaction/config.ts";
import { carriedEntry, prunedResult, shortenedEntry, truncatedStep } from "./shorter.ts";

/** Whether the model is shown this entry: all from where its context begins, and what was asked in the turn that it begins in. */
export function isShown(entry: JournalEntry, { from, turn }: ContextDocument): boolean {
  return entry.seq >= from || (turn !== undefined && entry.seq >= turn && isSaid(entry));
}

/** Whether it is held in memory: that, and all of the turn that begins at `begun`. */
export const isLoadedFor = (
  entry: JournalEntry,
  document: ContextDocument,
  begun: number | null,
): boolean =>
  isShown(entry, document) ||
  (document.turn !== undefined && document.turn === begun && entry.seq >= begun);

const isSaid = ({ kind }: JournalEntry): boolean =>
  kind === "user" || kind === "steered" || kind === "shortened";

type Cuts = Pick<CompactionConfig, "prune" | "truncateArgs">;

/**
 * Shows entries as a context document says: without those before it, and with long texts cut. An entry that is shown
 * differently is the same object each time, so that what is known of it need not be found out again.
 */
export class View {
  readonly #chars: { readonly result: number; readonly argument: number };
  readonly #excluded: readonly string[];
  readonly #pruned = new WeakMap<JournalEntry, JournalEntry>();
  readonly #truncated = new WeakMap<JournalEntry, JournalEntry>();
  readonly #carried = new WeakMap<JournalEntry, JournalEntry>();
  readonly #shortened = new WeakMap<JournalEntry, JournalEntry>();

  constructor({ prune, truncateArgs }: Cuts = { prune: null, truncateArgs: null }) {
    const { maxChars, excludedTools } = prune ?? defaultPrune;
    this.#chars = {
      result: maxChars,
      argument: (truncateArgs ?? defaultTruncateArgs).maxChars,
    };
    this.#excluded = excludedTools;
  }

  of(entries: readonly JournalEntry[], document: ContextDocument): JournalEntry[] {
    const files = new Map(
      entries.flatMap((entry) => (entry.kind === "shortened" ? [[entry.of, entry.files]] : [])),
    );
    return entries.flatMap((entry) =>
      isShown(entry, document) ? [this.#show(entry, document, files.get(entry.seq))] : [],
    );
  }

  /** A result as it is shown where it is older than what stays whole. */
  pruned(entry: EntryOf<"result">): JournalEntry {
    // One with a name stays whole by that alone.
    if (this.#excluded.includes(entry.name) && entry.keep === undefined) return entry;
    return known(this.#pruned, entry, () => prunedResult(entry, this.#chars.result));
  }

  /** The same of the arguments of a step's calls. */
  truncated(entry: EntryOf<"step">): JournalEntry {
    return known(this.#truncated, entry, () => truncatedStep(entry, this.#chars.argument));
  }

  #show(
    entry: JournalEntry,
    { from, pruned = 0, truncated = 0, spared }: ContextDocument,
    files: readonly Evicted[] | undefined,
  ): JournalEntry {
    const shown = files ? known(this.#shortened, entry, () => shortenedEntry(entry, files)) : entry;
    if (entry.seq < from) return known(this.#carried, shown, () => carriedEntry(shown));
    const isOld = entry.seq < pruned && spared?.includes(entry.seq) !== true;
    if (shown.kind === "result" && isOld) return this.pruned(shown);
    if (shown.kind === "step" && entry.seq < truncated) return this.truncated(shown);
    return shown;
  }
}

function known(
  map: WeakMap<JournalEntry, JournalEntry>,
  entry: JournalEntry,
  make: () => JournalEntry,
): JournalEntry {
  const before = map.get(entry);
  if (before) return before;
  const made = make();
  map.set(entry, made);
  return made;
}
