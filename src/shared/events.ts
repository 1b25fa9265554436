import type { ContentPart, FinishReason, ToolStatus, Usage } from "./messages.ts";
import type { AskedFor, PermissionMode, Permissions, Rule } from "./permissions.ts";
import type { Plan, Todo } from "./plan.ts";
import type { TaskNews } from "./tasks.ts";

/**
 * A place in a session's event log, written `<journal seq>.<offset>`. An event's id is the place just after
 * it, so resuming from an id gives what comes next. Inside a step the offset counts what was said: one for
 * the start and one for the end of each part, one for each UTF-16 unit of its text. That makes a cursor
 * independent of how text was cut into events, and of whether the step is still live or already journaled.
 */
export type Cursor = { readonly seq: number; readonly offset: number };

export const START: Cursor = { seq: 0, offset: 0 };

export const formatCursor = (cursor: Cursor): string => `${cursor.seq}.${cursor.offset}`;

/** `null` when the text is not a cursor: two unsigned decimal numbers below 2^53 joined by a dot. */
export function parseCursor(text: string): Cursor | null {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(text);
  return match ? { seq: Number(match[1]), offset: Number(match[2]) } : null;
}

export const compareCursors = (a: Cursor, b: Cursor): number =>
  a.seq - b.seq || a.offset - b.offset;

/** How a parked call was answered. `expired`: nobody did, and it counts as denied. */
export type CallAnswered = "approved" | "denied" | "result" | "expired";

/** A call that waits for an answer from outside. */
export type PendingCall = {
  readonly turn: string;
  readonly call: string;
  readonly name: string;
  readonly what: AskedFor;
  /** The arguments that would run, as JSON text. */
  readonly input: string;
  /** Stands for tool, arguments and configuration; an answer names it, so that it is for what its giver saw. */
  readonly digest: string;
  /** Why it is asked, for a person. */
  readonly reason: string;
  /** Rules that would spare this question the next time; none where no rule of the session could. */
  readonly suggested: readonly Rule[];
  /** In milliseconds. */
  readonly expiresAt: number;
  /** The subagent that asks; absent: the session itself does. `turn` is one of its session then. */
  readonly source?: { readonly agent: string; readonly session: string };
};

/** How a turn ended. */
export type TurnOutcome = "completed" | "failed" | "stopped";

export type TurnState = "queued" | "running" | "waiting" | TurnOutcome;

/**
 * Everything a session says, in order. All but `status` are facts or live text with an id; `status` is sent
 * first on every connection, without an id, and describes the present.
 */
