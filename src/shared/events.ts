import type { ContentPart, FinishReason, ToolStatus, Usage } from "./messages.ts";

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
      readonly at: number;
    }
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
  /** Id of the newest stored event, for a client that only wants what comes next. */
  readonly last: string;
};

export type IdentifiedEvent = { readonly id: string; readonly event: SessionEvent };
