import type { Context } from "hono";
import { CarrelError, type ErrorCode } from "../shared/errors.ts";
import { consoleLog, errorFacts } from "../shared/log.ts";

/** The only place that knows HTTP status numbers. Codes of failed turns never leave as a status; 500 is a bug. */
const statusOf = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  key_reused: 422,
  too_large: 413,
  quota_exceeded: 507,
  unsupported_media_type: 415,
  too_many: 429,
  overloaded: 503,
  model_not_configured: 500,
  model_auth: 500,
  model_not_found: 500,
  model_quota: 500,
  model_refused: 500,
  model_bad_request: 500,
  context_overflow: 500,
  rate_limited: 500,
  unavailable: 500,
  stalled: 500,
  malformed: 500,
  step_limit: 500,
  token_budget: 500,
  repeated_call: 500,
  no_progress: 500,
  recovery_exhausted: 500,
  out_of_memory: 500,
  daily_budget: 500,
  output_invalid: 500,
  internal: 500,
} as const satisfies Record<ErrorCode, number>;

/** When to try again, in seconds: a turn takes longer than a burst. */
const retryAfter: Readonly<Partial<Record<ErrorCode, string>>> = { overloaded: "1", too_many: "5" };

/** Expected failures with their code; everything else is logged and shown as an id only. */
export function toProblem(error: unknown, c: Context): Response {
  const id = crypto.randomUUID();
  const later = error instanceof CarrelError ? retryAfter[error.code] : undefined;
  if (later !== undefined) c.header("retry-after", later);
  if (error instanceof CarrelError && statusOf[error.code] < 500) {
    const detail = error.detail === undefined ? {} : { detail: error.detail };
    return c.json(
      { error: { code: error.code, message: error.message, ...detail, id } },
      statusOf[error.code],
    );
  }
  if (error instanceof CarrelError && error.code === "overloaded") {
    return c.json({ error: { code: error.code, message: error.message, id } }, 503);
  }
  if (error instanceof CarrelError && error.code === "quota_exceeded") {
    return c.json({ error: { code: error.code, message: error.message, id } }, 507);
  }
  consoleLog("error", "request_failed", { id, path: c.req.routePath, ...errorFacts(error) });
  return c.json(
    { error: { code: "internal", message: `Something went wrong (error ${id}).`, id } },
    500,
  );
}
