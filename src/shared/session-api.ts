import type { Failure } from "./errors.ts";
import type { FamilyApi } from "./family-api.ts";
import type { CallAnswered, PendingCall, SessionStatus, TurnState } from "./events.ts";
import type { ContentPart, Usage } from "./messages.ts";
import type { PermissionMode, Permissions, Rule, Rules } from "./permissions.ts";
import type { Work } from "./plan.ts";
import type { SessionAddress } from "./session-address.ts";

/** What a turn is asked to do: answer a new message, or answer the last message again. */
export type TurnInput =
  | {
      readonly kind: "message";
      readonly content: readonly ContentPart[];
      /** The answer must be JSON of this shape. */
      readonly output?: OutputFormat;
    }
  | {
      readonly kind: "regenerate";
      /** The answer to replace, or the message that it answers; the newest one when absent. Its turn must be the newest of the session. */
      readonly reply?: string;
    };

/** A JSON schema (draft 2020-12) for an object that the answer has to be. */
export type OutputFormat = { readonly schema: Readonly<Record<string, unknown>> };

/**
 * What becomes of a message while a turn runs: it waits in line, is taken into that turn before its next step (and waits
 * in line where there is none), or stops that turn. Where a turn waits for approval only, every message denies it and is
 * answered.
 */
export type WhenBusy = "queue" | "steer" | "replace";

export type AcceptRequest = {
  /** Idempotency key, which is also the turn's id. */
  readonly key: string;
  /** SHA-256 of the canonical input, hex: tells a retry from another message under the same key. */
  readonly digest: string;
  readonly input: TurnInput;
  /** Ids of messages that the client says are part of the history; one that this session did not make is refused. */
  readonly claimed?: readonly string[];
  /** Default `queue`. */
  readonly whenBusy?: WhenBusy;
  /** Where the person is, as IANA names it; the session keeps it until another one is told. Checked by the caller. */
  readonly timeZone?: string;
  /**
   * What was answered before the message was written: taken before it, in the same commit, so that nothing is where the
   * message is refused. An answer that cannot count changes nothing and keeps no message from being taken.
   */
  readonly answers?: { readonly by: string; readonly list: readonly CallAnswer[] };
};

/**
 * An answer to a parked call. `digest` is that of the question; `always` are rules to keep for the session: `true` is the
 * first that the question suggests, and `invalid` where it suggests none.
 */
export type CallAnswer = { readonly call: string; readonly digest: string } & (
  | {
      readonly kind: "approve";
      /** Arguments in the place of the model's. */
      readonly input?: Readonly<Record<string, unknown>>;
      readonly always?: true | readonly Rule[];
    }
  | { readonly kind: "deny"; readonly reason?: string; readonly always?: readonly Rule[] }
  /** What a tool gave that the client ran: checked by the tool's own schema where it has one. */
  | { readonly kind: "result"; readonly output: unknown; readonly isError: boolean }
);

/**
 * What came of an answer. `taken`: it counts; `repeated`: the same answer counted before; `stale`: another one came
 * first, or what is asked is no longer what was seen. Only `taken` changed anything.
 */
export type AnswerOutcome = {
  readonly call: string;
  readonly outcome: "taken" | "repeated" | "stale";
  /** The answer that counts; `null` while the call waits. */
  readonly answer: CallAnswered | null;
};

export type Answered = {
  readonly ok: true;
  readonly answers: readonly AnswerOutcome[];
  readonly turn: TurnView;
};

/** A change of permissions: what is absent stays. */
export type PermissionsChange = Partial<Rules> & { readonly mode?: PermissionMode };

/** What holds in a session: its own choices, and those of the operator's code that they cannot change. */
export type PermissionsView = {
  readonly session: Permissions;
  readonly operator: Rules;
  /** The modes that may be chosen. */
  readonly modes: readonly PermissionMode[];
};

export type TurnView = {
  readonly turn: string;
  readonly reply: string;
  readonly state: TurnState;
  /** Cursor just before the turn's first event; `null` while it is queued. */
  readonly start: string | null;
};

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
  /** As it was named, or how its first message begins; empty before that. */
  readonly title: string;
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
      /** The answer as the JSON that the message asked for. */
      readonly output?: unknown;
      /** Tokens of the whole turn; absent until it ended. */
      readonly usage?: Usage;
      /** How many of `parts` each step said, in order; none when it was cut off before. */
      readonly steps?: readonly number[];
      readonly parts: readonly HistoryPart[];
    };

