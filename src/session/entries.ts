import type { CallAnswered, IdentifiedEvent, PendingCall, TurnOutcome } from "../shared/events.ts";
import type { Plan, Todo } from "../shared/plan.ts";
import type { ContentPart, FinishReason, StepPart, ToolStatus, Usage } from "../shared/messages.ts";
import type { AskedFor, Permissions, Rule } from "../shared/permissions.ts";
import type { OutputFormat } from "../shared/session-api.ts";
import type { Hold, Task, TaskNews } from "../shared/tasks.ts";

/** The turn of a fact that belongs to none. */
export const NO_TURN = "";

/** A fact of a session. The journal is append-only; everything else about a session is derived from it. */
export type JournalEntry = {
  readonly seq: number;
  readonly turn: string;
  readonly at: number;
} & Fact;

/** Files that the model was shown whole, or wrote, with the etag that each had then. */
export type SeenFiles = Readonly<Record<string, string>>;

/** The beginning of a file that a message names, or all of it. `text` cannot close the tag that it is shown in. */
export type AttachedFile = {
  readonly path: string;
  readonly text: string;
  /** There are more lines of it. */
  readonly cut: boolean;
  /** The last line is there in part only, because it is too long. */
  readonly lineCut?: boolean;
};

/** What came of a task, as the model is told. */
export type DeliveredTask = Pick<Task, "id" | "agent" | "state"> & {
  readonly text: string;
  /** There is more of it than is shown. */
  readonly cut?: true;
};

/** A text that was moved to a file. */
export type Evicted = { readonly path: string; readonly chars: number };

/** What the model's context holds, estimated in tokens where no provider has counted. */
export type ContextSize = { readonly messages: number; readonly tokens: number };

export type Fact =
  /** A turn was taken up. `replaces`: the turn whose answer it gives anew; `message`: the id of the message, then. */
  | {
      readonly kind: "user";
      readonly content: readonly ContentPart[];
      readonly replaces?: string;
      readonly message?: string;
      readonly output?: OutputFormat;
      /** Nobody has said anything: tasks have ended. */
      readonly wakes?: true;
    }
  /** Files that the message names, as they were when the turn began; at most once a turn, before its first step. */
  | {
      readonly kind: "attached";
      readonly files: readonly AttachedFile[];
      readonly seen?: SeenFiles;
    }
  /** The model answered, or was cut short (`stopped`, `failed`). `step` counts from 1 within the turn. */
  | {
      readonly kind: "step";
      readonly step: number;
      readonly model: string;
      readonly parts: readonly StepPart[];
      readonly finish: StepFinish;
      readonly usage: Usage;
    }
  /** A tool that is not `pure` is about to run. */
  | { readonly kind: "intent"; readonly call: string; readonly name: string }
  | {
      readonly kind: "result";
      readonly call: string;
      readonly name: string;
      readonly status: ToolStatus;
      readonly content: readonly ContentPart[];
      readonly seen?: SeenFiles;
      /** The newest one with this name stays in the model's context whole. */
      readonly keep?: string;
      /** The groups of tools that the session has by it. */
      readonly activates?: readonly string[];
      /** Its text was too long: this file has it, and `content` shows its ends. */
      readonly evicted?: Evicted;
    }
  /**
   * A call is parked until someone outside answers it. Asked again, with another digest, when what would run has
   * changed: only the newest question of a call counts.
   */
  | {
      readonly kind: "asked";
      readonly call: string;
      readonly name: string;
      readonly what: AskedFor;
      /** The arguments that would run, as JSON text. */
      readonly input: string;
      readonly digest: string;
      readonly reason: string;
      readonly suggested: readonly Rule[];
      readonly expiresAt: number;
    }
  /** The newest question of a call was answered. One that is not `approved` comes with the call's result. */
  | {
      readonly kind: "answered";
      readonly call: string;
      readonly name: string;
      readonly answer: CallAnswered;
      /** What may run: the question's digest, or that of the arguments in `input`. */
      readonly digest: string;
      readonly by: string;
      readonly reason?: string;
      /** Arguments that a person put in the place of the model's, as JSON text. */
      readonly input?: string;
    }
  /** A call waits for tasks: its tool looks at them again once it was woken. */
  | ({ readonly kind: "held"; readonly call: string; readonly name: string } & Hold)
  | { readonly kind: "woken"; readonly call: string; readonly by: "done" | "time" }
  /** The turn waits for these calls, and for those that are `held`; without any other nobody outside has anything to do. */
  | {
      readonly kind: "waiting";
      readonly calls: readonly string[];
      readonly held?: readonly string[];
      readonly expiresAt: number;
    }
  /** The model is told what came of tasks, each once. */
  | { readonly kind: "delivered"; readonly tasks: readonly DeliveredTask[] }
  /** What happened in the session of a subagent, in its order. `source`: the agents that lead to it. Of no turn. */
  | {
      readonly kind: "subagent";
      readonly source: string;
      readonly agent: string;
      readonly session: string;
      readonly events: readonly IdentifiedEvent[];
    }
  /** A task began, or has come to another state. Of no turn. */
  | ({ readonly kind: "task" } & TaskNews)
  /** A message that came while the turn ran was taken into it. `message`: its id, and that of the turn it was accepted as. */
  | {
      readonly kind: "steered";
      readonly message: string;
      readonly content: readonly ContentPart[];
    }
  /** The model is told what is wrong with its answer; nobody else is. */
  | { readonly kind: "repair"; readonly text: string }
  /** What the session's person allows, whole. Of no turn. */
  | ({ readonly kind: "permissions"; readonly by: string } & Permissions)
  /** Whether the session plans, and what, whole. Of no turn. `by`: as in `FileInfo`. */
  | ({ readonly kind: "plan"; readonly by: string } & Plan)
  /** What is to do, whole. Of no turn. */
  | { readonly kind: "todos"; readonly todos: readonly Todo[] }
  /**
   * The model's context was made shorter. `summary`: a summary of what was said before `from` stands for it; `cut`: what
   * was said before `from` is left out, as no summary could be had; `failed`: nothing has changed. Of no turn.
   */
  | {
      readonly kind: "compacted";
      readonly how: "summary" | "cut" | "failed";
      /** The context begins at this seq now. */
      readonly from: number;
      /** All that was said before, in short; absent where nothing has changed. */
      readonly summary?: string;
      readonly before: ContextSize;
      readonly after: ContextSize;
      /** Who wrote the summary, what that cost, and how long it took. */
      readonly model: string;
      readonly usage: Usage;
      readonly ms: number;
      /** Why no summary could be had, in words that may be shown. */
      readonly why?: string;
    }
  /** The texts of a message (`of`: the seq of its entry) are too long for the model: these files have them, it is shown their ends. */
  | { readonly kind: "shortened"; readonly of: number; readonly files: readonly Evicted[] }
  /** The conversation begins anew after this. Of no turn. */
  | { readonly kind: "cleared"; readonly by: string }
  /**
   * An attempt at a step was given up, or (`attempt` null) the turn was interrupted between steps.
   * `interrupted` entries are what recovery counts.
   */
  | {
      readonly kind: "reset";
      readonly attempt: number | null;
      readonly reason: "interrupted" | "retry";
    }
  | {
      readonly kind: "end";
      readonly outcome: TurnOutcome;
      readonly error?: { readonly code: string; readonly message: string };
      /** The answer as the JSON that the message asked for. */
      readonly output?: unknown;
      readonly usage: Usage;
      readonly steps: number;
    };

