import type { Env } from "../env.ts";
import { CarrelError } from "../shared/errors.ts";
import { sessionKey } from "../shared/ids.ts";
import type { Failure, SessionAddress, SessionApi } from "../shared/session-api.ts";

type Answer = { readonly ok: true } | Failure;

/**
 * Calls the object of a session. Expected failures arrive as data and are thrown again here; a lost connection is
 * tried once more on a fresh stub (every method may be repeated), an overloaded object is not.
 */
export async function callSession<Result extends Answer>(
  env: Env,
  address: SessionAddress,
  call: (session: SessionApi) => Promise<Result>,
): Promise<Extract<Result, { ok: true }>> {
  const stub = () => env.SESSIONS.getByName(sessionKey(address)) as unknown as SessionApi;
  let answer: Result;
  try {
    answer = await call(stub());
  } catch (error) {
    if (isMarked(error, "overloaded")) throw overloaded();
    if (!isMarked(error, "retryable")) throw error;
    answer = await call(stub());
  }
  if (isFailure(answer)) throw new CarrelError(answer.code, answer.message);
  return answer as Extract<Result, { ok: true }>;
}

const isFailure = (answer: Answer): answer is Failure => !answer.ok;

const overloaded = (): CarrelError =>
  new CarrelError("overloaded", "This session is busy. Try again in a moment.");

/** The platform marks its own errors with these properties. */
function isMarked(error: unknown, mark: "overloaded" | "retryable"): boolean {
  return (
    error instanceof Error &&
    (error as Error & Partial<Record<typeof mark, boolean>>)[mark] === true
  );
}
