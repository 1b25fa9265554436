import { ModelError } from "../shared/errors.ts";

export type RetryOptions = {
  /** Calls in all, the first included; default 3. */
  readonly attempts?: number;
  /** Shortest wait; default 2 s. */
  readonly minDelayMs?: number;
  /** Longest wait that is not the provider's own wish; default 30 s. */
  readonly maxDelayMs?: number;
  /** In [0, 1); default `Math.random`. */
  readonly random?: () => number;
};

/** A provider that asks for a longer wait than this is not waited for. */
const longestWishMs = 60_000;

/**
 * Milliseconds to wait before the next call after the `attempt`-th (counted from 1) failed with `error`, or
 * `null` to give up: the failure would repeat, the attempts are used up, or the provider asks for more than a
 * minute. The wait is random between `minDelayMs` and a bound that doubles with each attempt, so that many
 * callers spread, and never shorter than the provider asked.
 */
export function retryDelay(
  error: unknown,
  attempt: number,
  options: RetryOptions = {},
): number | null {
  const { attempts = 3, minDelayMs = 2_000, maxDelayMs = 30_000, random = Math.random } = options;
  if (!(error instanceof ModelError) || !error.retryable || attempt >= attempts) return null;
  const wish = error.retryAfterMs ?? 0;
  if (wish > longestWishMs) return null;
  const bound = Math.max(minDelayMs, Math.min(maxDelayMs, minDelayMs * 2 ** attempt));
  return Math.max(wish, Math.round(minDelayMs + random() * (bound - minDelayMs)));
}
