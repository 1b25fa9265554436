import type { JournalEntry } from "../../session/entries.ts";
import type { Journal } from "../../session/journal.ts";
import { readStates, type ContextDocument, type Draft } from "../../session/state-documents.ts";
import { groupTurns } from "../../session/transcript.ts";
import type { Sql } from "../../shared/sql.ts";
import { isKept, keptText, type KeptResult } from "./kept.ts";
import { isLoadedFor, isShown, type View } from "./view.ts";

const ALL: ContextDocument = { from: 0 };

/** So many entries are held at most where the model is not shown them all. */
const MAX_ENTRIES = 1_000;

/**
 * What the model sees of one session: the context document over the journal. Loaded at first use, then kept in step with
 * every commit. A turn that is not ended is held whole, also where its beginning is not shown any more.
 */
export class SessionContext {
  readonly #sql: Sql;
  readonly #journal: Journal;
  readonly #viewer: View;
  readonly #begun: () => number | null;
  /** A summary that the next turn is to begin with. Known once the rest is. */
  drafted: Draft | null = null;
  #entries: JournalEntry[] | null = null;
  #document: ContextDocument = ALL;
  #view: readonly JournalEntry[] | null = null;
  /** Results that a document keeps, by their seqs. */
  readonly #kept = new Map<number, KeptResult>();
  #keptText: string | null = null;

  /** `begun`: the seq of the user entry of the turn that runs or waits. */
  constructor(sql: Sql, journal: Journal, viewer: View, begun: () => number | null) {
    this.#sql = sql;
    this.#journal = journal;
    this.#viewer = viewer;
    this.#begun = begun;
  }

  get isLoaded(): boolean {
    return this.#entries !== null;
  }

  /** The entries that are held, all of turns. */
  get entries(): readonly JournalEntry[] {
    return this.#entries ?? this.#load();
  }

  /** The same object until another one is committed, or the context is read anew. */
  get document(): ContextDocument {
    if (!this.#entries) this.#load();
    return this.#document;
  }

  /** Those that the model is shown, as they are. */
  get shown(): readonly JournalEntry[] {
    const { document } = this;
    return this.entries.filter((entry) => isShown(entry, document));
  }

  /** The entries as the model is shown them. */
  get view(): readonly JournalEntry[] {
    const { document } = this;
    return (this.#view ??= this.#viewer.of(this.entries, document));
  }

  /** Results before it that the model is shown all the same, oldest first. */
  get kept(): readonly KeptResult[] {
    return this.keptOf(this.document);
  }

  /** As the model reads them: the same until another document is committed. */
  get keptText(): string {
    const { document } = this;
    return (this.#keptText ??= keptText(this.keptOf(document), document));
  }

  /** The same of another document. */
  keptOf({ kept = [] }: ContextDocument): readonly KeptResult[] {
    const missing = kept.filter((seq) => !this.#kept.has(seq));
    const held = this.entries.filter(({ seq }) => missing.includes(seq));
    const read = held.length < missing.length ? this.#journal.these(missing) : held;
    for (const result of read.filter(isKept)) this.#kept.set(result.seq, result);
    return kept.flatMap((seq) => this.#kept.get(seq) ?? []);
  }

  /** Where it may begin without anybody noticing: set only where many answers were given anew. */
  get newStart(): number | null {
    if (this.entries.length <= MAX_ENTRIES) return null;
    const start = groupTurns(this.shown)[0]?.entries[0]?.seq ?? 0;
    return start > this.document.from ? start : null;
  }

  /** Adds what was committed. */
  push(entries: readonly JournalEntry[]): void {
    if (!this.#entries || entries.length === 0) return;
    this.#entries.push(...entries);
    this.#view = null;
  }

  /** Puts a document in the place of the one before, after it was committed. */
  set(document: ContextDocument): void {
    const begun = this.#begun();
    const { entries } = this;
    const kept = this.keptOf(document);
    this.#kept.clear();
    for (const result of kept) this.#kept.set(result.seq, result);
    this.#keptText = null;
    this.#document = document;
    this.#entries = entries.filter((entry) => isLoadedFor(entry, document, begun));
    this.#view = null;
  }

  /** Reads all of it anew at its next use. */
  forget(): void {
    this.#entries = null;
    this.#view = null;
    this.#keptText = null;
    this.#kept.clear();
  }

  #load(): JournalEntry[] {
    const { context, drafted } = readStates(this.#sql, ["context", "drafted"]);
    this.#document = context ?? ALL;
    this.drafted = drafted ?? null;
    const { from, turn } = this.#document;
    const isWhole = turn === undefined || turn === this.#begun();
    const before = isWhole ? [] : this.#journal.said(turn, from);
    this.#view = null;
    return (this.#entries = [...before, ...this.#journal.window(isWhole ? (turn ?? from) : from)]);
  }
}