export type StepFinish = FinishReason | "stopped" | "failed";

export type EntryOf<Kind extends Fact["kind"]> = Extract<JournalEntry, { kind: Kind }>;

/** How a turn ended, of its entries; `null` when it has not. */
export function endOf(entries: readonly JournalEntry[]): EntryOf<"end"> | null {
  const last = entries.at(-1);
  return last?.kind === "end" ? last : null;
}

/** The calls of the last step that have no result yet, in call order: what a turn has to do before it may ask again. */
export function openCalls(
  entries: readonly JournalEntry[],
): Extract<StepPart, { type: "tool-call" }>[] {
  const settled = new Set<string>();
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry?.kind === "result") settled.add(entry.call);
    if (entry?.kind === "step") {
      return entry.parts.flatMap((part) =>
        part.type === "tool-call" && !settled.has(part.call) ? [part] : [],
      );
    }
  }
  return [];
}

/** The newest question of a call, with its answer if it has one; `null` when it was never asked. */
export function questionOf(
  entries: readonly JournalEntry[],
  call: string,
): { readonly asked: EntryOf<"asked">; readonly answered: EntryOf<"answered"> | null } | null {
  let answered: EntryOf<"answered"> | null = null;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry?.kind === "answered" && entry.call === call) answered ??= entry;
    if (entry?.kind === "asked" && entry.call === call) return { asked: entry, answered };
  }
  return null;
}

/** The calls of the newest step that wait for an answer, in the order in which they were made. */
export function pendingCalls(entries: readonly JournalEntry[]): EntryOf<"asked">[] {
  return openCalls(entries).flatMap(({ call }) => {
    const question = questionOf(entries, call);
    return question && !question.answered ? [question.asked] : [];
  });
}

/** What a call waits for that it was not woken from; `null` when it waits for no tasks. */
export function heldOf(entries: readonly JournalEntry[], call: string): EntryOf<"held"> | null {
  const newest = entries.findLast(
    (entry) => (entry.kind === "held" || entry.kind === "woken") && entry.call === call,
  );
  return newest?.kind === "held" ? newest : null;
}

/** The calls of the newest step that wait for tasks, in the order in which they were made. */
export const heldCalls = (entries: readonly JournalEntry[]): EntryOf<"held">[] =>
  openCalls(entries).flatMap(({ call }) => heldOf(entries, call) ?? []);

/** What a turn waits for: answers from outside, and tasks. */
export type Parked = {
  readonly pending: readonly EntryOf<"asked">[];
  readonly held: readonly EntryOf<"held">[];
};

/** The same of its entries. */
export const parkedCalls = (entries: readonly JournalEntry[]): Parked => ({
  pending: pendingCalls(entries),
  held: heldCalls(entries),
});

/** A question as it is shown while it waits. */
export function toPendingCall(asked: EntryOf<"asked">): PendingCall {
  const { turn, call, name, what, input, digest, reason, suggested, expiresAt } = asked;
  return { turn, call, name, what, input, digest, reason, suggested, expiresAt };
}
