import type { ErrorCode } from "./errors.ts";
import type { SessionStatus, TurnState } from "./events.ts";
import type { ContentPart, Usage } from "./messages.ts";

/** Who speaks to a session. Derived from the verified principal and the route, never from a body. */
export type SessionAddress = {
  readonly agent: string;
  readonly user: string;
  readonly session: string;
};

/** What a turn is asked to do: answer a new message, or answer the last message again. */
export type TurnInput =
  | { readonly kind: "message"; readonly content: readonly ContentPart[] }
  | {
      readonly kind: "regenerate";
      /** The answer to replace, or the message that it answers; the newest one when absent. Its turn must be the newest of the session. */
      readonly reply?: string;
    };

export type AcceptRequest = {
  /** Idempotency key, which is also the turn's id. */
  readonly key: string;
  /** SHA-256 of the canonical input, hex: tells a retry from another message under the same key. */
  readonly digest: string;
  readonly input: TurnInput;
  /** Ids of messages that the client says are part of the history; one that this session did not make is refused. */
  readonly claimed?: readonly string[];
};

export type TurnView = {
  readonly turn: string;
  readonly reply: string;
  readonly state: TurnState;
  /** Cursor just before the turn's first event; `null` while it is queued. */
  readonly start: string | null;
};

/** An expected failure as it crosses between objects, where error classes do not survive. */
export type Failure = { readonly ok: false; readonly code: ErrorCode; readonly message: string };

export type Accepted = { readonly ok: true; readonly turn: TurnView; readonly isNew: boolean };

export type TailRequest = {
  /** An event id; when absent, from the start of `until`, or of the session. */
  readonly after?: string;
  /** End when this turn ended or waits for a person; otherwise the tail goes on until it idles. */
  readonly until?: string;
};

/** One page of the history, newest page first; messages inside a page are in order. */
export type HistoryPage = {
  readonly session: string;
  readonly status: SessionStatus;
  readonly messages: readonly HistoryMessage[];
  /** Pass as `before` for the page of older messages; `null` when there are none. */
  readonly before: number | null;
};

export type HistoryMessage =
  | {
      /** The id of the turn that first answered it, whichever turn answers it now. */
      readonly id: string;
      readonly role: "user";
      readonly turn: string;
      readonly at: number;
      readonly content: readonly ContentPart[];
    }
  | {
      readonly id: string;
      readonly role: "assistant";
      readonly turn: string;
      readonly at: number;
      readonly state: TurnState;
      readonly error?: { readonly code: string; readonly message: string };
      /** Tokens of the whole turn; absent until it ended. */
      readonly usage?: Usage;
      /** How many of `parts` each step said, in order; none when it was cut off before. */
      readonly steps?: readonly number[];
      readonly parts: readonly HistoryPart[];
    };

export type HistoryPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | {
      readonly type: "tool";
      readonly call: string;
      readonly name: string;
      readonly input: string;
      /** Absent while the call is not finished. */
      readonly result?: { readonly status: string; readonly content: readonly ContentPart[] };
    };

/** The methods that can also be called with `fetch`: a POST of `{ method, args }`, whose body is then the stream. */
export type StreamMethod = "acceptAndTail" | "openTail";

/** The header with the rest of a stream's answer, as JSON; a `Failure` is the body of a response without it. */
export const STREAM_ANSWER = "x-session-answer";

/**
 * What a session object answers to, called by the Worker over RPC. Every method first checks that `address`
 * is the object's own. Streams are server-sent events of `IdentifiedEvent`s.
 */
export interface SessionApi {
  /** Commits the turn before it answers. Safe to repeat: the same key and digest give the same turn. */
  accept(address: SessionAddress, request: AcceptRequest): Promise<Accepted | Failure>;
  /** `accept`, and the turn's events from its first one until it ends. */
  acceptAndTail(
    address: SessionAddress,
    request: AcceptRequest,
  ): Promise<(Accepted & { readonly events: ReadableStream<Uint8Array> }) | Failure>;
  /** Not named `tail`: the platform keeps that name for itself and a stub would not forward it. */
  openTail(
    address: SessionAddress,
    request: TailRequest,
  ): Promise<{ readonly ok: true; readonly events: ReadableStream<Uint8Array> } | Failure>;
  /** Ends the running turn (or the named one) as `stopped`; a turn that already ended is left as it is. */
  stop(
    address: SessionAddress,
    turn?: string,
  ): Promise<{ readonly ok: true; readonly turn: TurnView | null } | Failure>;
  history(
    address: SessionAddress,
    page: { readonly before?: number; readonly limit: number },
  ): Promise<{ readonly ok: true; readonly page: HistoryPage } | Failure>;
  /** `AgentState` as one JSON document. */
  state(address: SessionAddress): Promise<{ readonly ok: true; readonly state: unknown } | Failure>;
  /** The turn in progress, if there is one; else `null`. */
  current(
    address: SessionAddress,
  ): Promise<{ readonly ok: true; readonly turn: TurnView | null } | Failure>;
}