export type SessionEvent =
  /** The turn's user message was taken up. `reply` is the id of the answer's message from first to last event. */
  | {
      readonly type: "turn-start";
      readonly turn: string;
      readonly reply: string;
      readonly content: readonly ContentPart[];
      /** The turn whose answer this one gives anew; that answer is no longer part of the history. */
      readonly replaces?: string;
      readonly at: number;
    }
  /** Files that the message names were added to it for the model. */
  | {
      readonly type: "attached";
      readonly turn: string;
      readonly files: readonly { readonly path: string; readonly bytes: number }[];
    }
  /** The model is asked. `step` counts from 1 within the turn. */
  | {
      readonly type: "step-start";
      readonly turn: string;
      readonly step: number;
      readonly model: string;
    }
  | { readonly type: "text-start" }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "text-end" }
  | { readonly type: "reasoning-start" }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "reasoning-end" }
  | { readonly type: "tool-call-start"; readonly call: string; readonly name: string }
  /** A piece of the arguments' JSON text. */
  | { readonly type: "tool-call"; readonly text: string }
  | { readonly type: "tool-call-end" }
  | {
      readonly type: "step-end";
      readonly finish: FinishReason | "stopped" | "failed";
      readonly usage: Usage;
    }
  | {
      readonly type: "tool-result";
      readonly turn: string;
      readonly call: string;
      readonly name: string;
      readonly status: ToolStatus;
      readonly content: readonly ContentPart[];
      /** Its text was too long for the conversation: this file of the workspace has all of it. */
      readonly evicted?: { readonly path: string; readonly chars: number };
      readonly at: number;
    }
  /**
   * The model is shown only the ends of a long message, attached file or result from now on. `of`: the id of the event that
   * has it; `files`: where the model reads the rest, none where it is left out. People keep seeing all of it.
   */
  | {
      readonly type: "shortened";
      readonly turn: string;
      readonly of: string;
      readonly files: readonly { readonly path: string; readonly chars: number }[];
      readonly at: number;
    }
  /** A call is parked until someone outside answers it: a person, or the client that runs its tool. */
  | ({ readonly type: "call-asked"; readonly at: number } & PendingCall)
  /** A parked call was answered, once. `input`: the arguments that a person put in the place of the model's, as JSON. */
  | {
      readonly type: "call-answered";
      readonly turn: string;
      readonly call: string;
      readonly answer: CallAnswered;
      /** Whoever answered: `user:ann`; `session` when it was settled by a stop, a message, or its time. */
      readonly by: string;
      readonly reason?: string;
      readonly input?: string;
      readonly at: number;
    }
  /** Nothing is left to do until one of these calls is answered: the stream of the turn's POST ends here. */
  | {
      readonly type: "turn-waiting";
      readonly turn: string;
      readonly reply: string;
      readonly calls: readonly string[];
      /** When the first of them is settled as denied, in milliseconds. */
      readonly expiresAt: number;
      readonly at: number;
    }
  /** A message that came while the turn ran was taken into it; `message` is its id, and that of the turn it was accepted as. */
  | {
      readonly type: "steered";
      readonly turn: string;
      readonly message: string;
      readonly content: readonly ContentPart[];
      readonly at: number;
    }
  /** What the session's person allows was changed. Belongs to no turn. */
  | ({ readonly type: "permissions"; readonly at: number } & Permissions)
  /** Whether the session plans, and what, has changed. `by`: `user:ann`, or `agent:main/s1`. Belongs to no turn. */
  | ({ readonly type: "plan"; readonly by: string; readonly at: number } & Plan)
  /**
   * What happened in the session of a subagent, in its order, each event once and under its id there; long texts are cut.
   * `source`: the agents that lead to it, as in `main/researcher`. Belongs to no turn.
   */
  | {
      readonly type: "subagent";
      readonly source: string;
      readonly agent: string;
      readonly session: string;
      readonly events: readonly IdentifiedEvent[];
      readonly at: number;
    }
  /** Something was handed to a subagent or went on in the background, or has come to another state. Belongs to no turn. */
  | ({ readonly type: "task"; readonly at: number } & TaskNews)
  /** The agent's list of what is to do, whole. Belongs to no turn. */
  | { readonly type: "todos"; readonly todos: readonly Todo[]; readonly at: number }
  /**
   * The model's context was made shorter, or (`failed`) could not be; what people see of the conversation stays. Belongs to
   * no turn.
   */
  | {
      readonly type: "compacted";
      readonly how: "summary" | "cut" | "failed";
      readonly before: { readonly messages: number; readonly tokens: number };
      readonly after: { readonly messages: number; readonly tokens: number };
      readonly why?: string;
      readonly at: number;
    }
  /** The conversation begins anew: what came before is no longer part of it. Belongs to no turn. */
  | { readonly type: "cleared"; readonly at: number }
  /** Forget every event with an id from `to` up to this one: that attempt at the step was given up, another follows. */
  | {
      readonly type: "step-reset";
      readonly turn: string;
      readonly to: string;
      readonly reason: "interrupted" | "retry";
    }
  /** The last event of its turn. */
  | {
      readonly type: "turn-end";
      readonly turn: string;
      readonly reply: string;
      readonly outcome: TurnOutcome;
      readonly error?: { readonly code: string; readonly message: string };
      /** The answer as the JSON that the message asked for; only then. */
      readonly output?: unknown;
      readonly usage: Usage;
      readonly steps: number;
      readonly at: number;
    }
  | SessionStatus;

export type SessionStatus = {
  readonly type: "status";
  /** The unfinished turns, oldest first: at most one runs or waits, the rest are queued. */
  readonly turns: readonly {
    readonly turn: string;
    readonly state: TurnState;
    /** Cursor just before the turn's first event; `null` while it is queued. */
    readonly start: string | null;
  }[];
  /** The calls that wait for an answer, in the order in which they were made. */
  readonly pending: readonly PendingCall[];
  /** What was handed on and has not ended, oldest first; absent where there is nothing. */
  readonly tasks?: readonly TaskNews[];
  readonly mode: PermissionMode;
  /** Whether it plans, and what; absent where it cannot. */
  readonly plan?: Plan;
  /** What is to do; absent where nothing is. */
  readonly todos?: readonly Todo[];
  /** Id of the newest stored event, for a client that only wants what comes next. */
  readonly last: string;
};

export type IdentifiedEvent = { readonly id: string; readonly event: SessionEvent };
