/**
 * The closed set of expected failures. The first group maps to an HTTP status (`src/http/problem.ts`);
 * the second says why a model call failed and shows in a turn's terminal event.
 */
export type ErrorCode =
  | "invalid"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "gone"
  | "key_reused"
  | "too_large"
  | "quota_exceeded"
  | "unsupported_media_type"
  | "too_many"
  | "overloaded"
  | ModelErrorCode
  | TurnErrorCode;

/** An expected failure as it crosses between objects, where error classes do not survive. */
export type Failure = { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** Why a provider did not answer. Only `rate_limited` and `unavailable` are worth another try. */
export type ModelErrorCode =
  | "model_not_configured"
  | "model_auth"
  | "model_not_found"
  | "model_quota"
  | "model_refused"
  | "model_bad_request"
  | "context_overflow"
  | "rate_limited"
  | "unavailable"
  | "stalled"
  | "malformed";

/** Why Carrel itself ended a turn. */
export type TurnErrorCode =
  | "step_limit"
  | "token_budget"
  | "repeated_call"
  | "no_progress"
  | "recovery_exhausted"
  | "out_of_memory"
  | "daily_budget"
  | "output_invalid"
  | "internal";

/** An expected failure. `code` is the contract; `message` is safe to show to whoever asked and says how to mend it. */
export class CarrelError extends Error {
  override name = "CarrelError";
  readonly code: ErrorCode;
  readonly detail: unknown;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions & { detail?: unknown }) {
    super(message, options);
    this.code = code;
    this.detail = options?.detail;
  }
}

/** A provider's failure, already mapped. `retryAfterMs` is what the provider asked for, if it did. */
export class ModelError extends CarrelError {
  override name = "ModelError";
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;

  constructor(
    code: ModelErrorCode,
    message: string,
    options?: { retryAfterMs?: number | null; cause?: unknown },
  ) {
    super(code, message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.retryable =
      code === "rate_limited" ||
      code === "unavailable" ||
      code === "stalled" ||
      code === "malformed";
    this.retryAfterMs = options?.retryAfterMs ?? null;
  }
}

export const invalid = (message: string, detail?: unknown): CarrelError =>
  new CarrelError("invalid", message, detail === undefined ? undefined : { detail });

export const notFound = (what: string): CarrelError =>
  new CarrelError("not_found", `${what} does not exist.`);

export const sessionGone = (): CarrelError =>
  new CarrelError("gone", "This session was deleted. Begin another one under a new id.");

export const bucketGone = (): CarrelError =>
  new CarrelError("gone", "These files were deleted, with all that belonged to them.");

export const keyReused = (): CarrelError =>
  new CarrelError(
    "key_reused",
    "This idempotency key was already used with another message. Send the same body to get the same turn, or use a new key.",
  );

export const tooLarge = (what: string, limit: string): CarrelError =>
  new CarrelError("too_large", `${what} is larger than ${limit}. Nothing was stored; send less.`);

/** The same of what is asked for: `instead` says in a sentence how to get it. */
export const tooLargeToRead = (what: string, limit: string, instead: string): CarrelError =>
  new CarrelError("too_large", `${what} is larger than ${limit}. ${instead}`);

/** `why` ends without a full stop. */
export const quotaExceeded = (why: string): CarrelError =>
  new CarrelError(
    "quota_exceeded",
    `The workspace is full. ${why}. Nothing was stored; delete what is no longer needed.`,
  );
