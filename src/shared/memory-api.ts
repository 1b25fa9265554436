import type { Mark } from "./memory-marks.ts";
import type { Failure } from "./errors.ts";

/** Whose upkeep it is: the model is asked for one bucket at a time, in a slot of time. */
export type RunRequest = {
  /** Names the run: `2026-12-01T09-30-00Z-<random>`. Calls of another one are refused while its lease holds. */
  readonly run: string;
  /** The slot that it is for: a number that rises. One run per bucket and slot. `null`: now, whatever the slot (an admin). */
  readonly slot: number | null;
  readonly options: ConsolidationOptions;
};

/** What of `MemoryConfig` the bucket's side needs. */
export type ConsolidationOptions = {
  readonly maxTokens: number;
  readonly minGapMs: number;
  readonly ledgerRetentionDays: number;
  /** `null`: session logs are kept for ever. */
  readonly sessionRetentionDays: number | null;
};

/** An entry as the model is shown it. */
export type NumberedEntry = {
  /** `M1`… for those of MEMORY.md, `L1`… for new ones of ledgers. */
  readonly no: string;
  readonly id: string;
  readonly text: string;
  readonly section: string;
  /** Of a ledger's entry: its day. `null` for MEMORY.md. */
  readonly day: string | null;
  readonly mark: Mark | null;
};

/**
 * What a run has to work on. `idle`: nothing was remembered since the last one, so no model is asked; `done`: the slot
 * had its run; `early`: the last one is not long enough ago; `busy`: another one holds the lease.
 */
export type Begun =
  | {
      readonly state: "work";
      /** Until when the lease holds, in milliseconds. */
      readonly until: number;
      readonly memory: readonly NumberedEntry[];
      /** Bounded: what does not fit comes in the next run. */
      readonly fresh: readonly NumberedEntry[];
      /** Whether there is more to read after `fresh`. */
      readonly hasMore: boolean;
    }
  | { readonly state: "idle" | "done" | "early" | "busy"; readonly retryAt: number | null };

/** What a model may do: one operation on a numbered entry, or a new one. Sources are numbers of entries. */
export type Operation =
  | { readonly op: "keep"; readonly entry: string }
  | {
      readonly op: "edit";
      readonly entry: string;
      readonly text: string;
      readonly section?: string;
      readonly sources: readonly string[];
      readonly reason: string;
    }
  | {
      readonly op: "add";
      readonly text: string;
      readonly section?: string;
      readonly sources: readonly string[];
      readonly reason: string;
    }
  | { readonly op: "drop"; readonly entry: string; readonly reason: string };

/** What the model said: its operations, or why its answer cannot be used. */
export type Proposal =
  | { readonly kind: "operations"; readonly operations: readonly Operation[] }
  | { readonly kind: "unusable"; readonly why: string };

/** What came of a run. `refused` counts operations; a run that was refused whole has changed nothing. */
export type RunResult = {
  readonly run: string;
  readonly state: "applied" | "refused" | "lost";
  readonly why: string | null;
  readonly kept: number;
  readonly changed: number;
  readonly added: number;
  readonly dropped: number;
  readonly refused: number;
};

/** A run as lists show it. */
export type RunSummary = RunResult & {
  readonly at: number;
  /** The readable record. */
  readonly path: string;
  readonly undone: boolean;
};

export type Source = {
  readonly path: string;
  /** From 1; `null` where the place is not known any more. */
  readonly line: number | null;
  readonly session: string | null;
  readonly turn: string | null;
  /** Milliseconds; `null` when unknown. */
  readonly at: number | null;
};

/** What is remembered, for people. */
export type MemoryOverview = {
  readonly entries: readonly {
    readonly id: string;
    readonly text: string;
    readonly section: string;
    readonly line: number;
    readonly sources: readonly Source[];
    /** The run that wrote it last; `null` where a person or the agent did. */
    readonly run: string | null;
  }[];
  /** Of ledgers only: the newest 50 that nothing in MEMORY.md was made of, the newest first. Archived ones too. */
  readonly notes: readonly {
    readonly id: string;
    readonly text: string;
    readonly path: string;
    readonly line: number;
    readonly session: string | null;
    readonly turn: string | null;
    /** Milliseconds. */
    readonly at: number;
  }[];
  readonly tokens: number;
  readonly maxTokens: number;
  /** Entries of ledgers that no run has read yet. */
  readonly pending: number;
  readonly ledgers: readonly { readonly path: string; readonly entries: number }[];
  /** The newest first, at most 20. */
  readonly runs: readonly RunSummary[];
  /** How many entries were forgotten so far. */
  readonly forgotten: number;
};

