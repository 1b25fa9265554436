import type { Section } from "../context/sections.ts";
import type { ModelEvent, ModelRequest } from "../model/model.ts";
import type { EntryOf, JournalEntry, SeenFiles } from "../session/entries.ts";
import type { ContentPart, ToolCall, ToolStatus } from "../shared/messages.ts";
import type { Effect, PermissionMode } from "../shared/permissions.ts";
import type { Work } from "../shared/plan.ts";
import type { UserSettings } from "../shared/registry-api.ts";
import type { SessionAddress } from "../shared/session-address.ts";
import type { Hold } from "../shared/tasks.ts";
import type { Snapshot, SnapshotRequest } from "../shared/workspace-snapshot.ts";
import type { Tool } from "../tools/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** What holds in a session at one moment. */
export type SessionNow = Work & { readonly mode: PermissionMode };

/** Whose turn it is: handed to every hook, so that nothing about a caller is ever kept in a field. */
export type TurnScope = {
  readonly address: SessionAddress;
  readonly turn: string;
  readonly now: () => number;
  /** The person's time zone, as IANA names it. */
  readonly zone: string;
  /** The caller's files. */
  readonly workspace: Workspace;
  /** Aborts when the turn is stopped or lost to another instance. */
  readonly signal: AbortSignal;
  /** What holds in the session, each time that it is asked. */
  readonly session: () => SessionNow;
  /** How the turn ended, as it is stored; `null` while it runs or waits. */
  readonly end: () => EntryOf<"end"> | null;
};

/** A turn that begins, or goes on. */
export type PreparingScope = TurnScope & {
  /** What the turn's one call for files gave, with all that capabilities want of it; `null` when there was none. */
  readonly files: () => Promise<Snapshot | null>;
};

/** The same once turns of a session have ended. */
export type AfterTurnsScope = Omit<TurnScope, "turn" | "end" | "session"> & {
  /** How the session's first message begins: at most 80 characters on one line, empty when it has no text. */
  readonly opening: string;
  /** How lists call the session: as a person named it, else `opening`. */
  readonly title: string;
  /** Takes what the user has set for all sessions, as the registry tells it. */
  readonly learn: (settings: UserSettings) => void;
};

/** A small document that a capability keeps in the session's own storage. */
export type Notes = {
  /** As it was last written; `null` when it never was. */
  readonly read: () => unknown;
  /** Replaces it whole, committed when this returns. JSON, at most 1 MB. Throws `LostTurn` in a deleted session. */
  readonly write: (value: unknown) => void;
};

/** What work of a session that is done later has to go by. */
export type LaterScope = Omit<AfterTurnsScope, "opening" | "title" | "learn"> & {
  readonly notes: Notes;
  /** Entries with a seq of at least `from`, oldest first, as `Journal.read` gives them: a page; none after the last. */
  readonly entries: (from: number) => readonly JournalEntry[];
  /** Seq of the end of the newest ended turn before which no turn is unfinished; 0 when none has ended. */
  readonly ended: number;
  /** All up to this seq was compacted, once at least; 0: nothing. What a new beginning left out was not. */
  readonly compactedTo: number;
};

/** Files, lists, and directories of skills, as in `SnapshotRequest`. */
export type SnapshotWants = Partial<Pick<SnapshotRequest, "files" | "lists" | "skills">>;

export type EndedTurn = {
  readonly turn: string;
  /** All that happened in it: the last one is its end. */
  readonly entries: readonly JournalEntry[];
};

export type ToolOutcome = Partial<Work> & {
  readonly status: ToolStatus;
  readonly content: readonly ContentPart[];
  /** As in `ToolOutput`; a wrapper that shows less of a file leaves it out. */
  readonly seen?: SeenFiles;
  readonly keep?: string;
  readonly activates?: readonly string[];
  /** There is no result yet, whatever else is said. */
  readonly holds?: Hold;
};

/** A call whose arguments are valid, before its permission is known. */
export type GatedCall = {
  readonly name: string;
  readonly effect: Effect;
  readonly input: unknown;
};

export type ModelStream = AsyncIterable<readonly ModelEvent[]>;

/**
 * What a feature adds to a turn; every hook is optional. Capabilities compose in the order of one list: the
 * first one's wrappers are outermost, and its sections and tools come first. A wrapper that throws
 * `CarrelError` fails what it wraps with that code; one that does not call `next` replaces it.
 */
export interface Capability {
  readonly name: string;
  /** What it needs of the workspace in every turn: it comes with the files of the prompt, in the same call. */
  readonly wants?: SnapshotWants;
  /** Parts of the system prompt, asked for once a turn. */
  sections?(scope: PreparingScope): readonly Section[] | Promise<readonly Section[]>;
  /** Tools offered in this turn; a name that an earlier capability took is ignored. */
  tools?(scope: PreparingScope): readonly Tool[] | Promise<readonly Tool[]>;
  /**
   * Why this call may not run now, in words for the model; `null` when it may. Asked for each call in order, after deny
   * rules and before everything else; nothing can allow what a gate refuses.
   */
  gate?(scope: TurnScope, call: GatedCall): string | null;
  /** Around a whole turn. A turn that waits for a person ends here and passes again when it goes on; so does one that is recovered. */
  wrapTurn?(scope: TurnScope, next: () => Promise<void>): Promise<void>;
  /** Around one model call with its retries, up to its commit. */
  wrapStep?(scope: TurnScope, step: number, next: () => Promise<void>): Promise<void>;
  /** Around one request to the model, retries apart. */
  wrapModelCall?(
    scope: TurnScope,
    request: ModelRequest,
    next: (request: ModelRequest) => ModelStream,
  ): ModelStream;
  /** Around one tool call, after its arguments were found valid and its intent was stored. */
  wrapToolCall?(
    scope: TurnScope,
    call: ToolCall,
    next: () => Promise<ToolOutcome>,
  ): Promise<ToolOutcome>;
  /**
   * After turns ended, as a job: in the background, once none has ended for a second (or one has waited for ten).
   * Gets those that wait, oldest first: at least one, at most 20, and no more than about 4 MB unless one alone is
   * larger. It is done when it does not throw; else it is tried again with backoff, perhaps with more turns or fewer,
   * so every turn comes at least once and must not mind coming twice. A turn that fails holds the later ones back
   * until it succeeds or is parked; a batch that fails again is tried turn by turn.
   */
  afterTurns?(scope: AfterTurnsScope, turns: readonly EndedTurn[]): Promise<void>;
  /**
   * Work in the background of its own time: called some time after turns have ended and after the context was compacted,
   * once at a time in a session, behind nothing and holding nothing up. Gives when it wants to be called again (ms), or
   * `null`. Throwing `CarrelError` or anything else has it called again with backoff; after 10 failures in a row it rests
   * until the next turn has ended. It is a job: no crash loses a call, so it must not mind coming twice.
   */
  later?(scope: LaterScope): Promise<number | null>;
}

/** One that offers the same tools in every turn, and needs none to say which. */
export type SameTools = Capability & { readonly tools: () => readonly Tool[] };

/** One wrapper of all capabilities' wrappers, first outermost. */
export function nest<Args extends unknown[], Result>(
  wrappers: readonly ((...args: [...Args, () => Promise<Result>]) => Promise<Result>)[],
  args: Args,
  inner: () => Promise<Result>,
): Promise<Result> {
  const run = wrappers.reduceRight<() => Promise<Result>>(
    (next, wrap) => () => wrap(...args, next),
    inner,
  );
  return run();
}
