import type { Clock } from "../shared/clock.ts";
import { CarrelError } from "../shared/errors.ts";

/**
 * What `work` gives within so many milliseconds; after them its signal aborts, and `CarrelError('stalled')` is thrown whether
 * it heeds that or not. `who` does not answer then: "The model".
 */
export async function within<Answer>(
  clock: Clock,
  ms: number,
  who: string,
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const [working, waiting] = [new AbortController(), new AbortController()];
  const late = clock.sleep(ms, waiting.signal).then(() => {
    if (waiting.signal.aborted) return new Promise<never>(() => {});
    working.abort();
    throw new CarrelError("stalled", `${who} did not answer within ${ms / 1_000} seconds.`);
  });
  try {
    return await Promise.race([work(working.signal), late]);
  } finally {
    waiting.abort();
  }
}