/** Undo what a run did to one entry, or all that it did; or what last made an entry what it is. */
export type UndoRequest = {
  readonly by: string;
  readonly run?: string;
  readonly entry?: string;
};

export type Undone = {
  /** Entries that are as they were before. */
  readonly restored: number;
  /** Those that have changed since, and were left. */
  readonly refused: readonly { readonly id: string; readonly why: string }[];
};

/** What messages of session logs may tell of that was forgotten. */
export type ForgottenMessage = {
  /** Where it was said; `null` where that is not known. */
  readonly session: string | null;
  readonly turn: string | null;
  /** What was forgotten: messages that share most of its words are meant, and nearly all of them in any other turn. */
  readonly text: string;
};

export type Forgotten = {
  /** How many entries of MEMORY.md and of ledgers are gone. */
  readonly entries: number;
  /** Files that held them. */
  readonly paths: readonly string[];
  /**
   * What they said, and where it was said as far as that is known: not more than 200. Of what was forgotten before: what
   * is not hidden yet.
   */
  readonly said: readonly ForgottenMessage[];
};

/** A section that is to be added to a ledger. */
export type NoteRequest = {
  readonly path: string;
  /** As it is appended: its heading, its mark and its bullets. */
  readonly text: string;
  /** Of the append: it is done once. */
  readonly op: string;
  /** When the oldest of what it was made of was said (ms). */
  readonly saidAt: number;
  /** Who notes it, as versions name it: a job. */
  readonly by: string;
};

/** Bullets that were noted, and those that say what was forgotten. */
export type Noted = { readonly noted: number; readonly leftOut: number };

type Answer<Result> = Promise<({ readonly ok: true } & Result) | Failure>;

/**
 * The memory of a bucket, over RPC: answered by the object that owns its files. `bucket` is the key that the caller
 * derived. No method waits for a model. Every method may be repeated.
 */
export interface MemoryApi {
  /**
   * Takes one slot of a throttled job: granted when `gapMs` have passed since the last one that was granted for `name`.
   * Not granted: `retryAt` says when it may be. Kept through restarts.
   */
  claimSlot(
    bucket: string,
    name: string,
    gapMs: number,
  ): Answer<{ readonly granted: boolean; readonly retryAt: number }>;
  /** Gives back a slot whose job failed, so that the failure does not count. */
  releaseSlot(bucket: string, name: string): Answer<object>;
  /** Takes the lease for a run and says what there is to do. */
  beginRun(bucket: string, request: RunRequest): Answer<{ readonly begun: Begun }>;
  /** Ends the run: applies what passes the gates, each operation to an entry that is unchanged, and records all of it. */
  commitRun(
    bucket: string,
    run: string,
    proposal: Proposal,
  ): Answer<{ readonly result: RunResult }>;
  /** Ends a run whose model did not answer: nothing was read. */
  abandonRun(bucket: string, run: string, why: string): Answer<object>;
  /** Archives ledgers and prunes logs and evicted results that are past their time; a bounded number in one call. */
  tidy(
    bucket: string,
    options: ConsolidationOptions,
  ): Answer<{ readonly removed: number; readonly hasMore: boolean }>;
  memoryOverview(bucket: string, maxTokens: number): Answer<{ readonly overview: MemoryOverview }>;
  undoMemory(bucket: string, request: UndoRequest, op: string): Answer<{ readonly undone: Undone }>;
  /**
   * Appends a section to a ledger, without the bullets that say (three fifths of its words) what was forgotten at `saidAt`
   * or later, in the last seven days. Nothing is appended where none are left.
   */
  note(bucket: string, request: NoteRequest): Answer<Noted>;
  /** Removes every entry with one of these ids, and what it was made of or made into, from files, versions and search. */
  forgetMemory(
    bucket: string,
    ids: readonly string[],
    by: string,
    op: string,
  ): Answer<{ readonly forgotten: Forgotten }>;
  /** Keeps messages of session logs from being found: in the bucket that holds the logs. The logs stay as they are. */
  hideMessages(
    bucket: string,
    agent: string,
    messages: readonly ForgottenMessage[],
    by: string,
    op: string,
  ): Answer<{ readonly hidden: number }>;
}