export type HistoryPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** A message of the person that was taken into the turn here. */
  | {
      readonly type: "steered";
      readonly message: string;
      readonly content: readonly ContentPart[];
    }
  | {
      readonly type: "tool";
      readonly call: string;
      readonly name: string;
      readonly input: string;
      /** While it waits for an answer from outside. */
      readonly pending?: PendingCall;
      /** Once it was answered. `input`: the arguments that a person put in the place of the model's, as JSON. */
      readonly answered?: {
        readonly answer: CallAnswered;
        readonly by: string;
        readonly reason?: string;
        readonly input?: string;
        /** The question that it answers. */
        readonly question: Pick<PendingCall, "what" | "digest" | "reason">;
      };
      /** Absent while the call is not finished. */
      readonly result?: {
        readonly status: string;
        readonly content: readonly ContentPart[];
        /** The file that has all of its text. */
        readonly evicted?: { readonly path: string; readonly chars: number };
      };
    };

/** The methods that can also be called with `fetch`: a POST of `{ method, args }`, whose body is then the stream. */
export type StreamMethod = "acceptAndTail" | "answerAndTail" | "openTail";

/** The header with the rest of a stream's answer, as JSON; a `Failure` is the body of a response without it. */
export const STREAM_ANSWER = "x-session-answer";

/** What one session says to another one, under the same rules. */
export type SessionLink = Pick<
  SessionApi,
  "begin" | "govern" | "report" | "stop" | "answer" | "remove"
>;

/**
 * What a session object answers to, called by the Worker over RPC. Every method first checks that `address`
 * is the object's own. Streams are server-sent events of `IdentifiedEvent`s.
 */
export interface SessionApi extends FamilyApi {
  /** Commits the turn before it answers. Safe to repeat: the same key and digest give the same turn. */
  accept(address: SessionAddress, request: AcceptRequest): Promise<Accepted | Failure>;
  /** `accept`, and the turn's events from its first one until it ends. */
  acceptAndTail(
    address: SessionAddress,
    request: AcceptRequest,
  ): Promise<(Accepted & { readonly events: ReadableStream<Uint8Array> }) | Failure>;
  /**
   * Answers parked calls: all that count in one commit. Throws away nothing: what cannot count says so in its outcome.
   * `not_found` for a call that was never asked; `invalid`, and nothing stored, for arguments or results that the tool
   * refuses. `by` is the person's name from the principal. Safe to repeat.
   */
  answer(
    address: SessionAddress,
    answers: readonly CallAnswer[],
    by: string,
  ): Promise<Answered | Failure>;
  /** `answer`, and the events of the calls' turn from just after `after` (default: from its start) until it ends or waits again. */
  answerAndTail(
    address: SessionAddress,
    answers: readonly CallAnswer[],
    by: string,
    after?: string,
  ): Promise<(Answered & { readonly events: ReadableStream<Uint8Array> }) | Failure>;
  permissions(
    address: SessionAddress,
  ): Promise<{ readonly ok: true; readonly permissions: PermissionsView } | Failure>;
  /** Holds from the next decision on, also for calls that wait. `forbidden` for a mode that the operator does not offer. */
  setPermissions(
    address: SessionAddress,
    change: PermissionsChange,
    by: string,
  ): Promise<{ readonly ok: true; readonly permissions: PermissionsView } | Failure>;
  /** What is planned and to be done. */
  work(address: SessionAddress): Promise<{ readonly ok: true; readonly work: Work } | Failure>;
  /**
   * Begins or ends plan mode by a person's hand, which holds at once, also for calls that wait; ending it approves no plan.
   * `conflict` for an agent that cannot plan, and in a session that asks nobody. Safe to repeat.
   */
  setPlan(
    address: SessionAddress,
    active: boolean,
    by: string,
  ): Promise<{ readonly ok: true; readonly work: Work } | Failure>;
  /** `not_found` for a session that nothing was said in. */
  rename(
    address: SessionAddress,
    title: string,
  ): Promise<{ readonly ok: true; readonly title: string } | Failure>;
  /** Begins the conversation anew; permissions stay. `conflict` while a turn is not ended. */
  clear(address: SessionAddress, by: string): Promise<{ readonly ok: true } | Failure>;
  /**
   * Deletes the session and everything that belongs to it; from then on every call answers `gone`. `isComplete`: whether
   * all of it is gone already; if not, a job goes on.
   */
  remove(
    address: SessionAddress,
  ): Promise<{ readonly ok: true; readonly isComplete: boolean } | Failure>;
  /** Takes a state document into an empty session; `conflict` when it is not, `invalid` when it is no such document. */
  importState(
    address: SessionAddress,
    state: unknown,
    by: string,
  ): Promise<{ readonly ok: true; readonly messages: number } | Failure>;
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
