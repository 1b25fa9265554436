import { CarrelError, ModelError, type ModelErrorCode } from "../shared/errors.ts";
import { cutAt } from "../shared/text.ts";

/** Who failed, as people know it, and what its messages must not repeat. */
export type Provider = {
  readonly name: string;
  /** Where its key or address is set, for the advice in an error. */
  readonly setting: string;
  /** Values that never appear in a message. */
  readonly secrets: readonly string[];
};

/** What is known of a failure: the HTTP status, when there was one, and the provider's own words in whatever shape. */
export type Failure = {
  readonly status?: number;
  readonly retryAfterMs?: number | null;
  readonly body: unknown;
};

/**
 * A provider's failure as a `ModelError`. The message says what happened, then the provider's words: at most
 * 300 characters, without secrets, and none at all for a refused key, which providers like to quote.
 */
export function providerError(provider: Provider, failure: Failure): ModelError {
  const { message, codes, status } = readBody(failure.body);
  const code = codeFor(failure.status ?? status, `${codes} ${message}`.toLowerCase());
  const words = code === "model_auth" && failure.status !== 403 ? "" : quote(provider, message);
  const said = words === "" ? "" : ` It said: ${words}`;
  const where = failure.status === undefined ? "" : ` (HTTP ${failure.status})`;
  return new ModelError(code, explain(code, provider, where) + said, {
    retryAfterMs: failure.retryAfterMs ?? null,
  });
}

/** A failure without an answer: the network's, the guard's, or one that is mapped already. */
export function connectionError(provider: Provider, error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof CarrelError && error.code === "forbidden") {
    return new ModelError("model_not_configured", `${error.message} Check ${provider.setting}.`);
  }
  return new ModelError("unavailable", `${provider.name} could not be reached.`, {
    cause: error,
  });
}

/** The answer is not in the provider's dialect. Its bytes are not quoted: they may be anybody's. */
export const malformed = (provider: Provider): ModelError =>
  new ModelError("malformed", `${provider.name} sent an answer that cannot be read.`);

/** The first rule that holds decides. `text` is lower case: the provider's codes and words. */
function codeFor(status: number | undefined, text: string): ModelErrorCode {
  const has = (pattern: RegExp) => pattern.test(text);
  if (status === 413) return "context_overflow";
  if (status !== 429 && has(overflow)) return "context_overflow";
  if (status === 402 || has(quota)) return "model_quota";
  if (has(refused)) return "model_refused";
  if (status === 401 || status === 403 || has(auth)) return "model_auth";
  if (status === 404 || has(notFound)) return "model_not_found";
  if (status === 429 || has(limited)) return "rate_limited";
  if (status === undefined) return has(badRequest) ? "model_bad_request" : "unavailable";
  return status >= 500 || [408, 409, 425].includes(status) ? "unavailable" : "model_bad_request";
}

const overflow =
  /context[ _](length|window|size)|maximum (context|prompt length)|(prompt|input) is too long|too many tokens|exceeds the model's maximum|exceeds? the maximum number of tokens|exceeds? the configured limit|reduce the length|request_too_large/;
const quota =
  /insufficient[_ ](quota|balance|credits|funds)|billing_(error|hard_limit|not_active)|credit balance|daily free allocation/;
const refused =
  /content[_ ](filter|policy)|content management policy|responsibleai|\bflagged\b|\bmoderation\b/;
const auth =
  /authentication_error|permission_error|unauthorized|(invalid|incorrect)[_ ]api[_ ]key|api[_ ]key (not valid|is invalid|is missing)/;
const notFound = /model_not_found|not_found_error|no such model|invalid_model\b/;
const limited = /rate[_ ]limit|too many requests/;
const badRequest = /invalid_request|bad_request|validation_error/;

function explain(code: ModelErrorCode, { name, setting }: Provider, where: string): string {
  switch (code) {
    case "model_auth":
      return `${name} refused the key${where}. Check ${setting}.`;
    case "model_not_found":
      return `${name} knows no such model or address${where}. Check the model's name.`;
    case "model_quota":
      return `The account at ${name} has no quota left${where}.`;
    case "model_refused":
      return `${name} refused the request under its content policy${where}.`;
    case "context_overflow":
      return `The conversation is longer than the model at ${name} takes${where}.`;
    case "rate_limited":
      return `${name} limits requests at the moment${where}.`;
    case "model_bad_request":
      return `${name} did not accept the request${where}.`;
    default:
      return `${name} is not available${where}.`;
  }
}

type Words = { readonly message: string; readonly codes: string; readonly status?: number };

/** Finds message and codes in the shapes in use: `{error: {…}}`, `{errors: [{…}]}`, `{detail}`, plain text, `Error`. */
function readBody(body: unknown): Words {
  const value = typeof body === "string" ? parseJson(body) : body;
  if (typeof value === "string") return { message: /^\s*</.test(value) ? "" : value, codes: "" };
  if (Array.isArray(value)) return readBody(value[0]);
  if (typeof value !== "object" || value === null) return { message: "", codes: "" };
  const fields: Readonly<Record<string, unknown>> = {
    ...value,
    message: Reflect.get(value, "message"),
  };
  for (const key of ["error", "errors"]) {
    if (typeof fields[key] === "object" && fields[key] !== null) return readBody(fields[key]);
  }
  const codes = [fields["type"], fields["code"], fields["status"]];
  const status = codes.map(Number).find((code) => code >= 400 && code < 600);
  const message = [fields["message"], fields["error"], fields["detail"]].find(
    (text) => typeof text === "string",
  );
  return {
    message: typeof message === "string" ? message : "",
    codes: codes.filter((code) => typeof code === "string" || typeof code === "number").join(" "),
    ...(status === undefined ? {} : { status }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Redacts before it cuts, so that no part of a secret is left at the end. */
function quote(provider: Provider, message: string): string {
  let text = message;
  for (const secret of provider.secrets) {
    if (secret.length >= 4) text = text.replaceAll(secret, "[redacted]");
  }
  text = text.replace(/\b(sk|pk|key|bearer)[-_ ][\w*.-]{8,}/gi, "[redacted]");
  return cutAt(text.replace(/[\s\p{Cc}]+/gu, " ").trim(), 300);
}

/** `retry-after-ms`, or `retry-after` in seconds or as an HTTP date (RFC 9110, 10.2.3), in milliseconds; `null` without. */
export function retryAfter(
  header: (name: string) => string | null | undefined,
  now: number,
): number | null {
  const exact = header("retry-after-ms");
  if (exact && Number.isFinite(Number(exact))) return Math.max(0, Number(exact));
  const value = header("retry-after");
  if (!value) return null;
  const ms = Number.isFinite(Number(value)) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
